// Pairs of controllers.
function matrix() {
  if (!data.pairs) return;
  const figure = data.pairs.figures[+byId("measure").value * data.pairs.conditions.length + +byId("condition").value];
  drawFigures(byId("pairs"), [figure]);
  byId("explained").textContent = figure.caption;
}

function matrixChoices() {
  if (!data.pairs) return;
  byId("condition").replaceChildren(...data.pairs.conditions.map((text, k) => option(k, text)));
  byId("measure").replaceChildren(...data.pairs.measures.map((text, k) => option(k, text)));
  byId("condition").parentElement.hidden = data.pairs.conditions.length < 2;
  byId("condition").addEventListener("change", matrix);
  byId("measure").addEventListener("change", matrix);
  byId("measure").value = data.pairs.first;
}
