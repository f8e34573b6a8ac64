// Figures of the model (crates/figure), drawn with the plotting library. Several figures are panels of one plot.

/// Kind of a scale, and its labels or settings.
const scaleOf = (axis) => (typeof axis.scale === "string" ? [axis.scale, null] : Object.entries(axis.scale)[0]);
/// The unit at the end of an axis title: "Round trip, ms".
const unitOf = (axis) => unit(/, (\S{1,9})$/.exec(axis.title)?.[1]);
const across = (points) => (Array.isArray(points.x) ? points.x : points.y.map((_, k) => points.x.from + k * points.x.step));
const defined = (values) => values.filter((v) => v !== null);
const lined = (text) => plain(text).replaceAll("\n", "<br>");
/// Lines with more points have a marker at some of them only.
const MARKED = 24;

/// All places and all values of a figure's series.
function extents({ content: { curves: { series } } }) {
  const ends = series.flatMap((s) => [...(s.ranges ?? []), ...(s.middle ? [[s.middle[0], s.middle[1], s.middle[1]]] : [])]);
  return [defined(series.flatMap((s) => across(s.points))).concat(ends.map(([x]) => x)), defined(series.flatMap((s) => s.points.y)).concat(ends.flatMap(([, low, high]) => [low, high]))];
}

/// Labels at these pixels that have room.
function roomy(pixels, texts) {
  let end = -Infinity;
  return texts.map((_, k) => k).filter((k) => {
    const half = texts[k].length * 3.7 + 3, fits = pixels[k] - half > end;
    if (fits) end = pixels[k] + half;
    return fits;
  });
}

/// The plotting library's axis for an axis over `values`, `pixels` long, and the height of its labels beyond one line.
function placedAxis(own, values, pixels, horizontal) {
  const [kind, detail] = scaleOf(own), ends = values.length ? [Math.min(...values), Math.max(...values)] : [1, 10];
  if (kind === "named") {
    const level = detail.map((text) => folded(text, 14)), longest = (lines) => Math.max(...lines.map((line) => line.length));
    const upright = horizontal && roomy(detail.map((_, k) => ((k + 0.5) * pixels) / detail.length), level.map((lines) => "x".repeat(longest(lines)))).length < detail.length;
    const deep = upright ? 6.8 * longest(detail) - 12 : 16 * (Math.max(...level.map((lines) => lines.length)) - 1);
    return [{ range: [-0.5, detail.length - 0.5], tickvals: detail.map((_, k) => k), ticktext: upright ? detail.map(plain) : level.map((lines) => lines.map(plain).join("<br>")), tickangle: upright ? 90 : 0, showgrid: false }, horizontal ? deep : 0];
  }
  if (kind === "log") {
    const [low, high] = ends.map((v) => Math.log10(v)), room = Math.max(high - low, 0.1) * 0.05, range = [low - room, high + room];
    const labels = detail.filter(([v]) => Math.log10(v) >= range[0] && Math.log10(v) <= range[1]), at = labels.map(([v]) => ((Math.log10(v) - range[0]) / (range[1] - range[0])) * pixels);
    const kept = horizontal ? roomy(at, labels.map(([, text]) => text)) : labels.map((_, k) => k).filter((k) => k % Math.ceil((labels.length * 22) / pixels) === 0);
    return [{ type: "log", range, tickvals: kept.map((k) => labels[k][0]), ticktext: kept.map((k) => plain(labels[k][1])) }, 0];
  }
  return [kind === "backwards" ? { autorange: "reversed" } : detail.zero ? { rangemode: "tozero" } : {}, 0];
}

/// The traces of a series: its intervals, its points, the middle of them.
function tracesOf(own, figure, places) {
  const { x, y } = figure, at = across(own.points), [kind, detail] = scaleOf(x), lone = figure.content.curves.series.length === 1, names = kind === "named" ? new Map(detail.map((text, k) => [k, text])) : new Map(kind === "log" ? detail : []);
  const name = plain(own.name || y.title), ranges = new Map((own.ranges ?? []).map(([place, ...ends]) => [place, ends])), look = drawn(own.colour, { dash: dash(own.colour, own.dash) });
  const common = { ...places, name, legendgroup: name }, traces = [], note = own.note ? `<br>${plain(own.note)}` : "", paper = css("--paper");
  if (own.joined && ranges.size) {
    const there = [...ranges].sort(([a], [b]) => a - b), back = there.slice().reverse();
    traces.push({ ...common, x: [...there, ...back].map(([place]) => place), y: [...there.map(([, [, high]]) => high), ...back.map(([, [low]]) => low)], mode: "lines", line: { width: 0 }, fill: "toself", fillcolor: colour(own.colour), opacity: 0.16, hoverinfo: "skip", showlegend: false });
  }
  const said = (k) => {
    const place = at[k], value = own.points.y[k], [low, high] = ranges.get(place) ?? [value, value];
    return `${plain(names.get(place) ?? names.get(Math.round(place)) ?? short(place) + unitOf(x))}: ${short(value)}${unitOf(y)}${low === high ? "" : ` (${short(low)} to ${short(high)})`}`;
  };
  const texts = own.texts?.map(lined) ?? (names.size || ranges.size ? at.map((_, k) => said(k)) : null);
  const bars = (k, end) => (ranges.has(at[k]) ? (ranges.get(at[k])[end] - own.points.y[k]) * (end ? 1 : -1) : 0);
  const lonely = own.middle && at.length < 2;
  if (!lonely) traces.push({
    ...common, x: at, y: own.points.y, line: look.line, connectgaps: Boolean(names.size), mode: !own.joined ? "markers" : at.length === 2 || (lone && at.length > MARKED) ? "lines" : look.mode, showlegend: Boolean(own.name) && !own.middle,
    marker: { ...look.marker, maxdisplayed: at.length > MARKED && own.joined ? 9 : 0, ...(own.joined || at.length <= MARKED ? {} : { opacity: 0.75, line: { width: 1, color: paper } }) },
    ...(!own.joined && ranges.size ? { error_y: { type: "data", symmetric: false, array: at.map((_, k) => bars(k, 1)), arrayminus: at.map((_, k) => bars(k, 0)), thickness: 1.4, width: 3, color: colour(own.colour) } } : {}),
    ...(texts ? { customdata: texts, hovertemplate: `%{customdata}${note}<extra>${own.texts ? "" : name}</extra>` } : { hovertemplate: `%{x:.4~g}${unitOf(x)}: %{y:.4~g}${unitOf(y)}${note}<extra>${name}</extra>` }),
  });
  if (own.middle) traces.unshift({ ...common, x: [own.middle[0]], y: [own.middle[1]], mode: "markers", opacity: 0.75, marker: { ...look.marker, size: 16, line: { width: 1, color: paper } }, showlegend: false, customdata: texts?.slice(-1), hovertemplate: "%{customdata}<extra></extra>" });
  if (own.crosses?.length) traces.push({ ...common, x: own.crosses.map(([place]) => place), y: own.crosses.map(([, value]) => value), mode: "markers", marker: { symbol: "x-thin", size: 8, line: { width: 1.6, color: colour(own.colour) } }, hoverinfo: "skip", showlegend: false });
  return traces;
}

/// Ends of an axis around values. Limits near by are included; limits further out stand at the edge.
function reach(values, limits) {
  if (!values.length) return [0, 1];
  const low = Math.min(...values), high = Math.max(...values), room = Math.max((high - low) * 0.18, high * 0.015, 1e-9), near = Math.max(high, ...limits.filter((at) => at <= high + 3 * room));
  return [Math.max(0, low - room), near + room];
}

/// Places for labels beside marks, nearest first: none touches another, a mark or the edge. Boxes are { x, y, w, h } around a middle, in
/// pixels; `null` where there is no place.
function placed(marks, sizes, wide, tall) {
  const hit = (a, b) => Math.abs(a.x - b.x) * 2 < a.w + b.w && Math.abs(a.y - b.y) * 2 < a.h + b.h;
  const taken = marks.map((m) => ({ ...m, w: 18, h: 18 }));
  return marks.slice(0, sizes.length).map((mark, k) => {
    const { w, h } = sizes[k];
    for (const away of [18, 34, 52, 72, 96]) {
      for (const [dx, dy] of [[0, -1], [0, 1], [1, 0], [-1, 0], [1, -1], [-1, -1], [1, 1], [-1, 1]]) {
        const box = { x: mark.x + dx * (away - 6 + w / 2), y: mark.y + dy * away, w, h };
        const inside = box.x - w / 2 > 0 && box.x + w / 2 < wide && box.y - h / 2 > 0 && box.y + h / 2 < tall;
        if (inside && !taken.some((other) => hit(box, other))) {
          taken.push(box);
          return { ...box, away };
        }
      }
    }
    return null;
  });
}

/// Limits and labels of marks of a figure with middles, which has the plot for itself. The axes stay where all series are, shown or not.
function marksOf(figure, shown, wide, tall) {
  const { series, rules } = figure.content.curves, [xs, ys] = extents(figure), at = (vertical) => rules.filter((r) => r.vertical === vertical).map((r) => r.at);
  const [low, high] = reach(xs, at(true)), [bottom, top] = reach(ys, at(false)), backwards = scaleOf(figure.x)[0] === "backwards";
  const px = (x) => ((backwards ? high - x : x - low) / (high - low)) * wide, py = (y) => ((top - y) / (top - bottom)) * tall;
  const shapes = [], annotations = [], soft = { font: { size: 11.5, color: css("--soft") } }, foot = [];
  for (const { vertical, at, text } of rules) {
    const inside = vertical ? at > low && at < high : at > bottom && at < top, right = vertical && px(at) > wide / 2;
    if (inside) shapes.push(rule(vertical ? { x0: at, x1: at, yref: "paper", y0: 0, y1: 1 } : { xref: "paper", x0: 0, x1: 1, y0: at, y1: at }));
    if (inside && vertical) foot.push({ x: px(at), y: tall - 8 });
    if (!vertical) annotations.push(note(inside ? plain(text) : `↑ ${plain(text)}`, { ...soft, xref: "paper", x: 0, xanchor: "left", ...(inside ? { y: at } : { yref: "paper", y: 1 }), yanchor: "bottom" }));
    else annotations.push(note(inside ? plain(text) : right ? `${plain(text)} →` : `← ${plain(text)}`, { ...soft, ...(inside ? { x: at } : { xref: "paper", x: right ? 1 : 0 }), xanchor: right ? "right" : "left", yref: "paper", y: 0, yanchor: "bottom" }));
  }
  const own = series.filter((s) => shown(s) && s.middle), place = ([x, y]) => ({ x: px(x), y: py(y) });
  const points = own.flatMap((s) => (s.points.y.length > 1 ? across(s.points).map((x, k) => place([x, s.points.y[k]])) : []));
  const labels = placed(own.map((s) => place(s.middle)).concat(points, foot), own.map((s) => ({ w: s.name.length * 7.4 + 6, h: 16 })), wide, tall);
  own.forEach((s, k) => {
    const label = labels[k], mark = place(s.middle);
    if (label) annotations.push({ text: plain(s.name), x: s.middle[0], y: s.middle[1], ax: label.x - mark.x, ay: label.y - mark.y, showarrow: true, arrowhead: 0, arrowwidth: 1, standoff: 9, arrowcolor: label.away > 18 ? css("--soft") : "rgba(0,0,0,0)", font: { size: 12.5, color: colour(s.colour) } });
  });
  return { shapes, annotations, x: { range: backwards ? [high, low] : [low, high] }, y: { range: [bottom, top] } };
}

/// Curves in panels of `height` pixels. One column of several panels shares the horizontal axis. `headed`: titles stand above panels; `same`: panels have the same vertical axis.
function curves(box, figures, { columns = 1, height = 230, shown = () => true, legend = true, headed = false, same = false, zoom = false }) {
  const cols = Math.min(columns, figures.length), rows = Math.ceil(figures.length / cols), stacked = cols === 1 && rows > 1, [head] = figures;
  const margin = { l: 60, r: 14, t: zoom || (headed && figures.some((f) => f.title)) ? 28 : 14, b: 52 }, wide = (box.clientWidth || 560) - margin.l - margin.r, gapX = 0.06, each = (1 - gapX * (cols - 1)) / cols;
  const named = [...new Set(figures.flatMap((f) => f.content.curves.series).filter((s) => s.name && !s.middle && shown(s)).map((s) => s.name))], explained = legend && named.length > 1;
  const entries = explained ? Math.ceil(named.length / Math.max(1, Math.floor(wide / (56 + 7.5 * Math.max(...named.map((n) => n.length)))))) : 0;
  const [, deep] = placedAxis(head.x, extents(head)[0], each * wide, true), inner = rows * height, gapY = rows < 2 ? 0 : (stacked ? 48 : 84 + deep) / inner, tall = (1 - gapY * (rows - 1)) / rows;
  const traces = [], axes = {}, annotations = [], shapes = [], seen = new Set(), title = (text, more) => ({ title: { text: plain(text), standoff: 8, font: font({ size: 12 }) }, ...more });
  figures.forEach((figure, f) => {
    const n = f ? f + 1 : "", col = f % cols, top = 1 - Math.floor(f / cols) * (tall + gapY), x = stacked ? "x" : `x${n}`, [xs, ys] = extents(figure);
    for (const own of figure.content.curves.series.filter(shown)) for (const trace of tracesOf(own, figure, { xaxis: x, yaxis: `y${n}` })) {
      traces.push({ ...trace, showlegend: explained && trace.showlegend && !seen.has(trace.name) });
      if (trace.showlegend) seen.add(trace.name);
    }
    const labelled = figure.content.curves.series.some((s) => s.middle) ? marksOf(figure, shown, wide, inner) : null;
    if (labelled) { annotations.push(...labelled.annotations); shapes.push(...labelled.shapes); }
    if (!stacked || f === 0) axes[`xaxis${n}`] = axis(title(figure.x.title, { ...placedAxis(figure.x, xs, each * wide, true)[0], ...labelled?.x, domain: [col * (each + gapX), Math.min(1, col * (each + gapX) + each)], anchor: stacked ? `y${rows}` : `y${n}` }));
    const above = headed && figure.title, bare = stacked || col > 0 || (above && figure.title === figure.y.title);
    axes[`yaxis${n}`] = axis(title(bare ? "" : figure.y.title, { ...placedAxis(figure.y, ys, tall * inner, false)[0], ...labelled?.y, domain: [Math.max(0, top - tall), top], anchor: x, ...(same && f ? { matches: "y" } : {}) }));
    if (above) annotations.push(note(plain(figure.title), { xref: "paper", yref: "paper", x: col * (each + gapX), xanchor: "left", y: top, yanchor: "bottom", yshift: 3, font: font({ size: 13 }) }));
  });
  // One title for the vertical axes of all panels, along all of them.
  if (stacked) annotations.push(note(plain(head.y.title), { textangle: -90, xref: "paper", yref: "paper", x: 0, xanchor: "right", xshift: -40, y: 0.5, yanchor: "middle", font: font({ size: 12 }) }));
  margin.b += deep + entries * 21;
  Plotly.react(box, traces, layout({ height: inner + margin.t + margin.b, margin, meta: { legend: entries * 21 }, annotations, shapes, ...axes, showlegend: explained, legend: { orientation: "h", x: 0, y: -(46 + deep) / inner, yanchor: "top", font: font({ size: 12 }) } }), config(zoom));
}

/// The numbers of a colour given as #rrggbb.
const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

/// Ink or paper on a scale's colour at `share` of it: whichever is further from it in lightness.
function readable(scale, share) {
  const upper = Math.max(1, scale.findIndex(([at]) => at >= share)), [a, from] = scale[upper - 1], [b, to] = scale[upper];
  const part = (share - a) / (b - a || 1), start = rgb(from), mixed = rgb(to).map((c, k) => start[k] + (c - start[k]) * part);
  const light = (colour) => colour.map((c) => ((c / 255 + 0.055) / 1.055) ** 2.4).reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0);
  const contrast = (one, other) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  return contrast(light(mixed), light(rgb("#14171b"))) > contrast(light(mixed), 1) ? "#14171b" : "#ffffff";
}

/// Heat maps beside each other; all have the axes and the colours of the first.
function heats(box, figures) {
  const [{ x: { title, scale: { named: xs } }, y: { scale: { named: ys } }, content: { heat: { range, ramp } } }] = figures;
  const turned = range[0] > range[1], [least, most] = turned ? [range[1], range[0]] : range, name = ramp === "rising" ? "heat" : "fair";
  const scale = [0, 1, 2].map((k) => [k / 2, css(`--${name}-${turned ? 2 - k : k}`)]);
  const chars = narrow() ? 15 : 26, broken = (list, most) => list.map((text) => folded(text, most));
  const columns = Math.min(figures.length, narrow() ? 1 : xs.length > 6 ? 2 : 3), rows = Math.ceil(figures.length / columns);
  const down = broken(ys, chars), longest = Math.max(...down.flat().map((line) => line.length));
  const wide = box.clientWidth || 800, left = 18 + Math.min(narrow() ? 120 : 210, longest * 7.2), right = 70;
  const gapX = columns > 1 ? (left + 8) / (wide - left - right) : 0, each = (1 - gapX * (columns - 1)) / columns, width = (each * (wide - left - right)) / xs.length;
  const level = broken(xs, Math.max(5, width / 6.5)), upright = width < 6.5 * Math.max(...level.flat().map((line) => line.length));
  const below = upright ? xs.map((text) => [text]) : level, deep = upright ? 6.8 * Math.max(...xs.map((text) => text.length)) : 18 * Math.max(...level.map((lines) => lines.length));
  const top = 30, bottom = 42 + deep;
  const cell = Math.max(15 * Math.max(2, ...down.map((lines) => lines.length)), Math.min(46, 330 / ys.length)), tall = ys.length * cell;
  const inner = rows * tall + (rows - 1) * (top + bottom), height = inner + top + bottom;
  const texts = figures.flatMap((figure) => figure.content.heat.cells.flat().map((own) => own?.[1] ?? "")), crowded = width < 7 * Math.max(...texts.map((text) => text.length));
  const traces = [], axes = {}, annotations = [], places = (list) => list.map((_, k) => k);
  figures.forEach((figure, k) => {
    const col = k % columns, row = Math.floor(k / columns), n = k ? k + 1 : "", x0 = col * (each + gapX), y1 = 1 - (row * (tall + top + bottom)) / inner, heat = figure.content.heat;
    traces.push({
      type: "heatmap", z: heat.cells.map((line) => line.map((own) => own?.[0] ?? null)), x: places(xs), y: places(ys), xaxis: `x${n}`, yaxis: `y${n}`, xgap: 2, ygap: 2, zmin: least, zmax: most, colorscale: scale,
      showscale: k === 0, colorbar: { thickness: 12, outlinewidth: 0, len: Math.min(1, 300 / inner), nticks: inner < 120 ? 2 : 6, y: 1, yanchor: "top", tickfont: font({ size: 11.5 }) },
      customdata: (heat.texts ?? heat.cells.map((line) => line.map((own) => own?.[1] ?? ""))).map((line) => line.map(lined)), hovertemplate: "%{customdata}<extra></extra>",
    });
    if (!crowded) {
      const cells = heat.cells.flatMap((line, y) => line.map((own, x) => ({ x, y, own }))).filter((c) => c.own);
      traces.push({
        type: "scatter", mode: "text", x: cells.map((c) => c.x), y: cells.map((c) => c.y), text: cells.map((c) => c.own[1]), xaxis: `x${n}`, yaxis: `y${n}`, hoverinfo: "skip", showlegend: false,
        textfont: { size: 12, color: cells.map((c) => readable(scale, Math.max(0, Math.min(1, (c.own[0] - least) / (most - least || 1))))) },
      });
    }
    const shown = (lists) => lists.map((lines) => lines.map(plain).join("<br>"));
    axes[`xaxis${n}`] = axis({ automargin: false, tickangle: upright ? 90 : 0, domain: [x0, Math.min(1, x0 + each)], anchor: `y${n}`, range: [-0.5, xs.length - 0.5], tickvals: places(xs), ticktext: shown(below), title: { text: plain(title), standoff: 8, font: font({ size: 12 }) }, showgrid: false });
    axes[`yaxis${n}`] = axis({ automargin: false, domain: [Math.max(0, y1 - tall / inner), y1], anchor: `x${n}`, range: [ys.length - 0.5, -0.5], tickvals: places(ys), ticktext: shown(down), showgrid: false });
    annotations.push(note(plain(figure.title), { xref: "paper", yref: "paper", x: x0, xanchor: "left", y: y1, yanchor: "bottom", yshift: 4, font: font({ size: 13 }) }));
  });
  Plotly.react(box, traces, layout({ height, margin: { l: left, r: right, t: top, b: bottom }, annotations, ...axes }), config(false));
}

/// Draws figures of one kind as panels of one plot.
const drawFigures = (box, figures, options = {}) => (figures[0].content.heat ? heats(box, figures) : curves(box, figures, options));
