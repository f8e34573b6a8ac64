// Heat maps side by side.

/// The numbers of a colour given as #rrggbb.
const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

/// What is read best on a scale's colour at `share` of it: ink or paper, whichever is further from it in lightness.
function readable(scale, share) {
  const upper = Math.max(1, scale.findIndex(([at]) => at >= share)), [a, from] = scale[upper - 1], [b, to] = scale[upper];
  const part = (share - a) / (b - a || 1), start = rgb(from), mixed = rgb(to).map((c, k) => start[k] + (c - start[k]) * part);
  const light = (colour) => colour.map((c) => ((c / 255 + 0.055) / 1.055) ** 2.4).reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0);
  const contrast = (one, other) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  return contrast(light(mixed), light(rgb("#14171b"))) > contrast(light(mixed), 1) ? "#14171b" : "#ffffff";
}

/// Rising values, and values around one that is fair.
const rising = () => [[0, css("--heat-0")], [0.5, css("--heat-1")], [1, css("--heat-2")]];
const fair = () => [[0, css("--fair-0")], [0.5, css("--fair-1")], [1, css("--fair-2")]];

/// A heat map for each panel { title, z, text, hover }; all have the same axes and the same colours.
function heatMaps(id, panels, xs, ys, title, range, scale) {
  const most = narrow() ? 15 : 26, broken = (list, most) => list.map((text) => folded(text, most));
  const columns = Math.min(panels.length, narrow() ? 1 : xs.length > 6 ? 2 : 3), rows = Math.ceil(panels.length / columns);
  const down = broken(ys, most), longest = Math.max(...down.flat().map((line) => line.length));
  const wide = byId(id).clientWidth || 800, left = 18 + Math.min(narrow() ? 120 : 210, longest * 7.2), right = 70;
  const gapX = columns > 1 ? (left + 8) / (wide - left - right) : 0, each = (1 - gapX * (columns - 1)) / columns, width = (each * (wide - left - right)) / xs.length;
  const level = broken(xs, Math.max(5, width / 6.5)), upright = width < 6.5 * Math.max(...level.flat().map((line) => line.length));
  const across = upright ? xs.map((text) => [text]) : level, deep = upright ? 6.8 * Math.max(...xs.map((text) => text.length)) : 18 * Math.max(...level.map((lines) => lines.length));
  const top = 30, bottom = 42 + deep;
  const cell = Math.max(15 * Math.max(2, ...down.map((lines) => lines.length)), Math.min(46, 330 / ys.length)), tall = ys.length * cell;
  const inner = rows * tall + (rows - 1) * (top + bottom), height = inner + top + bottom;
  const crowded = width < 7 * Math.max(...panels.flatMap((panel) => panel.text.flat().map((text) => text.length)));
  const traces = [], axes = {}, annotations = [], places = (list) => list.map((_, k) => k);
  panels.forEach((panel, k) => {
    const col = k % columns, row = Math.floor(k / columns), n = k ? k + 1 : "", x0 = col * (each + gapX), y1 = 1 - (row * (tall + top + bottom)) / inner;
    traces.push({
      type: "heatmap", z: panel.z, x: places(xs), y: places(ys), xaxis: `x${n}`, yaxis: `y${n}`, xgap: 2, ygap: 2, zmin: range[0], zmax: range[1], colorscale: scale,
      showscale: k === 0, colorbar: { thickness: 12, outlinewidth: 0, len: Math.min(1, 300 / inner), nticks: inner < 120 ? 2 : 6, y: 1, yanchor: "top", tickfont: font({ size: 11.5 }) },
      customdata: panel.hover, hovertemplate: "%{customdata}<extra></extra>",
    });
    if (!crowded) {
      const cells = panel.z.flatMap((line, y) => line.map((z, x) => ({ x, y, z, text: panel.text[y][x] }))).filter((c) => c.z !== null);
      traces.push({
        type: "scatter", mode: "text", x: cells.map((c) => c.x), y: cells.map((c) => c.y), text: cells.map((c) => c.text), xaxis: `x${n}`, yaxis: `y${n}`, hoverinfo: "skip", showlegend: false,
        textfont: { size: 12, color: cells.map((c) => readable(scale, Math.max(0, Math.min(1, (c.z - range[0]) / (range[1] - range[0] || 1))))) },
      });
    }
    const shown = (lists) => lists.map((lines) => lines.map(plain).join("<br>"));
    axes[`xaxis${n}`] = axis({ automargin: false, tickangle: upright ? 90 : 0, domain: [x0, Math.min(1, x0 + each)], anchor: `y${n}`, range: [-0.5, xs.length - 0.5], tickvals: places(xs), ticktext: shown(across), title: { text: plain(title), standoff: 8 }, showgrid: false });
    axes[`yaxis${n}`] = axis({ automargin: false, domain: [Math.max(0, y1 - tall / inner), y1], anchor: `x${n}`, range: [ys.length - 0.5, -0.5], tickvals: places(ys), ticktext: shown(down), showgrid: false });
    annotations.push(note(plain(panel.title), { xref: "paper", yref: "paper", x: x0, xanchor: "left", y: y1, yanchor: "bottom", yshift: 4, font: font({ size: 13 }) }));
  });
  Plotly.react(id, traces, layout({ height, margin: { l: left, r: right, t: top, b: bottom }, annotations, ...axes }), config(false));
}
