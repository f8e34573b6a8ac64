// The metrics of a sweep over its axes.
const chosen = { x: null, y: null, facet: null, at: [] };
const sizes = () => data.axes.map((a) => a.labels.length);
const metric = () => data.metrics[+byId("metric").value] || data.metrics[0];
const axisTitle = (k) => (k === null ? "" : data.axes[k].name);
const labels = (k) => (k === null ? [""] : data.axes[k].labels);
const interval = (m, c) => (m.low[c] === null || m.low[c] === m.high[c] ? "" : ` (${short(m.low[c])} to ${short(m.high[c])})`);
const titled = (m, facet) => m.title + (m.unit ? `, ${m.unit}` : "") + (chosen.facet === null ? "" : ` · ${axisTitle(chosen.facet)} ${labels(chosen.facet)[facet]}`);

/// The cell at these places of the axes drawn, and at those chosen of the others.
function place(x, y, facet) {
  const at = chosen.at.slice();
  if (chosen.x !== null) at[chosen.x] = x;
  if (chosen.y !== null) at[chosen.y] = y;
  if (chosen.facet !== null) at[chosen.facet] = facet;
  return at.reduce((cell, place, k) => cell * data.axes[k].labels.length + place, 0);
}

/// The least scale of a unit: cells that differ by 0.1 s or 1 ms hardly differ. The numbers are ours.
const leastScale = { "%": 100, s: 5, ms: 10 };
/// How much the cells differ in a metric, beyond the spread over seeds: relative to the largest value, or to the least scale of its unit.
function difference(m) {
  const all = m.median.filter((v) => v !== null);
  if (all.length < 2) return 0;
  const spreads = m.low.map((low, c) => (low === null ? 0 : m.high[c] - low)), spread = spreads.reduce((a, b) => a + b, 0) / spreads.length;
  return (Math.max(...all) - Math.min(...all) - spread) / (Math.max(leastScale[m.unit] ?? 0, ...all.map(Math.abs)) || 1);
}

function heat() {
  const m = metric(), xs = labels(chosen.x), ys = labels(chosen.y), all = m.median.filter((v) => v !== null);
  const panels = labels(chosen.facet).map((_, f) => {
    const of = (get) => ys.map((_, y) => xs.map((_, x) => get(place(x, y, f))));
    return { title: titled(m, f), z: of((c) => m.median[c]), text: of((c) => short(m.median[c])), hover: of((c) => plain(`${short(m.median[c])}${unit(m.unit)}${interval(m, c)}`)) };
  });
  // Values that hardly differ do not get all colours.
  const low = Math.min(...all), high = Math.max(...all), least = 0.1 * Math.max(Math.abs(low), Math.abs(high)), room = Math.max(0, least - (high - low)) / 2;
  heatMaps("heat", panels, xs, ys, axisTitle(chosen.x), [low - room, high + room], rising());
}

/// Of labels at these pixels those that have room.
function roomy(pixels, texts) {
  let end = -Infinity;
  return texts.map((text, k) => k).filter((k) => {
    const half = texts[k].length * 3.7 + 3, fits = pixels[k] - half > end;
    if (fits) end = pixels[k] + half;
    return fits;
  });
}

function lines() {
  const m = metric(), a = chosen.x === null ? null : data.axes[chosen.x], xs = labels(chosen.x), ys = labels(chosen.y), facets = labels(chosen.facet);
  // Quantities are joined by lines; categories are not.
  const joined = a && a.numbers && a.numbers.length > 2, numbers = joined ? a.numbers : xs.map((_, k) => k);
  const columns = Math.min(facets.length, narrow() ? 1 : 3), rows = Math.ceil(facets.length / columns);
  const log = joined && numbers.every((v) => v > 0) && Math.max(...numbers) / Math.min(...numbers) >= 10, scaled = (v) => (log ? Math.log10(v) : v);
  const traces = [], axes = {}, annotations = [], row = narrow() ? 260 : 300, wide = byId("lines").clientWidth - 62;
  const longest = Math.max(...ys.map((y) => y.length)), entries = chosen.y === null ? 0 : Math.ceil(ys.length / Math.max(1, Math.floor(wide / (56 + 7.5 * longest))));
  const gapX = 0.06, each = (1 - gapX * (columns - 1)) / columns, level = joined ? xs.map((text) => [text]) : xs.map((text) => folded(text, 14));
  const ends = joined ? [Math.min(...numbers), Math.max(...numbers)].map(scaled) : [-0.5, xs.length - 0.5], room = joined ? (ends[1] - ends[0]) * 0.05 : 0, range = [ends[0] - room, ends[1] + room];
  const pixels = numbers.map((v) => ((scaled(v) - range[0]) / (range[1] - range[0])) * each * wide), fitting = roomy(pixels, level.map((l) => l.reduce((most, line) => (line.length > most.length ? line : most), "")));
  // Every category keeps its name, upright where there is no room beside its neighbours.
  const upright = !joined && fitting.length < xs.length, kept = upright ? xs.map((_, k) => k) : fitting, lines = upright ? xs.map((text) => [text]) : level;
  const deep = upright ? 6.8 * Math.max(...xs.map((text) => text.length)) - 12 : 16 * (Math.max(...lines.map((l) => l.length)) - 1);
  const gapY = (84 + deep) / (rows * row), tall = (1 - gapY * (rows - 1)) / rows;
  facets.forEach((_, f) => {
    const n = f ? f + 1 : "", col = f % columns, top = 1 - Math.floor(f / columns) * (tall + gapY);
    ys.forEach((label, y) => {
      const cells = xs.map((_, x) => place(x, y, f)), name = plain(label || m.title), at = joined ? numbers : numbers.map((v) => v + ((y - (ys.length - 1) / 2) * 0.7) / ys.length);
      const look = { xaxis: `x${n}`, yaxis: `y${n}`, name, legendgroup: name, marker: { size: 7, symbol: symbol(y), color: colour(y) } };
      if (joined && data.seeds > 1) {
        const there = cells.map((c, x) => [at[x], c]).filter(([, c]) => m.low[c] !== null);
        traces.push({ ...look, x: there.map(([x]) => x).concat(there.map(([x]) => x).reverse()), y: there.map(([, c]) => m.high[c]).concat(there.map(([, c]) => m.low[c]).reverse()), mode: "lines", line: { width: 0 }, fill: "toself", fillcolor: colour(y), opacity: 0.16, hoverinfo: "skip", showlegend: false });
      }
      const bars = { type: "data", symmetric: false, array: cells.map((c) => (m.high[c] ?? m.median[c]) - m.median[c]), arrayminus: cells.map((c) => m.median[c] - (m.low[c] ?? m.median[c])), thickness: 1.4, width: 3, color: colour(y) };
      traces.push({
        ...look, x: at, y: cells.map((c) => m.median[c]), mode: joined ? "lines+markers" : "markers", showlegend: f === 0 && chosen.y !== null, line: { width: 1.8, color: colour(y), dash: dash(y) }, ...(joined || data.seeds < 2 ? {} : { error_y: bars }),
        customdata: cells.map((c, x) => plain(`${xs[x]}: ${short(m.median[c])}${unit(m.unit)}${interval(m, c)}`)), hovertemplate: `%{customdata}<extra>${name}</extra>`,
      });
    });
    axes[`xaxis${n}`] = axis({ automargin: false, domain: [col * (each + gapX), Math.min(1, col * (each + gapX) + each)], anchor: `y${n}`, type: log ? "log" : "linear", range, title: { text: plain(axisTitle(chosen.x)), standoff: 6 }, tickangle: upright ? 90 : 0, tickvals: kept.map((k) => numbers[k]), ticktext: kept.map((k) => lines[k].map(plain).join("<br>")), showgrid: Boolean(joined) });
    axes[`yaxis${n}`] = axis({ domain: [Math.max(0, top - tall), top], anchor: `x${n}`, ...(f ? { matches: "y" } : {}) });
    annotations.push(note(plain(titled(m, f)), { xref: "paper", yref: "paper", x: col * (each + gapX), xanchor: "left", y: top, yanchor: "bottom", yshift: 3, font: font({ size: 13 }) }));
  });
  const bottom = 58 + deep + entries * 22;
  Plotly.react("lines", traces, layout({ height: rows * row + bottom + 28, margin: { l: 48, r: 14, t: 28, b: bottom }, meta: { legend: entries * 22 }, annotations, ...axes, showlegend: entries > 0, legend: { orientation: "h", x: 0, y: -(56 + deep) / (rows * row), yanchor: "top" } }), config(false));
}

/// Whose metrics the page offers, and which: those of the part chosen, the same one as before if it has that.
function metricChoices(at) {
  const before = data.metrics[at], part = byId("part").value === "" ? null : +byId("part").value, bare = (m) => (m.part === null ? m.title : m.title.slice(0, -` of ${data.parts[m.part]}`.length));
  const own = data.metrics.map((m, k) => k).filter((k) => data.metrics[k].part === part);
  byId("metric").replaceChildren(...own.map((k) => option(k, bare(data.metrics[k]))));
  byId("metric").value = own.find((k) => bare(data.metrics[k]) === bare(before)) ?? own[0];
}

function draw() {
  byId("meaning").textContent = metric().summary;
  matrix();
  heat();
  lines();
}

function choices() {
  const count = data.axes.length;
  for (const [key, box] of [["x", byId("x")], ["y", byId("y")], ["facet", byId("facet")]]) {
    box.replaceChildren(...(key === "x" && count ? [] : [option("", "none")]), ...data.axes.map((a, k) => option(k, a.name)));
    box.value = chosen[key] === null ? "" : chosen[key];
    box.parentElement.hidden = count < (key === "facet" ? 3 : 2);
  }
  byId("fixed").replaceChildren(...data.axes.map((a, k) => {
    const label = document.createElement("label"), box = document.createElement("select");
    if ([chosen.x, chosen.y, chosen.facet].includes(k) || a.labels.length < 2) { label.hidden = true; return label; }
    box.replaceChildren(...a.labels.map((text, place) => option(place, text)));
    box.value = chosen.at[k];
    box.addEventListener("change", () => { chosen.at[k] = +box.value; draw(); });
    label.append(a.name + " ", box);
    return label;
  }));
}

begin(() => {
  // Across goes what makes a line, else the axis with most values: two numbers make none.
  const size = sizes(), many = size.map((_, k) => k).filter((k) => size[k] > 1), joined = many.filter((k) => data.axes[k].numbers && size[k] > 2);
  chosen.at = size.map(() => 0);
  chosen.x = joined.at(-1) ?? many.toSorted((a, b) => size[a] - size[b]).at(-1) ?? (size.length ? 0 : null);
  let rest = many.filter((k) => k !== chosen.x);
  // A phone has more room down than across.
  if (narrow() && rest.length && !joined.length) {
    chosen.x = rest.at(-1);
    rest = many.filter((k) => k !== chosen.x);
  }
  chosen.y = rest.at(-1) ?? null;
  chosen.facet = rest.length > 1 && size[rest[0]] <= 6 ? rest[0] : null;
  const differences = data.metrics.map((m, k) => (k < data.main ? difference(m) : -1)), whose = data.parts.filter((_, p) => data.metrics.some((m) => m.part === p));
  byId("part").replaceChildren(option("", "all"), ...whose.map((name) => option(data.parts.indexOf(name), name)));
  byId("part").parentElement.hidden = whose.length < 2;
  metricChoices(differences.indexOf(Math.max(...differences)));
  byId("part").addEventListener("change", () => { metricChoices(+byId("metric").value); draw(); });
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
  matrixChoices();
  choices();
  draw();
}, draw);
