// Both worlds against each other, cell by cell.
const draw = () => data.forEach((figure, k) => drawFigures(byId(`quantity${k}`), [figure], { height: 330, zoom: true }));

begin(draw, draw);
