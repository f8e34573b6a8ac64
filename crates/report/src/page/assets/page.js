(() => {
  const shown = data.cases.map(() => true), alone = data.cases.length === 1;
  const config = { responsive: true, displaylogo: false, displayModeBar: touch || innerWidth < 600 ? false : "hover", modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"] };

  const drawn = (k, more) => ({ mode: "lines+markers", line: { width: 1.5, color: colour(k), ...more }, marker: { symbol: symbol(k), size: 7, color: colour(k), maxdisplayed: 9 } });
  const rule = (more) => ({ type: "line", layer: "below", line: { color: css("--soft"), width: 1.2, dash: "dash" }, ...more });
  const note = (text, more) => ({ text, showarrow: false, font: { size: 11.5, color: css("--soft") }, ...more });

  function scatter() {
    if (byId("scatter").parentElement.hidden) return;
    const s = data.scatter, on = (p) => shown[p.case];
    const points = s.points.filter(on), medians = s.medians.filter(on);
    const single = s.points.length === s.medians.length;
    const marks = (list, size, more) => ({
      x: list.map((p) => p.x), y: list.map((p) => p.y), type: "scatter",
      marker: { size, color: list.map((p) => colour(p.case)), symbol: list.map((p) => symbol(p.case)), line: { width: 1, color: css("--paper") } }, ...more,
    });
    const text = (p) => plain(data.cases[p.case]) + (p.seed === undefined ? "" : `, seed ${p.seed}`);
    const hover = "%{customdata}<br>%{y:.4~g} Mbit/s, p95 %{x:.4~g} ms<extra></extra>";
    const traces = [
      marks(medians, 16, { mode: "markers", opacity: 0.75, customdata: medians.map(text), hovertemplate: hover }),
      marks(single ? [] : points, 7, { mode: "markers", customdata: points.map(text), hovertemplate: hover }),
    ];
    const xs = s.points.map((p) => p.x).concat(s.base === null ? [] : [s.base], s.full === null ? [] : [s.full]);
    const ys = s.points.map((p) => p.y).concat(s.capacity === null ? [] : [s.capacity]);
    const low = Math.min(...xs), high = Math.max(...xs), room = (high - low || high || 1) * 0.08;
    const top = Math.max(...ys, 0) * 1.03 || 1, least = Math.min(...ys, top);
    const bottom = Math.max(0, Math.min(least - (top - least) * 0.5, top * 0.8));
    const height = narrow() ? 340 : 430, wide = byId("scatter").clientWidth - 62, tall = height - 72, labels = [];
    const shapes = [], annotations = [];
    if (s.capacity !== null) {
      shapes.push(rule({ xref: "paper", x0: 0, x1: 1, y0: s.capacity, y1: s.capacity }));
      annotations.push(note("capacity", { xref: "paper", x: 0.5, y: s.capacity, yanchor: "top" }));
    }
    for (const [x, name] of [[s.base, "empty queue"], [s.full, "full buffer"]]) {
      if (x === null) continue;
      shapes.push(rule({ x0: x, x1: x, yref: "paper", y0: 0, y1: 1 }));
      annotations.push(note(name, { x, xanchor: x === s.base ? "right" : "left", yref: "paper", y: 0, yanchor: "bottom" }));
    }
    for (const p of medians) {
      const label = { x: (p.x / (high - low + 2 * room)) * wide, y: (p.y / (top - bottom)) * tall, half: data.cases[p.case].length * 3.6 + 4 };
      const hits = (shift) => labels.some((l) => Math.abs(l.x - label.x) < l.half + label.half && Math.abs(l.y - label.y - shift) < 15);
      const yshift = [-18, 18, -33, 33, -48, 48].find((shift) => !hits(shift));
      if (yshift === undefined) continue;
      labels.push({ ...label, y: label.y + yshift });
      annotations.push(note(plain(data.cases[p.case]), { x: p.x, y: p.y, yshift, font: { size: 12.5, color: colour(p.case) } }));
    }
    Plotly.react("scatter", traces, layout({
      height, shapes, annotations,
      xaxis: axis({ title: { text: "RTT, 95th percentile, ms" }, range: [high + room, Math.max(0, low - room)] }),
      yaxis: axis({ title: { text: "Goodput, Mbit/s" }, range: [bottom, top] }),
    }), config);
  }

  function time() {
    const seed = +byId("seed").value || 0, each = byId("flows").value === "each", link = +byId("link").value;
    const split = new Set(data.lines.filter((l) => l.flow !== undefined).map((l) => `${l.case}/${l.seed}/${l.panel}`));
    const wanted = (l) => l.seed === seed && shown[l.case] && (l.link === undefined || l.link === link) && (l.flow !== undefined ? each : !each || !split.has(`${l.case}/${l.seed}/${l.panel}`));
    const drawable = data.lines.filter((l) => (l.link === undefined || l.link === link) && (each || l.flow === undefined)).concat(data.overlays);
    const panels = data.panels.map((panel, k) => ({ ...panel, k })).filter(({ k }) => drawable.some((l) => l.panel === k));
    const place = new Map(panels.map(({ k }, row) => [k, row]));
    const yaxis = (k) => (place.get(k) ? `y${place.get(k) + 1}` : "y");
    const traces = [];
    data.capacity.filter((c) => c.seed === seed && (c.case === 0 || shown[c.case])).forEach((c, k) => traces.push({
      x0: c.x0, dx: c.dx, y: c.y, mode: "lines", name: "capacity", yaxis: "y", showlegend: false, connectgaps: false, hoverinfo: c.varies ? "all" : "skip",
      line: { width: c.varies && k === 0 ? 0 : 1.2, color: k ? colour(c.case) : css("--soft"), dash: c.varies ? "solid" : "dash" },
      fill: c.varies && k === 0 ? "tozeroy" : "none", fillcolor: css("--area"), hovertemplate: "%{y:.4~g}<extra>capacity</extra>",
    }));
    for (const l of data.lines.filter(wanted)) {
      const label = data.cases[l.case], group = plain(alone ? l.name ?? label : l.name === undefined ? label : l.name.startsWith(label) ? l.name : `${label} ${l.name}`), name = l.of ? `${group}, ${l.of}` : group;
      traces.push({
        x0: l.x0, dx: l.dx, y: l.y, name, yaxis: yaxis(l.panel), connectgaps: false, hovertemplate: `%{y:.4~g}<extra>${name}</extra>`,
        ...(alone ? drawn(l.flow ?? (l.link === undefined && data.flows === 1 ? 0 : 6), { dash: dashes[(l.part ?? 0) % dashes.length] }) : drawn(l.case, { dash: dashes[(l.part ?? l.flow ?? 0) % dashes.length] })),
        legendgroup: group, showlegend: l.flow !== undefined && l.panel === 0,
      });
    }
    const named = new Set();
    for (const o of data.overlays) {
      const name = plain(o.name), first = !named.has(name);
      named.add(name);
      traces.push({
        x: o.x, y: o.y, name, yaxis: yaxis(o.panel), mode: "lines", legendgroup: `measured ${name}`, showlegend: first, hovertemplate: `%{y:.4~g}<extra>${name}, measured</extra>`,
        line: { width: 1.8, color: css("--ink"), dash: dashes[1 + (o.overlay % (dashes.length - 1))] },
      });
    }
    const entries = traces.filter((t) => t.legendgroup && t.showlegend).length, legend = entries > 0;
    const changes = data.changes.filter((c) => c.case === undefined || shown[c.case]);
    for (const { k } of panels) {
      const level = traces.filter((t) => t.yaxis === yaxis(k)).flatMap((t) => t.y).find((y) => y !== null);
      if (level !== undefined && changes.length) traces.push({
        x: changes.map((c) => c.at), y: changes.map(() => level), yaxis: yaxis(k), mode: "markers", marker: { opacity: 0, size: 1 }, showlegend: false,
        customdata: changes.map((c) => c.texts.map(plain).join("<br>")), hovertemplate: "%{customdata}<extra></extra>",
      });
    }
    const rows = panels.length, row = narrow() ? 150 : 170, margin = { l: 48, r: 14, t: 26, b: legend ? 54 + 20 * Math.ceil(entries / (narrow() ? 2 : 6)) : 44 };
    const height = rows * row + margin.t + margin.b;
    const gap = 30 / (rows * row), tall = (1 - gap * (rows - 1)) / Math.max(1, rows);
    const axes = {}, annotations = [], shapes = [];
    const highest = (k) => Math.max(0, ...traces.filter((t) => t.yaxis === yaxis(k)).flatMap((t) => t.y));
    const limits = data.limits.filter((l) => l.link === link && place.has(l.panel)).map((l) => ({ ...l, near: highest(l.panel) > 0.3 * l.at }));
    const levels = (k) => (k === 0 ? data.capacity.flatMap((c) => c.y) : limits.filter((l) => l.panel === k && l.near).map((l) => l.at));
    panels.forEach((panel, n) => {
      const top = 1 - n * (tall + gap), title = panel.title.replace("{}", data.links[link] ?? "the bottleneck");
      axes[n ? `yaxis${n + 1}` : "yaxis"] = axis({ domain: [Math.max(0, top - tall), top], rangemode: panel.zero ? "tozero" : "normal", nticks: 5, autorangeoptions: { include: levels(panel.k).map((level) => level * 1.06) } });
      annotations.push(note(plain(title), { xref: "paper", x: 0, xanchor: "left", yref: "paper", y: top, yanchor: "bottom", font: { size: 12.5, color: css("--ink") } }));
      for (const l of limits.filter((limit) => limit.panel === panel.k)) {
        if (l.near) shapes.push(rule({ xref: "paper", x0: 0, x1: 1, yref: yaxis(l.panel), y0: l.at, y1: l.at }));
        annotations.push(note(l.text + (l.near ? "" : ", far above"), { xref: "paper", x: 1, xanchor: "right", yanchor: "bottom", ...(l.near ? { yref: yaxis(l.panel), y: l.at } : { yref: "paper", y: top }) }));
      }
    });
    for (const c of changes) {
      shapes.push({ type: "line", layer: "below", yref: "paper", x0: c.at, x1: c.at, y0: 0, y1: 1, line: { width: 1, dash: "dot", color: c.case === undefined ? css("--soft") : colour(c.case) } });
    }
    if (data.warmup > 0) {
      shapes.unshift({ type: "rect", layer: "below", yref: "paper", y0: 0, y1: 1, x0: 0, x1: data.warmup, fillcolor: css("--veil"), line: { width: 0 } });
      annotations.push(note("warm-up", { x: data.warmup, xanchor: "right", xshift: -3, y: 0, yanchor: "bottom" }));
    }
    Plotly.react("time", traces, layout({
      height, margin, shapes, annotations, hovermode: "x unified", ...axes, showlegend: legend, legend: { orientation: "h", x: 0, y: -52 / (rows * row), yanchor: "top" }, uirevision: "time",
      xaxis: axis({ title: { text: "Time, s", standoff: 6 }, range: [0, data.end], anchor: yaxis(panels.at(-1)?.k), showspikes: true, spikemode: "across", spikesnap: "cursor", spikethickness: 1, spikedash: "dot", spikecolor: css("--soft") }),
    }), config);
  }

  const bytes = (n) => (n < 1e3 ? `${n} B` : n < 1e6 ? `${n / 1e3} kB` : n < 1e9 ? `${n / 1e6} MB` : `${n / 1e9} GB`);
  /// Ticks of a logarithmic axis: powers of ten, and between them what `between` names as long as there is room.
  const ticks = (values, text, between) => {
    const low = Math.min(...values), high = Math.max(...values), from = Math.floor(Math.log10(low)), to = Math.ceil(Math.log10(high));
    const steps = to - from > 3 ? [1] : [1, ...between];
    const all = Array.from({ length: to - from + 1 }, (_, k) => steps.map((step) => +(step * 10 ** (from + k)).toPrecision(1))).flat();
    return { type: "log", tickvals: all, ticktext: all.map(text) };
  };

  function transfers() {
    const t = data.transfers, each = byId("sizes").value === "each";
    if (!t) return;
    const style = (c, n) => (alone ? { ...drawn(n % 7), line: { width: 1.8, color: colour(n), dash: dash(n) } } : drawn(c, { width: 1.8, dash: dashes[n % dashes.length] }));
    const slowdown = t.slowdown.filter((s) => shown[s.case]).map((s) => {
      const name = plain(alone ? s.name : `${data.cases[s.case]}, ${s.name}`);
      return {
        x: t.sizes.map((size) => size.middle), y: s.y, name, ...drawn(s.case, { width: 1.8, dash: dashes[s.rank] }), connectgaps: true,
        hovertemplate: t.sizes.map((size, k) => `${size.name}, ${name}: %{y:.3~g}<br>${s.counts[k].toLocaleString("en")} transfers<extra></extra>`),
      };
    });
    const high = Math.max(...t.slowdown.flatMap((s) => s.y));
    const byEntries = (n) => ({ showlegend: n > 1, legend: { orientation: "h", x: 0, y: -0.24, yanchor: "top" }, height: 350 + 20 * Math.ceil(n / (narrow() ? 2 : 3)) });
    byId("slowdown").hidden = t.sizes.length < 2;
    if (t.sizes.length > 1) Plotly.react("slowdown", slowdown, layout({
      ...byEntries(slowdown.length),
      xaxis: axis({ ...ticks(t.sizes.map((size) => size.middle), bytes, []), title: { text: "Size of transfer" } }),
      yaxis: axis({ title: { text: "Slowdown" }, ...(high > 20 ? ticks([1, high], String, [2, 5]) : { rangemode: "tozero" }) }),
    }), config);
    const curves = t.completion.filter((c) => shown[c.case] && (each ? c.size !== undefined : c.size === undefined)).map((c) => {
      const size = each ? t.sizes[c.size].name : "all sizes", name = plain(alone ? size : each ? `${data.cases[c.case]}, ${size}` : data.cases[c.case]);
      return { x: c.x, y: c.y, name, ...(each ? style(c.case, c.size) : drawn(c.case, { width: 2 })), hovertemplate: `%{x:.4~g} ms: %{y:.1%} of ${c.count.toLocaleString("en")}<extra>${name}</extra>` };
    });
    Plotly.react("completion", curves, layout({
      ...byEntries(each ? curves.length : 0),
      xaxis: axis({ ...ticks(t.completion.flatMap((c) => c.x), String, [2, 5]), title: { text: "Completion time, ms" } }), yaxis: axis({ range: [0, 1.02], tickformat: ".0%" }),
    }), config);
  }

  function distributions() {
    data.distributions.forEach((d, k) => {
      const traces = d.curves.filter((c) => shown[c.case]).map((c) => ({
        x: c.x, y: c.y, ...drawn(c.case, { width: 2 }), hovertemplate: `%{x:.4~g} ms: %{y:.1%}<extra>${plain(data.cases[c.case])}</extra>`,
      }));
      Plotly.react(`cdf${k}`, traces, layout({
        height: 330, xaxis: axis({ title: { text: d.title } }), yaxis: axis({ range: [0, 1.02], tickformat: ".0%" }),
      }), config);
    });
  }

  function draw() {
    document.querySelectorAll("tr[data-case]").forEach((row) => row.classList.toggle("off", !shown[row.dataset.case]));
    scatter();
    time();
    transfers();
    distributions();
  }

  document.querySelectorAll("#cases input").forEach((box) => box.addEventListener("change", () => {
    shown[box.dataset.case] = box.checked;
    draw();
  }));
  byId("link").replaceChildren(...data.links.map((name, k) => new Option(name, k)));
  byId("link").value = data.link;
  byId("link").addEventListener("change", time);
  byId("sizes").addEventListener("change", transfers);
  byId("seed").addEventListener("change", time);
  byId("flows").addEventListener("change", time);
  byId("flows").value = alone ? "each" : "";
  byId("sizes").value = alone ? "each" : "";
  byId("scatter").parentElement.hidden = data.scatter.points.length < 2;
  byId("seed").parentElement.hidden = data.seeds.length < 2;
  byId("flows").parentElement.hidden = !data.lines.some((l) => l.flow !== undefined);
  byId("link").parentElement.hidden = data.links.length < 2;
  byId("changing").hidden = data.changes.length === 0;
  byId("transfers").hidden = !data.transfers;
  byId("sizes").parentElement.hidden = !data.transfers || data.transfers.sizes.length < 2;
  byId("cases").hidden = data.cases.length < 2;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  let width = innerWidth;
  addEventListener("resize", () => { if ((width < 600) !== narrow()) draw(); width = innerWidth; });
  draw();
})();
