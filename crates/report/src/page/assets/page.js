// What a reader chooses, and drawing after it.
const shown = [];

/// A figure of the chosen group, each of which begins with the first colour.
function ofGroup(figure) {
  const group = data.groups?.[+byId("group").value], own = (s) => s.case >= group.first && s.case < group.first + group.cases;
  if (!group) return figure;
  const series = figure.content.curves.series.filter(own).map((s) => ({ ...s, colour: s.colour - group.first }));
  return { ...figure, content: { curves: { ...figure.content.curves, series } } };
}

/// Draws a figure of whole runs, without the cases that are switched off.
function whole(id, figure, options) {
  drawFigures(byId(id), [ofGroup(figure)], { zoom: true, height: 270, legend: false, shown: (s) => shown[s.case], ...options });
}

function scatter() {
  if (!byId("scatter").closest("section").hidden) whole("scatter", data.scatter[+byId("quantile").value], { height: narrow() ? 270 : 370 });
}

function transfers() {
  if (!data.completion.length) return;
  byId("slowdown").hidden = !data.slowdown;
  if (data.slowdown) whole("slowdown", data.slowdown, { legend: true });
  const each = byId("sizes").value === "each";
  whole("completion", data.completion[+each], { legend: each });
}

function draw() {
  document.querySelectorAll("tr[data-case]").forEach((row) => row.classList.toggle("off", !shown[row.dataset.case]));
  scatter();
  time(shown);
  transfers();
  data.distributions.forEach((figure, k) => whole(`cdf${k}`, figure));
}

/// Shows the cases of one group, over the time of its runs.
function choose(group) {
  const { first, cases, end } = data.groups[group];
  document.querySelectorAll("#cases input").forEach((box) => {
    const k = +box.dataset.case, own = k >= first && k < first + cases;
    shown[k] = box.checked = own;
    box.parentElement.hidden = !own;
  });
  [data.end, view] = [end, null];
}

begin(() => {
  const alone = data.cases.length === 1, overTime = () => time(shown);
  shown.push(...data.cases.map(() => true));
  legendOf = () => data.cases.map((name, k) => ({ x: [null], y: [null], type: "scatter", name: plain(name), showlegend: true, ...drawn(look(k), { dash: dash(look(k)) }) })).filter((_, k) => shown[k] && !alone);
  if (data.groups) {
    choose(0);
    byId("group").addEventListener("change", () => { choose(+byId("group").value); draw(); });
  }
  document.querySelectorAll("#cases input").forEach((box) => box.addEventListener("change", () => {
    shown[box.dataset.case] = box.checked;
    draw();
  }));
  for (const id of ["link", "seed", "flows"]) byId(id).addEventListener("change", overTime);
  byId("sizes").addEventListener("change", transfers);
  byId("quantile").addEventListener("change", scatter);
  byId("flows").value = offer() && (alone || data.apart) ? "each" : "";
  byId("sizes").value = alone ? "each" : "";
  byId("scatter").closest("section").hidden = data.scatter[0].content.curves.series.reduce((count, s) => count + s.points.y.length, 0) < 2;
  byId("transfers").hidden = !data.completion.length;
  byId("sizes").parentElement.hidden = !data.slowdown;
  byId("cases").hidden = data.cases.length < 2;
  draw();
}, draw);
