// What both worlds measured, cell by cell.
function draw() {
  data.forEach((quantity, k) => {
    const values = quantity.kernel.concat(quantity.simulator), least = Math.min(...values), most = Math.max(...values);
    const log = least > 0 && most / least > 20, room = (most - least || most || 1) * 0.06;
    const range = log ? [Math.log10(least) - 0.1, Math.log10(most) + 0.1] : [least - room, most + room], ends = range.map((v) => (log ? 10 ** v : v));
    const shared = (title) => axis({ type: log ? "log" : "linear", range, title: { text: `${title}, ${quantity.unit || "index"}` }, nticks: 6 });
    Plotly.react(`quantity${k}`, [
      { x: ends, y: ends, mode: "lines", line: { color: css("--soft"), width: 1.2, dash: "dash" }, hoverinfo: "skip" },
      {
        x: quantity.kernel, y: quantity.simulator, mode: "markers", marker: { size: 8, color: colour(0), opacity: 0.75, line: { width: 1, color: css("--paper") } },
        customdata: quantity.cells.map((cell, n) => plain(`${cell}: ${quantity.gaps[n]}`)), hovertemplate: `%{customdata}<br>kernel %{x:.4~g}${unit(quantity.unit)}, simulator %{y:.4~g}${unit(quantity.unit)}<extra></extra>`,
      },
    ], layout({ height: 360, margin: { l: 58, r: 14, t: 20, b: 48 }, xaxis: shared(`${quantity.name}: kernel`), yaxis: shared("simulator") }), config(true));
  });
}

begin(draw, draw);
