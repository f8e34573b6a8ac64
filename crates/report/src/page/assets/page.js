"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const touch = matchMedia("(pointer: coarse)").matches;
  const dashes = ["solid", "8px,4px", "2px,3px", "8px,3px,2px,3px", "12px,4px"];
  const symbols = ["circle", "square", "diamond", "triangle-up", "triangle-down", "cross"];
  const shown = data.cases.map(() => true);
  const config = { responsive: true, displaylogo: false, displayModeBar: touch || innerWidth < 600 ? false : "hover", modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"] };

  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const colour = (k) => css(`--case-${k % 7}`);
  const symbol = (k) => symbols[k % symbols.length];
  const plain = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  const drawn = (k, more) => ({ mode: "lines+markers", line: { width: 1.5, color: colour(k), ...more }, marker: { symbol: symbol(k), size: 7, color: colour(k), maxdisplayed: 9 } });
  const narrow = () => innerWidth < 600;
  const axis = (more) => ({ gridcolor: css("--line"), linecolor: css("--line"), zeroline: false, automargin: true, fixedrange: touch, ...more });
  const layout = (more) => ({
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", showlegend: false, dragmode: touch ? false : "zoom",
    font: { family: "system-ui, sans-serif", size: 12.5, color: css("--ink") },
    modebar: { bgcolor: "rgba(0,0,0,0)", color: css("--soft"), activecolor: css("--ink") },
    hoverlabel: { bgcolor: css("--shade"), bordercolor: css("--line"), font: { color: css("--ink") } },
    margin: { l: 48, r: 14, t: 28, b: 44 }, ...more,
  });
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
    const seed = +byId("seed").value || 0, each = byId("flows").value === "each", panels = data.panels.length;
    const split = new Set(data.lines.filter((l) => l.flow !== undefined).map((l) => `${l.case}/${l.seed}/${l.panel}`));
    const wanted = (l) => l.seed === seed && shown[l.case] && (l.flow !== undefined ? each : !each || !split.has(`${l.case}/${l.seed}/${l.panel}`));
    const alone = data.cases.length === 1;
    const yaxis = (k) => (k ? `y${k + 1}` : "y");
    const traces = [];
    data.capacity.filter((c) => c.seed === seed && (c.case === 0 || shown[c.case])).forEach((c, k) => traces.push({
      x0: c.x0, dx: c.dx, y: c.y, mode: "lines", name: "capacity", yaxis: "y", showlegend: false, connectgaps: false, hoverinfo: c.varies ? "all" : "skip",
      line: { width: c.varies && k === 0 ? 0 : 1.2, color: k ? colour(c.case) : css("--soft"), dash: c.varies ? "solid" : "dash" },
      fill: c.varies && k === 0 ? "tozeroy" : "none", fillcolor: css("--area"), hovertemplate: "%{y:.4~g}<extra>capacity</extra>",
    }));
    for (const l of data.lines.filter(wanted)) {
      const label = data.cases[l.case], name = plain(l.name === undefined ? label : l.name.startsWith(label) ? l.name : `${label} ${l.name}`);
      traces.push({
        x0: l.x0, dx: l.dx, y: l.y, name, yaxis: yaxis(l.panel), connectgaps: false, hovertemplate: `%{y:.4~g}<extra>${name}</extra>`,
        ...(alone && each ? drawn(l.flow ?? 6) : drawn(l.case, { dash: dashes[(l.flow ?? 0) % dashes.length] })),
        legendgroup: name, showlegend: l.flow !== undefined && l.panel === 0,
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
    const legend = each || named.size > 0;
    const entries = traces.filter((t) => t.legendgroup && t.showlegend).length;
    const row = narrow() ? 150 : 170, margin = { l: 48, r: 14, t: 26, b: legend ? 44 + 20 * Math.ceil(entries / (narrow() ? 2 : 6)) : 44 };
    const height = panels * row + margin.t + margin.b;
    const gap = 30 / (panels * row), tall = (1 - gap * (panels - 1)) / Math.max(1, panels);
    const axes = {}, annotations = [], shapes = [];
    const levels = (k) => (k === 0 ? data.capacity.flatMap((c) => c.y) : data.limits.filter((l) => l.panel === k).map((l) => l.at));
    const headroom = (k) => levels(k).map((level) => level * 1.06);
    data.panels.forEach((panel, k) => {
      const top = 1 - k * (tall + gap);
      axes[k ? `yaxis${k + 1}` : "yaxis"] = axis({ domain: [Math.max(0, top - tall), top], rangemode: panel.zero ? "tozero" : "normal", nticks: 5, autorangeoptions: { include: headroom(k) } });
      annotations.push(note(panel.title, { xref: "paper", x: 0, xanchor: "left", yref: "paper", y: top, yanchor: "bottom", font: { size: 12.5, color: css("--ink") } }));
    });
    for (const l of data.limits) {
      shapes.push(rule({ xref: "paper", x0: 0, x1: 1, yref: yaxis(l.panel), y0: l.at, y1: l.at }));
      annotations.push(note(l.text, { xref: "paper", x: 1, xanchor: "right", yref: yaxis(l.panel), y: l.at, yanchor: "bottom" }));
    }
    if (data.warmup > 0) {
      shapes.unshift({ type: "rect", layer: "below", yref: "paper", y0: 0, y1: 1, x0: 0, x1: data.warmup, fillcolor: css("--veil"), line: { width: 0 } });
      annotations.push(note("warm-up", { x: 0, xanchor: "left", xshift: 4, y: 0, yanchor: "bottom" }));
    }
    Plotly.react("time", traces, layout({
      height, margin, shapes, annotations, hovermode: "x unified", ...axes, showlegend: legend, legend: { orientation: "h", x: 0, y: -52 / (panels * row), yanchor: "top" }, uirevision: "time",
      xaxis: axis({ title: { text: "Time, s", standoff: 6 }, range: [0, data.end], anchor: yaxis(panels - 1), showspikes: true, spikemode: "across", spikesnap: "cursor", spikethickness: 1, spikedash: "dot", spikecolor: css("--soft") }),
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
    distributions();
  }

  document.querySelectorAll("#cases input").forEach((box) => box.addEventListener("change", () => {
    shown[box.dataset.case] = box.checked;
    draw();
  }));
  document.querySelectorAll(".copy button").forEach((button) => button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.nextElementSibling.textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  }));
  byId("seed").addEventListener("change", time);
  byId("flows").addEventListener("change", time);
  byId("flows").value = data.cases.length === 1 ? "each" : "";
  byId("scatter").parentElement.hidden = data.scatter.points.length < 2;
  byId("seed").parentElement.hidden = data.seeds.length < 2;
  byId("flows").parentElement.hidden = !data.lines.some((l) => l.flow !== undefined);
  byId("cases").hidden = data.cases.length < 2;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  let width = innerWidth;
  addEventListener("resize", () => { if ((width < 600) !== narrow()) draw(); width = innerWidth; });
  draw();
})();
