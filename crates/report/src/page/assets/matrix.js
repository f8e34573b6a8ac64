// Pairs of controllers.

/// A value beyond the yardstick with its whole interval, which one seed has not, or starvation.
const beyond = (of, c, i, j) => (of.name === "starved" ? c.median[i][j] >= data.starved : c.yardstick !== null && c.low[i][j] !== null && c.low[i][j] > c.yardstick);

function matrix() {
  if (!data.matrix) return;
  const m = data.matrix, of = m.measures[+byId("measure").value] || m.measures[0], c = of.conditions[+byId("condition").value || 0];
  const all = m.controllers.map((_, i) => m.controllers.map((_, j) => [i, j])), each = (text) => all.map((row) => row.map(([i, j]) => text(i, j)));
  const starved = of.name === "starved", one = (i, j) => short(c.median[i][j]) + (beyond(of, c, i, j) ? "!" : ""), said = (i, j) => `${m.controllers[i]} beside ${m.controllers[j]}: ${short(c.median[i][j])}${unit(of.unit)}` + (c.low[i][j] === null || c.low[i][j] === c.high[i][j] ? "" : ` (${short(c.low[i][j])} to ${short(c.high[i][j])})`);
  const most = Math.max(1e-9, ...c.median.flat().filter((v) => v !== null)), top = starved ? Math.max(2 * data.starved, most) : of.name === "share" ? 100 : of.name === "goodput" ? most : 1;
  // A large share is good for the row, a large harm is bad for it.
  const scale = starved || of.name === "goodput" ? rising() : of.name === "share" ? fair().map(([at], k, list) => [at, list[list.length - 1 - k][1]]) : fair();
  const panel = { title: `${of.title}${of.unit ? `, ${of.unit}` : ""}: row beside column`, z: c.median, text: each((i, j) => (starved ? one(i, j) : `${one(i, j)} / ${one(j, i)}`)), hover: each((i, j) => plain(said(i, j)) + (starved || i === j ? "" : `<br>${plain(said(j, i))}`)) };
  heatMaps("pairs", [panel], m.controllers, m.controllers, "beside", [0, top], scale);
  byId("explained").textContent = of.summary + (starved ? "" : " Cells show the row / the column.") + (starved ? " ! marks starvation." : c.yardstick === null ? "" : ` ! marks harm whose whole interval exceeds the yardstick, that of CUBIC to NewReno here: ${short(c.yardstick)}.`);
}

function matrixChoices() {
  if (!data.matrix) return;
  byId("condition").replaceChildren(...data.matrix.conditions.map((text, k) => option(k, text)));
  byId("measure").replaceChildren(...data.matrix.measures.map((m, k) => option(k, m.title)));
  byId("condition").parentElement.hidden = data.matrix.conditions.length < 2;
  byId("condition").addEventListener("change", matrix);
  byId("measure").addEventListener("change", matrix);
  byId("measure").value = Math.max(0, data.matrix.measures.findIndex((m) => m.name === "harm_throughput"));
}
