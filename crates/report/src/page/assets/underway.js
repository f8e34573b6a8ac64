// A run that goes on: values as they arrive, then the report.
const rounded = (seconds) => seconds.toFixed(data.end < 20 ? 1 : 0);
let latest = null, run = 0;
/// What the reader has chosen, by name.
const chosen = { flows: "each", link: null };

function tell(text) {
  byId("state").textContent = text;
}

function draw() {
  if (data?.panels.length) time([true]);
}

/// Shows a state of the run. What the reader has chosen stays as long as there is such a choice.
function show(state) {
  if (state.run !== run) view = null;
  data = state;
  run = state.run;
  byId("flows").value = offer() ? chosen.flows : "";
  if (data.links.includes(chosen.link)) byId("link").value = data.links.indexOf(chosen.link);
  document.querySelector(".setup").textContent = data.setup;
  tell(`The run goes on: ${rounded(data.at)} s of ${rounded(data.end)} s.`);
  byId("reached").max = data.end;
  byId("reached").value = data.at;
  byId("run").hidden = data.runs < 2;
  byId("run").textContent = `Run ${data.run} of ${data.runs}: ${data.name}`;
  draw();
}

begin(() => {
  if (data) show(data);
  byId("link").addEventListener("change", () => { chosen.link = data.links[byId("link").value]; draw(); });
  byId("flows").addEventListener("change", () => { chosen.flows = byId("flows").value; draw(); });
  const source = new EventSource("events");
  source.addEventListener("message", (event) => {
    // Of several that arrive before the next drawing, only the last counts.
    if (latest === null) requestAnimationFrame(() => { const state = JSON.parse(latest); latest = null; if (state) show(state); });
    latest = event.data;
  });
  source.addEventListener("end", () => {
    source.close();
    tell("The run is over; its report follows.");
    location.reload();
  });
  source.addEventListener("error", () => {
    source.close();
    tell("Narrows does not answer any more: it was stopped, or it failed. These are the values that have arrived.");
  });
  addEventListener("pagehide", () => source.close());
}, draw);
