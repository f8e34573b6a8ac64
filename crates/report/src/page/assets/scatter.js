// Goodput against delay.

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

function scatter(shown) {
  if (byId("scatter").closest("section").hidden) return;
  const s = data.scatter, q = +byId("quantile").value, on = (p) => shown[p.case], points = s.points.filter(on), medians = s.medians.filter(on);
  const single = s.points.length === s.medians.length, named = q ? "p95" : "p50";
  const text = (p) => plain(data.cases[p.case]) + (p.seed === undefined ? "" : `, seed ${p.seed}`);
  const marks = (list, size, more) => ({
    x: list.map((p) => p.x[q]), y: list.map((p) => p.y), type: "scatter", mode: "markers", customdata: list.map(text), hovertemplate: `%{customdata}<br>%{y:.4~g} Mbit/s, ${named} %{x:.4~g} ms<extra></extra>`,
    marker: { size, color: list.map((p) => colour(look(p.case))), symbol: list.map((p) => symbol(look(p.case))), line: { width: 1, color: css("--paper") } }, ...more,
  });
  const traces = [marks(medians, 16, { opacity: 0.75 }), marks(single ? [] : points, 7)];

  // The axes are around what was measured; limits further out stand at the edge.
  const reach = (values, most) => {
    const low = Math.min(...values), high = Math.max(...values), room = Math.max((high - low) * 0.18, high * 0.015, 1e-9);
    return [Math.max(0, low - room), most === null || most > high + 3 * room ? high + room : Math.max(high, most) + room];
  };
  const within = data.groups ? points : s.points;
  const [low, high] = reach(within.map((p) => p.x[q]), s.full), [bottom, top] = reach(within.map((p) => p.y), s.capacity);
  const margin = { l: 58, r: 20, t: 30, b: 48 }, height = narrow() ? 340 : 430;
  const wide = byId("scatter").clientWidth - margin.l - margin.r, tall = height - margin.t - margin.b;
  const px = (x) => ((high - x) / (high - low)) * wide, py = (y) => ((top - y) / (top - bottom)) * tall;
  const shapes = [], annotations = [], edge = { font: { size: 11.5, color: css("--soft") } };
  if (s.capacity !== null) {
    const inside = s.capacity < top && s.capacity > bottom, said = `capacity ${short(s.capacity)} Mbit/s`;
    if (inside) shapes.push(rule({ xref: "paper", x0: 0, x1: 1, y0: s.capacity, y1: s.capacity }));
    annotations.push(note(inside ? said : `↑ ${said}`, { ...edge, xref: "paper", x: 0, xanchor: "left", ...(inside ? { y: s.capacity, yanchor: "bottom" } : { yref: "paper", y: 1, yanchor: "bottom" }) }));
  }
  for (const [x, name] of [[s.base, "empty queue"], [s.full, "full buffer"]]) {
    if (x === null) continue;
    const said = `${name} ${short(x)} ms`;
    if (x > low && x < high) {
      shapes.push(rule({ x0: x, x1: x, yref: "paper", y0: 0, y1: 1 }));
      annotations.push(note(said, { ...edge, x, xanchor: px(x) > wide / 2 ? "right" : "left", yref: "paper", y: 0, yanchor: "bottom" }));
    } else annotations.push(note(x <= low ? `${said} →` : `← ${said}`, { ...edge, xref: "paper", x: x <= low ? 1 : 0, xanchor: x <= low ? "right" : "left", yref: "paper", y: 0, yanchor: "bottom" }));
  }
  const at = (p) => ({ x: px(p.x[q]), y: py(p.y) }), limits = [s.base, s.full].filter((x) => x !== null && x > low && x < high).map((x) => ({ x: px(x), y: tall - 8 }));
  const places = placed(medians.map(at).concat(single ? [] : points.map(at), limits), medians.map((p) => ({ w: data.cases[p.case].length * 7.4 + 6, h: 16 })), wide, tall);
  medians.forEach((p, k) => {
    const place = places[k], own = at(p);
    if (!place) return;
    annotations.push({ text: plain(data.cases[p.case]), x: p.x[q], y: p.y, ax: place.x - own.x, ay: place.y - own.y, showarrow: true, arrowhead: 0, arrowwidth: 1, standoff: 9, arrowcolor: place.away > 18 ? css("--soft") : "rgba(0,0,0,0)", font: { size: 12.5, color: colour(look(p.case)) } });
  });
  Plotly.react("scatter", traces, layout({
    height, margin, shapes, annotations,
    xaxis: axis({ title: { text: `RTT, ${q ? "95th percentile" : "median"}, ms` }, range: [high, low] }), yaxis: axis({ title: { text: "Goodput, Mbit/s" }, range: [bottom, top] }),
  }), config(true));
}
