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
  const m = metric(), named = { x: { title: axisTitle(chosen.x), scale: { named: labels(chosen.x) } }, y: { title: "", scale: { named: labels(chosen.y) } } }, all = m.median.filter((v) => v !== null);
  // Values that hardly differ do not get all colours.
  const low = Math.min(...all), high = Math.max(...all), least = 0.1 * Math.max(Math.abs(low), Math.abs(high)), room = Math.max(0, least - (high - low)) / 2;
  const figures = labels(chosen.facet).map((_, f) => {
    const of = (get) => labels(chosen.y).map((_, y) => labels(chosen.x).map((_, x) => get(place(x, y, f))));
    const cells = of((c) => (m.median[c] === null ? null : [m.median[c], short(m.median[c])]));
    return { title: titled(m, f), ...named, content: { heat: { cells, texts: of((c) => `${short(m.median[c])}${unit(m.unit)}${interval(m, c)}`), range: [low - room, high + room], ramp: "rising" } } };
  });
  drawFigures(byId("heat"), figures);
}

function lines() {
  const m = metric(), a = chosen.x === null ? null : data.axes[chosen.x], xs = labels(chosen.x), ys = labels(chosen.y), facets = labels(chosen.facet);
  // Quantities are joined by lines; categories are not, and dots of different colours stand beside each other.
  const joined = Boolean(a && a.numbers && a.numbers.length > 2), log = joined && a.numbers.every((v) => v > 0) && Math.max(...a.numbers) / Math.min(...a.numbers) >= 10;
  const at = (x, y) => (joined ? a.numbers[x] : x + ((y - (ys.length - 1) / 2) * 0.7) / ys.length), whole = m.title + (m.unit ? `, ${m.unit}` : "");
  const scale = log ? { log: xs.map((text, k) => [a.numbers[k], text]) } : joined ? { linear: { zero: false } } : { named: xs };
  const series = (f) => ys.map((name, y) => {
    const cells = xs.map((_, x) => place(x, y, f)), here = xs.map((_, x) => at(x, y)), ranges = here.map((x, k) => [x, m.low[cells[k]], m.high[cells[k]]]).filter(([, low]) => low !== null);
    return { name, colour: y, points: { x: here, y: cells.map((c) => m.median[c]) }, joined, ranges };
  });
  const figures = facets.map((_, f) => ({ title: titled(m, f), x: { title: axisTitle(chosen.x) + (joined && !log && a.unit ? `, ${a.unit}` : ""), scale }, y: { title: whole, scale: { linear: { zero: false } } }, content: { curves: { series: series(f), rules: [] } } }));
  drawFigures(byId("lines"), figures, { columns: narrow() ? 1 : 3, height: narrow() ? 260 : 300, headed: true, same: true });
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
  // Without an axis down, a heat map of one row would repeat the lines.
  const alone = chosen.y === null;
  byId("heat").hidden = byId("again").hidden = alone;
  if (!alone) heat();
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
