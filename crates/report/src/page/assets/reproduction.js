// Plots of figures beside their claims.
let again = () => {};

begin(() => {
  // What has the same name in the plots of a paper has the same colour there.
  const names = data.map((figures) => {
    const all = [];
    const add = (name) => { if (!all.includes(name)) all.push(name); };
    for (const plots of figures) for (const plot of plots) for (const line of plot.lines || []) add(line.name);
    return all;
  });
  const style = (k) => ({ line: { width: 1.8, color: colour(k), dash: dash(k) }, marker: { size: 7, symbol: symbol(k), color: colour(k) } });
  const titled = (title, more) => axis({ title: { text: plain(title), standoff: 8, font: font({ size: 12 }) }, ...more });

  function overAxis(plot, known) {
    const x = plot.numbers || plot.labels, traces = [];
    for (const line of plot.lines) {
      const look = style(known.indexOf(line.name)), name = plain(line.name || plot.y_title);
      const there = x.map((_, i) => i).filter((i) => line.low[i] !== null);
      const ranges = there.some((i) => line.low[i] !== line.high[i]);
      if (ranges && plot.numbers) {
        const back = there.slice().reverse();
        traces.push({ x: [...there, ...back].map((i) => x[i]), y: [...there.map((i) => line.high[i]), ...back.map((i) => line.low[i])], mode: "lines", line: { width: 0 }, fill: "toself", fillcolor: look.line.color, opacity: 0.16, hoverinfo: "skip", showlegend: false, legendgroup: name });
      }
      const range = x.map((_, i) => (line.low[i] === null || line.low[i] === line.high[i] ? "" : ` (${line.low[i]} to ${line.high[i]})`));
      const bars = { type: "data", symmetric: false, array: x.map((_, i) => (line.high[i] ?? line.median[i]) - line.median[i]), arrayminus: x.map((_, i) => line.median[i] - (line.low[i] ?? line.median[i])), thickness: 1.4, width: 3, color: look.line.color };
      // Quantities are joined by lines; categories are not.
      traces.push({ x, y: line.median, mode: plot.numbers ? "lines+markers" : "markers", ...(ranges && !plot.numbers ? { error_y: bars } : {}), name, legendgroup: name, showlegend: plot.lines.length > 1, ...look, customdata: range, hovertemplate: `%{x}: %{y:.4~g}%{customdata}<extra>${name}</extra>` });
    }
    const log = plot.log_x && plot.numbers && plot.numbers.every((v) => v > 0);
    const ticks = log && x.length <= 8 ? { tickvals: x, ticktext: x.map(String) } : {};
    return { traces, xaxis: { type: plot.numbers ? (log ? "log" : "linear") : "category", ...ticks } };
  }

  function distribution(plot, known) {
    const traces = plot.lines.map((line) => {
      const look = style(known.indexOf(line.name)), name = plain(line.name || plot.x_title);
      return { x: line.x, y: line.x.map((_, i) => (i + 1) / line.x.length), mode: "lines", line: { ...look.line, shape: "hv" }, name, showlegend: plot.lines.length > 1, hovertemplate: `%{x:.4~g}: %{y:.3~g}<extra>${name}</extra>` };
    });
    return { traces, xaxis: { type: plot.log_x ? "log" : "linear" }, yaxis: { range: [0, 1.02] } };
  }

  function overTime(plot) {
    const traces = [], axes = {}, annotations = [], rows = plot.panels.length, gap = rows > 1 ? 0.34 / rows : 0, tall = (1 - gap * (rows - 1)) / rows;
    const most = Math.max(...plot.panels.map((panel) => panel.lines.length));
    const seen = [];
    plot.panels.forEach((panel, row) => {
      const n = row ? row + 1 : "", top = 1 - row * (tall + gap);
      for (const line of panel.lines) {
        if (!seen.includes(line.name)) seen.push(line.name);
        const k = seen.indexOf(line.name), name = plain(line.name), first = plot.panels.findIndex((other) => other.lines.some((own) => own.name === line.name)) === row;
        traces.push({ x: line.y.map((_, i) => line.x0 + i * line.dx), y: line.y, xaxis: "x", yaxis: `y${n}`, mode: "lines", line: { width: 1.2, color: style(k).line.color, dash: style(k).line.dash }, name, legendgroup: name, showlegend: most > 1 && first, hovertemplate: `%{x:.4~g} s: %{y:.4~g}<extra>${name}</extra>` });
      }
      axes[`yaxis${n}`] = titled(rows > 1 ? "" : plot.y_title, { domain: [Math.max(0, top - tall), top], rangemode: "tozero", type: plot.log_y ? "log" : "linear" });
      if (panel.title) annotations.push({ text: plain(panel.title), showarrow: false, xref: "paper", yref: "paper", x: 0, xanchor: "left", y: top, yanchor: "bottom", font: font({ size: 12, color: css("--soft") }) });
    });
    // One title for the axes of all panels, along all of them.
    if (rows > 1) annotations.push({ text: plain(plot.y_title), showarrow: false, textangle: -90, xref: "paper", yref: "paper", x: 0, xanchor: "right", xshift: -40, y: 0.5, yanchor: "middle", font: font({ size: 12 }) });
    return { traces, axes, annotations, rows, anchor: rows > 1 ? `y${rows}` : "y" };
  }

  function draw(box) {
    const [paper, figure, at] = box.dataset.plot.split(",").map(Number), plot = data[paper][figure][at];
    const made = plot.kind === "lines" ? overAxis(plot, names[paper]) : plot.kind === "cdf" ? distribution(plot, names[paper]) : overTime(plot);
    const rows = made.rows || 1, legend = new Set(made.traces.filter((t) => t.showlegend).map((t) => t.name)).size;
    const entries = Math.ceil(legend / Math.max(1, Math.floor((box.clientWidth || 560) / 170)));
    const inner = rows > 1 ? rows * 150 : 230, height = inner + 74 + entries * 21;
    Plotly.react(box, made.traces, layout({
      height, margin: { l: 60, r: 14, t: made.annotations && made.annotations.length ? 24 : 10, b: 52 + entries * 21 }, meta: { legend: entries * 21 },
      showlegend: legend > 0, legend: { orientation: "h", x: 0, y: -44 / inner, yanchor: "top", font: font({ size: 12 }) }, annotations: made.annotations || [],
      xaxis: titled(plot.x_title, { ...made.xaxis, anchor: made.anchor || "y" }),
      ...(made.axes || { yaxis: titled(plot.y_title, { type: plot.log_y ? "log" : "linear", ...(plot.log_y ? {} : { rangemode: "tozero" }), ...made.yaxis }) }),
    }), config(false));
  }

  // Plots are drawn when they come near; all of them before the page is printed, and again when the colours change.
  const boxes = [...document.querySelectorAll("[data-plot]")], drawn = new Set();
  const show = (box) => { if (!drawn.has(box)) { drawn.add(box); draw(box); } };
  const watch = new IntersectionObserver((entries) => entries.filter((e) => e.isIntersecting).forEach((e) => { watch.unobserve(e.target); show(e.target); }), { rootMargin: "800px" });
  boxes.forEach((box) => watch.observe(box));
  addEventListener("beforeprint", () => boxes.forEach(show));
  again = () => drawn.forEach(draw);
}, () => again());
