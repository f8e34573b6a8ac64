// Plots as files, with the legend and caption that they have on the page.

/// Legend entries of what is drawn, where the plot itself has none; a page may replace it.
let legendOf = () => [];

/// Breaks a text into lines of at most `most` characters.
function folded(text, most) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines[lines.length - 1];
    if (line && line.length + 1 + word.length > most) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines;
}

function captionOf(box) {
  const setup = document.querySelector(".setup"), own = box.closest("figure")?.querySelector("figcaption")?.textContent ?? box.getAttribute("aria-label");
  return [own, document.title + (setup ? `: ${setup.textContent}` : "")];
}

async function save(box, format) {
  if (!box.data) return;
  const width = Math.max(box.clientWidth, 640), [own, whole] = captionOf(box), head = [...folded(own, width / 8.2), ...folded(whole, width / 6.6)];
  const explained = box.layout.showlegend, traces = explained ? box.data : [...box.data.map((trace) => ({ ...trace, showlegend: false })), ...legendOf(box)];
  const names = new Set(traces.filter((trace) => trace.showlegend !== false && trace.name && trace.type !== "heatmap").map((trace) => trace.name));
  const longest = Math.max(0, ...[...names].map((name) => name.length)), rows = names.size ? Math.ceil(names.size / Math.max(1, Math.floor((width - 70) / (52 + longest * 7.5)))) : 0;
  const old = box.layout, before = old.margin, above = 18 * head.length + 14 + 24 * rows;
  const below = old.meta?.legend ?? 0;
  const height = old.height + above - below, inner = old.height - before.t - before.b, margin = { ...before, t: before.t + above, b: before.b - below };
  const caption = { text: head.map(plain).map((line, n) => (n < folded(own, width / 8.2).length ? `<b>${line}</b>` : line)).join("<br>"), showarrow: false, align: "left", xref: "paper", yref: "paper", x: 0, xanchor: "left", xshift: 8 - before.l, y: 1, yanchor: "bottom", yshift: before.t + 24 * rows + 6, font: font({ size: 13 }) };
  const figure = {
    data: traces, config: { staticPlot: true },
    layout: { ...old, width, height, margin, paper_bgcolor: css("--paper"), plot_bgcolor: css("--paper"), annotations: [...(old.annotations ?? []), caption], showlegend: rows > 0, legend: { orientation: "h", x: 0, xanchor: "left", y: 1 + (before.t + 2) / inner, yanchor: "bottom", font: font({ size: 12 }) } },
  };
  const link = document.createElement("a"), url = await Plotly.toImage(figure, { format, width, height, scale: format === "png" ? 2 : 1 });
  link.href = url;
  link.download = `${document.title} ${own}`.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 80).replace(/^-|-$/g, "") + `.${format}`;
  document.body.append(link);
  link.click();
  link.remove();
}

/// Puts buttons above each plot.
function saving() {
  for (const box of document.querySelectorAll(".plot")) {
    const bar = document.createElement("div");
    bar.className = "save";
    for (const format of ["svg", "png"]) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = format.toUpperCase();
      button.title = `Save this figure as ${format.toUpperCase()}`;
      button.setAttribute("aria-label", `${button.title}: ${captionOf(box)[0]}`);
      button.addEventListener("click", () => save(box, format));
      bar.append(button);
    }
    const frame = document.createElement("div");
    box.replaceWith(frame);
    frame.append(bar, box);
    frame.hidden = box.hidden;
    new MutationObserver(() => { frame.hidden = box.hidden; }).observe(box, { attributes: true, attributeFilter: ["hidden"] });
  }
}
