"use strict";
// What the pages with plots share: their data, colours, and what every plot looks like.
let data = null;
const byId = (id) => document.getElementById(id);
const touch = matchMedia("(pointer: coarse)").matches;
const narrow = () => innerWidth < 600;
const dashes = ["solid", "6px,2px", "8px,4px", "1px,4px", "2px,3px", "5px,2px,1px,2px", "8px,3px,2px,3px", "4px,4px,1px,4px", "12px,4px"];
const symbols = ["circle", "square", "diamond", "triangle-up", "triangle-down", "cross"];
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const colour = (k) => css(`--case-${k % 7}`);
/// The index of a case's colour and symbol: its place in its group, where there are groups.
const look = (k) => k - (data.groups?.findLast((group) => group.first <= k)?.first ?? 0);
/// Line and marker of a case.
const drawn = (k, more) => ({ mode: "lines+markers", line: { width: 1.5, color: colour(k), ...more }, marker: { symbol: symbol(k), size: 7, color: colour(k), maxdisplayed: 9 } });
const symbol = (k) => symbols[k % symbols.length];
/// Colours repeat from the eighth on: then dashes tell lines apart. `part` counts lines of one colour.
const dash = (k, part = 0) => dashes[(Math.floor(k / 7) + 2 * part) % dashes.length];
const plain = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
/// A number with so many decimals. Halves go to the even digit, as in tables: toFixed takes the larger one.
const fixed = (v, decimals) => {
  const scaled = v * 10 ** decimals;
  const half = Number.isInteger(v * 2 ** (decimals + 1)) && Math.abs(scaled % 1) === 0.5;
  return (half ? (2 * Math.round(scaled / 2)) / 10 ** decimals : v).toFixed(decimals);
};
/// Three significant digits and at most three decimals, as in tables.
const short = (v) => {
  if (v === null || v === undefined) return "–";
  const size = Math.abs(v);
  if (size === 0) return "0";
  if (size < 0.0005) return v < 0 ? "-<0.001" : "<0.001";
  return fixed(v, size < 0.9995 ? 3 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
};
/// The unit behind a number.
const unit = (name) => (name === "%" ? " %" : name ? ` ${name}` : "");
const option = (value, text) => new Option(text, value);
const font = (more) => ({ family: "system-ui, sans-serif", size: 12.5, color: css("--ink"), ...more });
const axis = (more) => ({ gridcolor: css("--line"), linecolor: css("--line"), zeroline: false, automargin: true, fixedrange: touch, ...more });
const layout = (more) => ({
  paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", showlegend: false, dragmode: touch ? false : "zoom", font: font(),
  modebar: { bgcolor: "rgba(0,0,0,0)", color: css("--soft"), activecolor: css("--ink") },
  hoverlabel: { bgcolor: css("--shade"), bordercolor: css("--line"), font: font(), namelength: -1 },
  margin: { l: 48, r: 14, t: 28, b: 44 }, ...more,
});
const note = (text, more) => ({ text, showarrow: false, font: { size: 11.5, color: css("--soft") }, ...more });
const rule = (more) => ({ type: "line", layer: "below", line: { color: css("--soft"), width: 1.2, dash: "dash" }, ...more });
const config = (modes) => ({ responsive: true, displaylogo: false, displayModeBar: !modes || touch || narrow() ? false : "hover", modeBarButtonsToRemove: ["toImage", "select2d", "lasso2d", "autoScale2d"] });

const unpacked = async (id) => {
  const packed = Uint8Array.from(atob(byId(id).textContent), (c) => c.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
};

/// Unpacks data and plotting script; then `start` draws. `draw` draws again what depends on colours and widths.
async function begin(start, draw) {
  try {
    const [text, script] = await Promise.all([unpacked("data"), unpacked("plotly")]);
    const element = document.createElement("script");
    element.textContent = script;
    document.head.append(element);
    data = JSON.parse(text);
  } catch (error) {
    byId("missing").hidden = false;
    byId("missing").textContent += typeof DecompressionStream === "undefined" ? "" : ` (${error.message})`;
    return;
  }
  start();
  saving();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  let width = innerWidth;
  addEventListener("resize", () => { if ((width < 600) !== narrow()) draw(); width = innerWidth; });
  // Paper is white, and narrower than a screen.
  const plots = () => [...document.querySelectorAll(".plot.js-plotly-plot")];
  const turn = (paper) => {
    document.documentElement.classList.toggle("paper", paper);
    draw();
    plots().forEach((box) => Plotly.Plots.resize(box));
  };
  addEventListener("beforeprint", () => turn(true));
  addEventListener("afterprint", () => turn(false));
  document.documentElement.dataset.drawn = "";
}

document.querySelectorAll(".copy button").forEach((button) => button.addEventListener("click", async () => {
  await navigator.clipboard.writeText(button.nextElementSibling.textContent);
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
}));
