// Plots of figures beside their claims. Plots are drawn when they come near; all of them before the page is printed, and again when the colours change.
let again = () => {};

begin(() => {
  const boxes = [...document.querySelectorAll("[data-plot]")], done = new Set();
  const draw = (box) => {
    const figures = box.dataset.plot.split(",").reduce((part, at) => part[at], data);
    drawFigures(box, figures, { headed: true, height: figures.length > 1 ? 150 : 230 });
  };
  const show = (box) => { if (!done.has(box)) { done.add(box); draw(box); } };
  const watch = new IntersectionObserver((entries) => entries.filter((e) => e.isIntersecting).forEach((e) => { watch.unobserve(e.target); show(e.target); }), { rootMargin: "800px" });
  boxes.forEach((box) => watch.observe(box));
  addEventListener("beforeprint", () => boxes.forEach(show));
  again = () => done.forEach(draw);
}, () => again());
