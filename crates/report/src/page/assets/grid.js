(() => {
  const config = { responsive: true, displaylogo: false, displayModeBar: false };
  const scale = () => [[0, css("--heat-0")], [0.5, css("--heat-1")], [1, css("--heat-2")]];
  const short = (v) => (v === null || v === undefined ? "–" : Math.abs(v) >= 99.95 ? v.toFixed(0) : Math.abs(v) >= 9.995 ? v.toFixed(1) : Math.abs(v) >= 0.9995 ? v.toFixed(2) : v === 0 ? "0" : v.toFixed(3));
  const option = (value, text) => { const o = document.createElement("option"); o.value = value; o.textContent = text; return o; };

  // Heat maps side by side, one for each panel { title, z, text }; all have the same axes and the same colours.
  function heatMaps(id, panels, xs, ys, titles, range, hover) {
    const columns = Math.min(panels.length, narrow() ? 1 : xs.length > 6 ? 2 : 3), rows = Math.ceil(panels.length / columns);
    const wide = byId(id).clientWidth || 800, left = 18 + Math.min(narrow() ? 110 : 190, Math.max(...ys.map((y) => y.length)) * 7.2), right = 70;
    const top = 30, bottom = 74, gapX = columns > 1 ? (left + 8) / (wide - left - right) : 0;
    const each = (1 - gapX * (columns - 1)) / columns, cell = Math.max(30, Math.min(46, 330 / ys.length)), tall = ys.length * cell;
    const inner = rows * tall + (rows - 1) * (top + bottom), height = inner + top + bottom;
    const crowded = xs.length * columns > (narrow() ? 9 : 30), traces = [], axes = {}, annotations = [];
    panels.forEach((panel, k) => {
      const col = k % columns, row = Math.floor(k / columns), n = k ? k + 1 : "", x0 = col * (each + gapX), y1 = 1 - (row * (tall + top + bottom)) / inner;
      traces.push({
        type: "heatmap", z: panel.z, x: xs.map((_, i) => i), y: ys.map((_, i) => i), xaxis: `x${n}`, yaxis: `y${n}`, xgap: 2, ygap: 2, zmin: range[0], zmax: range[1], colorscale: scale(),
        showscale: k === 0, colorbar: { thickness: 12, outlinewidth: 0, len: Math.min(1, 300 / inner), y: 1, yanchor: "top", tickfont: font({ size: 11.5 }) },
        text: panel.text, texttemplate: crowded ? "" : "%{text}", textfont: { size: 12 }, customdata: panel.hover, hovertemplate: hover,
      });
      const label = (list, most) => list.map((t) => plain(t.length > most ? t.slice(0, most - 1) + "…" : t));
      axes[`xaxis${n}`] = axis({ automargin: false, domain: [x0, Math.min(1, x0 + each)], anchor: `y${n}`, tickvals: xs.map((_, i) => i), ticktext: label(xs, 16), title: { text: plain(titles[0]), standoff: 8 }, showgrid: false });
      axes[`yaxis${n}`] = axis({ automargin: false, domain: [Math.max(0, y1 - tall / inner), y1], anchor: `x${n}`, tickvals: ys.map((_, i) => i), ticktext: label(ys, narrow() ? 14 : 26), autorange: "reversed", showgrid: false });
      annotations.push({ text: plain(panel.title), showarrow: false, xref: "paper", yref: "paper", x: x0, xanchor: "left", y: y1, yanchor: "bottom", yshift: 4, font: font({ size: 13 }) });
    });
    Plotly.react(id, traces, layout({ height, margin: { l: left, r: right, t: top, b: bottom }, annotations, ...axes }), config);
  }

  const sizes = data.axes.map((a) => a.labels.length);
  const chosen = { x: null, y: null, facet: null, at: sizes.map(() => 0) };
  const cellAt = (places) => places.reduce((sum, place, k) => sum * sizes[k] + place, 0);
  const metric = () => data.metrics[+byId("metric").value] || data.metrics[0];
  const unit = (m) => (m.unit ? `, ${m.unit}` : "");
  const axisTitle = (k) => (k === null ? "" : data.axes[k].name);
  const labels = (k) => (k === null ? [""] : data.axes[k].labels);
  const place = (x, y, f) => {
    const at = chosen.at.slice();
    if (chosen.x !== null) at[chosen.x] = x;
    if (chosen.y !== null) at[chosen.y] = y;
    if (chosen.facet !== null) at[chosen.facet] = f;
    return cellAt(at);
  };
  const interval = (m, c) => (m.low[c] === null ? "" : ` (${short(m.low[c])} to ${short(m.high[c])})`);

  function heat() {
    const m = metric(), xs = labels(chosen.x), ys = labels(chosen.y), all = m.mean.filter((v) => v !== null);
    const title = (f) => `${m.title}${unit(m)}` + (chosen.facet === null ? "" : ` · ${axisTitle(chosen.facet)} ${labels(chosen.facet)[f]}`);
    const panels = labels(chosen.facet).map((_, f) => {
      const of = (get) => ys.map((_, y) => xs.map((_, x) => get(place(x, y, f))));
      return { title: title(f), z: of((c) => m.mean[c]), text: of((c) => short(m.mean[c])), hover: of((c) => `${short(m.mean[c])}${m.unit ? " " + m.unit : ""}${interval(m, c)}`) };
    });
    heatMaps("heat", panels, xs, ys, [axisTitle(chosen.x)], [Math.min(...all), Math.max(...all)], "%{customdata}<extra></extra>");
  }

  function lines() {
    const m = metric(), a = chosen.x === null ? null : data.axes[chosen.x], xs = a && a.numbers ? a.numbers : labels(chosen.x), ys = labels(chosen.y), facets = labels(chosen.facet);
    const columns = Math.min(facets.length, narrow() ? 1 : 3), rows = Math.ceil(facets.length / columns);
    const log = a && a.numbers && xs.length > 2 && xs.every((v) => v > 0) && Math.max(...xs) / Math.min(...xs) >= 10;
    const traces = [], axes = {}, annotations = [], row = narrow() ? 260 : 300, entries = chosen.y === null ? 0 : Math.ceil(ys.length / (narrow() ? 2 : 5));
    const gapY = 84 / (rows * row), tall = (1 - gapY * (rows - 1)) / rows, gapX = 0.06, each = (1 - gapX * (columns - 1)) / columns;
    facets.forEach((facet, f) => {
      const n = f ? f + 1 : "", col = f % columns, top = 1 - Math.floor(f / columns) * (tall + gapY);
      ys.forEach((label, y) => {
        const cells = xs.map((_, x) => place(x, y, f)), name = plain(label || m.title);
        if (data.seeds > 1) {
          const there = cells.map((c, x) => [xs[x], c]).filter(([, c]) => m.low[c] !== null);
          traces.push({ x: there.map(([x]) => x).concat(there.map(([x]) => x).reverse()), y: there.map(([, c]) => m.high[c]).concat(there.map(([, c]) => m.low[c]).reverse()), xaxis: `x${n}`, yaxis: `y${n}`, mode: "lines", line: { width: 0 }, fill: "toself", fillcolor: colour(y), opacity: 0.16, hoverinfo: "skip", showlegend: false, legendgroup: name });
        }
        traces.push({
          x: xs, y: cells.map((c) => m.mean[c]), xaxis: `x${n}`, yaxis: `y${n}`, mode: "lines+markers", name, legendgroup: name, showlegend: f === 0 && chosen.y !== null,
          line: { width: 1.8, color: colour(y), dash: dash(y) }, marker: { size: 7, symbol: symbol(y), color: colour(y) },
          customdata: cells.map((c) => interval(m, c)), hovertemplate: `%{x}: %{y:.4~g}%{customdata}<extra>${name}</extra>`,
        });
      });
      const title = axisTitle(chosen.x) + (a && a.numbers && a.unit ? `, ${a.unit}` : "");
      axes[`xaxis${n}`] = axis({ automargin: false, domain: [col * (each + gapX), Math.min(1, col * (each + gapX) + each)], anchor: `y${n}`, type: a && a.numbers ? (log ? "log" : "linear") : "category", title: { text: plain(title), standoff: 6 }, ...(log ? { tickvals: xs, ticktext: xs.map(String) } : {}) });
      axes[`yaxis${n}`] = axis({ domain: [Math.max(0, top - tall), top], anchor: `x${n}`, ...(f ? { matches: "y" } : {}) });
      annotations.push({ text: plain(`${m.title}${unit(m)}` + (facet ? ` · ${axisTitle(chosen.facet)} ${facet}` : "")), showarrow: false, xref: "paper", yref: "paper", x: col * (each + gapX), xanchor: "left", y: top, yanchor: "bottom", font: font({ size: 13 }) });
    });
    const bottom = 58 + entries * 22;
    Plotly.react("lines", traces, layout({ height: rows * row + bottom + 28, margin: { l: 48, r: 14, t: 28, b: bottom }, annotations, ...axes, showlegend: entries > 0, legend: { orientation: "h", x: 0, y: -56 / (rows * row), yanchor: "top" } }), config);
  }

  function matrix() {
    if (!data.matrix) return;
    const m = data.matrix, at = +byId("condition").value || 0, of = m.measures[+byId("measure").value] || m.measures[0], c = of.conditions[at];
    const cell = (i, j) => c.mean[i][j], line = (i, j) => `${m.controllers[i]} beside ${m.controllers[j]}: ${short(cell(i, j))}` + (c.low[i][j] === null ? "" : ` (${short(c.low[i][j])} to ${short(c.high[i][j])})`);
    const all = m.controllers.map((_, i) => m.controllers.map((_, j) => [i, j]));
    const top = of.name === "starved" ? Math.max(5, ...c.mean.flat().filter((v) => v !== null)) : of.name === "share" ? 100 : 1;
    heatMaps("pairs", [{ title: `${of.title}: row beside column`, z: c.mean, text: all.map((r) => r.map(([i, j]) => short(cell(i, j)))), hover: all.map((r) => r.map(([i, j]) => plain(line(i, j)))) }], m.controllers, m.controllers, ["beside"], [0, top], "%{customdata}<extra></extra>");
    byId("explained").textContent = of.summary + (c.yardstick === null ? "" : ` What CUBIC does to NewReno here, the yardstick: ${short(c.yardstick)}.`);
  }

  function draw() {
    byId("meaning").textContent = metric().summary;
    matrix();
    heat();
    lines();
  }

  function choices() {
    for (const [key, box] of [["x", byId("x")], ["y", byId("y")], ["facet", byId("facet")]]) {
      box.replaceChildren(...(key === "x" && sizes.length ? [] : [option("", "none")]), ...data.axes.map((a, k) => option(k, a.name)));
      box.value = chosen[key] === null ? "" : chosen[key];
      box.parentElement.hidden = sizes.length < (key === "x" ? 2 : key === "y" ? 2 : 3);
    }
    byId("fixed").replaceChildren(...data.axes.map((a, k) => {
      const label = document.createElement("label"), box = document.createElement("select");
      if ([chosen.x, chosen.y, chosen.facet].includes(k) || sizes[k] < 2) { label.hidden = true; return label; }
      box.replaceChildren(...a.labels.map((text, place) => option(place, text)));
      box.value = chosen.at[k];
      box.addEventListener("change", () => { chosen.at[k] = +box.value; draw(); });
      label.append(a.name + " ", box);
      return label;
    }));
  }

  const many = sizes.map((_, k) => k).filter((k) => sizes[k] > 1), numeric = many.filter((k) => data.axes[k].numbers);
  chosen.x = numeric.at(-1) ?? many.at(-1) ?? (sizes.length ? 0 : null);
  const rest = many.filter((k) => k !== chosen.x);
  chosen.y = rest.at(-1) ?? null;
  chosen.facet = rest.length > 1 && sizes[rest[0]] <= 6 ? rest[0] : null;
  byId("metric").replaceChildren(...data.metrics.map((m, k) => option(k, m.title)));
  byId("metric").addEventListener("change", draw);
  for (const key of ["x", "y", "facet"]) {
    byId(key).addEventListener("change", () => {
      const before = chosen[key], now = byId(key).value === "" ? null : +byId(key).value;
      for (const other of ["x", "y", "facet"]) if (other !== key && chosen[other] === now && now !== null) chosen[other] = before;
      chosen[key] = now;
      if (chosen.x === null) { chosen.x = before; if (key !== "x") chosen[key] = now; }
      choices();
      draw();
    });
  }
  if (data.matrix) {
    byId("condition").replaceChildren(...data.matrix.conditions.map((text, k) => option(k, text)));
    byId("measure").replaceChildren(...data.matrix.measures.map((m, k) => option(k, m.title)));
    byId("condition").parentElement.hidden = data.matrix.conditions.length < 2;
    byId("condition").addEventListener("change", matrix);
    byId("measure").addEventListener("change", matrix);
    byId("measure").value = Math.min(1, data.matrix.measures.length - 1);
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  let width = innerWidth;
  addEventListener("resize", () => { if ((width < 600) !== narrow()) draw(); width = innerWidth; });
  choices();
  draw();
})();
