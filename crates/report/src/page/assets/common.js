"use strict";
// What the pages with plots share: their data, colours, and what every plot looks like.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const touch = matchMedia("(pointer: coarse)").matches;
const narrow = () => innerWidth < 600;
const dashes = ["solid", "8px,4px", "2px,3px", "8px,3px,2px,3px", "12px,4px"];
const symbols = ["circle", "square", "diamond", "triangle-up", "triangle-down", "cross"];
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const colour = (k) => css(`--case-${k % 7}`);
const symbol = (k) => symbols[k % symbols.length];
const dash = (k) => dashes[Math.floor(k / 7) % dashes.length];
const plain = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
const font = (more) => ({ family: "system-ui, sans-serif", size: 12.5, color: css("--ink"), ...more });
const axis = (more) => ({ gridcolor: css("--line"), linecolor: css("--line"), zeroline: false, automargin: true, fixedrange: touch, ...more });
const layout = (more) => ({
  paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", showlegend: false, dragmode: touch ? false : "zoom", font: font(),
  modebar: { bgcolor: "rgba(0,0,0,0)", color: css("--soft"), activecolor: css("--ink") },
  hoverlabel: { bgcolor: css("--shade"), bordercolor: css("--line"), font: font() },
  margin: { l: 48, r: 14, t: 28, b: 44 }, ...more,
});
document.querySelectorAll(".copy button").forEach((button) => button.addEventListener("click", async () => {
  await navigator.clipboard.writeText(button.nextElementSibling.textContent);
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
}));
