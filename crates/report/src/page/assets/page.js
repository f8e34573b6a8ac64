// What a reader chooses, and drawing after it.
const shown = [];

function draw() {
  document.querySelectorAll("tr[data-case]").forEach((row) => row.classList.toggle("off", !shown[row.dataset.case]));
  scatter(shown);
  time(shown);
  transfers(shown);
  distributions(shown);
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
  byId("sizes").addEventListener("change", () => transfers(shown));
  byId("quantile").addEventListener("change", () => scatter(shown));
  byId("flows").value = offer() && (alone || data.apart) ? "each" : "";
  byId("sizes").value = alone ? "each" : "";
  byId("scatter").closest("section").hidden = data.scatter.points.length < 2;
  byId("transfers").hidden = !data.transfers;
  byId("sizes").parentElement.hidden = !data.transfers || data.transfers.sizes.length < 2;
  byId("cases").hidden = data.cases.length < 2;
  draw();
}, draw);
