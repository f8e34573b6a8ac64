// Panels over time with one time axis. Their data stays levels of detail instead of figures: a zoom into a million samples takes a finer level.

/// The part of the time axis that is shown.
let view = null;

/// Of a curve's levels the coarsest that has a value for each pixel of the part shown, for means each fourth, with as much on both sides, for panning.
function seen(curve, pixels) {
  const [from, to] = view, span = to - from;
  const level = [curve, ...(curve.finer ?? [])].find((l) => l.dx * pixels <= span * 1.5) ?? curve.finer?.at(-1) ?? curve;
  const first = Math.max(0, Math.floor((from - span - level.x0) / level.dx)), last = Math.ceil((to + span - level.x0) / level.dx) + 1;
  return { x0: level.x0 + first * level.dx, dx: level.dx, y: level.y.slice(first, Math.max(first, last)) };
}

/// Smallest and largest value of a trace in the part shown.
function extent(trace) {
  let low = Infinity, high = -Infinity;
  trace.y.forEach((y, k) => {
    const x = trace.x ? trace.x[k] : trace.x0 + k * trace.dx;
    if (y !== null && x >= view[0] - (trace.dx ?? 0) && x <= view[1] + (trace.dx ?? 0)) { low = Math.min(low, y); high = Math.max(high, y); }
  });
  return [low, high];
}

/// Marks on a window's curve at events { x, count }, those closer together than can be told apart as one.
function marked(events, trace, pixels, marker, said) {
  const span = view[1] - view[0], near = (span / pixels) * 7, x = [], y = [], count = [];
  const value = (at) => trace.y[Math.max(0, Math.min(trace.y.length - 1, Math.floor((at - trace.x0) / trace.dx)))] ?? null;
  events.x.forEach((at, k) => {
    if (at < view[0] - span || at > view[1] + span || value(at) === null) return;
    if (x.length && at - x.at(-1) < near) count[count.length - 1] += events.count[k];
    else { x.push(at); y.push(value(at)); count.push(events.count[k]); }
  });
  return { x, y, mode: "markers", marker, customdata: count, hovertemplate: `%{customdata} packets ${said} here<extra></extra>`, showlegend: false };
}

/// The means of a rate as events.
function eventsOf(line) {
  const there = line.y.map((rate, k) => ({ x: line.x0 + k * line.dx, count: Math.round(rate * line.dx) })).filter((event) => event.count > 0);
  return { x: there.map((event) => event.x), count: there.map((event) => event.count) };
}

/// Offers what can be chosen of the data over time, and tells what its signs mean; answers whether flows can be drawn one by one.
function offer() {
  const each = data.lines.some((l) => l.flow !== undefined);
  byId("link").replaceChildren(...data.links.map((name, k) => option(k, name)));
  byId("link").value = data.link;
  byId("seed").parentElement.hidden = data.seeds.length < 2;
  byId("flows").parentElement.hidden = !each;
  byId("many").hidden = each || data.flows < 2;
  byId("link").parentElement.hidden = data.links.length < 2;
  byId("changing").hidden = data.changes.length === 0;
  byId("losing").hidden = !data.lines.some((l) => l.lost);
  byId("marking").hidden = data.marks === null;
  return each;
}

function time(shown) {
  const alone = data.cases.length === 1, box = byId("time"), pixels = Math.max(200, box.clientWidth - 62);
  view ??= [0, data.end];
  const seed = +byId("seed").value || 0, each = byId("flows").value === "each", link = +byId("link").value;
  const split = new Set(data.lines.filter((l) => l.flow !== undefined).map((l) => `${l.case}/${l.seed}/${l.panel}`));
  const wanted = (l) => l.seed === seed && shown[l.case] && (l.link === undefined || l.link === link) && (l.flow !== undefined ? each : !each || !split.has(`${l.case}/${l.seed}/${l.panel}`));
  const drawable = data.lines.filter((l) => (l.link === undefined || l.link === link) && (each || l.flow === undefined)).concat(data.overlays);
  const panels = data.panels.map((panel, k) => ({ ...panel, k })).filter(({ k }) => drawable.some((l) => l.panel === k));
  const place = new Map(panels.map(({ k }, row) => [k, row]));
  const yaxis = (k) => (place.get(k) ? `y${place.get(k) + 1}` : "y");
  const value = (k, name) => `%{y:.4~g}${unit(data.panels[k].unit)}<extra>${name}</extra>`;
  const traces = [], widths = {};
  data.capacity.filter((c) => c.seed === seed && ((c.case === 0 && !data.groups) || shown[c.case])).forEach((c, k) => traces.push({
    ...(c.varies ? seen(c, pixels / 4) : { x: [0, data.end], y: c.y }), mode: "lines", name: "capacity", yaxis: "y", showlegend: false, connectgaps: false, hoverinfo: c.varies ? "all" : "skip", level: true,
    line: { width: c.varies && k === 0 ? 0 : 1.2, color: k ? colour(look(c.case)) : css("--soft"), dash: c.varies ? "solid" : "dash" },
    fill: c.varies && k === 0 ? "tozeroy" : "none", fillcolor: css("--area"), hovertemplate: value(0, "capacity"),
  }));
  const marks = [], room = (panel) => (data.panels[panel].mean ? pixels / 4 : pixels);
  for (const l of data.lines.filter(wanted)) {
    const label = data.cases[l.case], group = plain(alone ? l.name ?? label : l.name === undefined ? label : l.name.startsWith(label) ? l.name : `${label} ${l.name}`), name = l.of ? `${group}, ${l.of}` : group;
    const k = alone ? l.flow ?? (l.link === undefined && data.flows === 1 ? 0 : 6) : look(l.case), part = l.part ?? (alone ? 0 : l.flow ?? 0);
    const trace = {
      ...seen(l, room(l.panel)), name, yaxis: yaxis(l.panel), connectgaps: false, hovertemplate: value(l.panel, name), ...drawn(k, { dash: dash(k, part) }),
      legendgroup: group, showlegend: l.flow !== undefined && l.panel === 0,
    };
    traces.push(trace);
    if (data.panels[l.panel].mean) widths[l.panel] = trace.dx;
    if (l.lost) marks.push({ ...marked(l.lost, trace, pixels, { symbol: "x-thin", size: 8, line: { width: 1.6, color: colour(k) } }, "lost"), yaxis: yaxis(l.panel), legendgroup: group });
    const signs = l.panel === data.window && (l.flow === undefined || !split.size) && data.lines.find((m) => m.panel === data.marks && m.case === l.case && m.seed === seed && m.link === link);
    if (signs) marks.push({ ...marked(eventsOf(signs), trace, pixels, { symbol: "triangle-down-open", size: 7, color: colour(k), line: { width: 1.2, color: colour(k) } }, "marked"), yaxis: yaxis(l.panel), legendgroup: group });
  }
  traces.push(...marks);
  const named = new Set();
  for (const o of data.overlays) {
    const name = plain(o.name), first = !named.has(name);
    named.add(name);
    traces.push({
      x: o.x, y: o.y, name, yaxis: yaxis(o.panel), mode: "lines", legendgroup: `measured ${name}`, showlegend: first, hovertemplate: value(o.panel, `${name}, measured`),
      line: { width: 1.8, color: css("--ink"), dash: dashes[1 + (o.overlay % (dashes.length - 1))] },
    });
  }
  const entries = traces.filter((t) => t.legendgroup && t.showlegend).length, legend = entries > 0;
  const limits = data.limits.filter((l) => l.link === link && place.has(l.panel));

  // Each panel's axis is around what is shown of it, limits near by included.
  const ranges = new Map(panels.map(({ k, zero }) => {
    const all = traces.filter((t) => t.yaxis === yaxis(k)).map(extent);
    let low = Math.min(...all.map(([least]) => least)), high = Math.max(...all.map(([, most]) => most));
    if (!(low <= high)) [low, high] = [0, 1];
    for (const limit of limits) if (limit.panel === k && high > 0.3 * limit.at) high = Math.max(high, limit.at);
    if (zero) low = Math.min(low, 0);
    const room = (high - low || Math.abs(high) || 1) * 0.06;
    return [k, [low === 0 ? 0 : low - room, high + room]];
  }));
  const changes = data.changes.filter((c) => c.case === undefined || shown[c.case]);
  for (const { k } of panels) {
    const level = (ranges.get(k)[0] + ranges.get(k)[1]) / 2;
    if (changes.length) traces.push({
      x: changes.map((c) => c.at), y: changes.map(() => level), yaxis: yaxis(k), mode: "markers", marker: { opacity: 0, size: 1 }, showlegend: false,
      customdata: changes.map((c) => c.texts.map(plain).join("<br>")), hovertemplate: "%{customdata}<extra></extra>",
    });
  }
  const rows = panels.length, row = narrow() ? 150 : 170, meta = { legend: legend ? 10 + 20 * Math.ceil(entries / (narrow() ? 2 : 6)) : 0 }, margin = { l: 48, r: 14, t: 26, b: 44 + meta.legend };
  const height = rows * row + margin.t + margin.b, gap = 30 / (rows * row), tall = (1 - gap * (rows - 1)) / Math.max(1, rows);
  const axes = {}, annotations = [], shapes = [];
  panels.forEach((panel, n) => {
    const top = 1 - n * (tall + gap), aside = panel.mean && widths[panel.k] ? `mean over ${+widths[panel.k].toPrecision(3)} s` : panel.aside;
    const title = panel.title.replace("{}", data.links[link] ?? "the bottleneck") + (panel.unit ? `, ${panel.unit}` : "") + (aside ? ` (${aside})` : "");
    axes[n ? `yaxis${n + 1}` : "yaxis"] = axis({ domain: [Math.max(0, top - tall), top], range: ranges.get(panel.k), fixedrange: true, nticks: 5 });
    annotations.push(note(plain(title), { xref: "paper", x: 0, xanchor: "left", yref: "paper", y: top, yanchor: "bottom", font: { size: 12.5, color: css("--ink") } }));
    const near = (l) => l.at <= ranges.get(panel.k)[1], own = limits.filter((limit) => limit.panel === panel.k);
    for (const l of own.filter(near)) shapes.push(rule({ xref: "paper", x0: 0, x1: 1, yref: yaxis(l.panel), y0: l.at, y1: l.at }));
    const told = [...new Set(own.map((l) => (near(l) ? l.text : `↑ ${l.text}`)))].join(", ");
    if (told) annotations.push(note(told, { xref: "paper", x: 1, xanchor: "right", yref: "paper", y: top, yanchor: "bottom" }));
  });
  for (const c of changes) {
    shapes.push({ type: "line", layer: "below", yref: "paper", x0: c.at, x1: c.at, y0: 0, y1: 1, line: { width: 1, dash: "dot", color: c.case === undefined ? css("--soft") : colour(look(c.case)) } });
  }
  if (data.warmup > 0) {
    shapes.unshift({ type: "rect", layer: "below", yref: "paper", y0: 0, y1: 1, x0: 0, x1: data.warmup, fillcolor: css("--veil"), line: { width: 0 } });
    if (view[0] < data.warmup) annotations.push(note("warm-up", { x: Math.min(data.warmup, view[1]), xanchor: "right", xshift: -3, yref: "paper", y: 0, yanchor: "bottom" }));
  }
  Plotly.react("time", traces, layout({
    height, margin, meta, shapes, annotations, hovermode: "x unified", ...axes, showlegend: legend, legend: { orientation: "h", x: 0, y: -52 / (rows * row), yanchor: "top" },
    xaxis: axis({ title: { text: "Time, s", standoff: 6 }, range: view, anchor: yaxis(panels.at(-1)?.k), showspikes: true, spikemode: "across", spikesnap: "cursor", spikethickness: 1, spikedash: "dot", spikecolor: css("--soft") }),
  }), config(true));
  if (!box.watched) {
    box.watched = true;
    box.on("plotly_relayout", (change) => {
      if (!Object.keys(change).some((key) => key.startsWith("xaxis"))) return;
      const [from, to] = change["xaxis.autorange"] ? [0, data.end] : box.layout.xaxis.range;
      view = [Math.max(0, from), Math.min(data.end, to)];
      if (!(view[0] < view[1])) view = [0, data.end];
      time(box.shown);
    });
    box.on("plotly_doubleclick", () => { view = [0, data.end]; time(box.shown); });
  }
  box.shown = shown;
}
