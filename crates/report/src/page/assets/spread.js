// Distributions, and transfers by size.

/// Ticks of a logarithmic axis: powers of ten, and between them what `between` names as long as there is room.
function ticks(values, text, between) {
  const low = Math.min(...values), high = Math.max(...values), from = Math.floor(Math.log10(low)), to = Math.ceil(Math.log10(high));
  const steps = to - from > 3 ? [1] : [1, ...between];
  const all = Array.from({ length: to - from + 1 }, (_, k) => steps.map((step) => +(step * 10 ** (from + k)).toPrecision(1))).flat();
  return { type: "log", tickvals: all, ticktext: all.map(text) };
}

function transfers(shown) {
  const t = data.transfers, each = byId("sizes").value === "each", alone = data.cases.length === 1;
  if (!t) return;
  const slowdown = t.slowdown.filter((s) => shown[s.case]).map((s) => {
    const name = plain(alone ? s.name : `${data.cases[s.case]}, ${s.name}`);
    return {
      x: t.sizes.map((size) => size.middle), y: s.y, name, ...drawn(look(s.case), { width: 1.8, dash: dash(look(s.case), s.rank) }), connectgaps: true,
      hovertemplate: t.sizes.map((size, k) => `${size.name}, ${name}: %{y:.3~g} times the least<br>${s.counts[k].toLocaleString("en")} transfers<extra></extra>`),
    };
  });
  const high = Math.max(...t.slowdown.flatMap((s) => s.y));
  const byEntries = (n) => ({ showlegend: n > 1, legend: { orientation: "h", x: 0, y: -0.24, yanchor: "top" }, height: 350 + 20 * Math.ceil(n / (narrow() ? 2 : 3)) });
  byId("slowdown").hidden = t.sizes.length < 2;
  if (t.sizes.length > 1) Plotly.react("slowdown", slowdown, layout({
    ...byEntries(slowdown.length),
    xaxis: axis({ ...ticks(t.sizes.map((size) => size.middle), bytes, []), title: { text: "Size of transfer" } }),
    yaxis: axis({ title: { text: "Slowdown" }, ...(high > 20 ? ticks([1, high], String, [2, 5]) : { rangemode: "tozero" }) }),
  }), config(true));
  const curves = t.completion.filter((c) => shown[c.case] && (each ? c.size !== undefined : c.size === undefined)).map((c) => {
    const size = each ? t.sizes[c.size].name : "all sizes", name = plain(alone ? size : each ? `${data.cases[c.case]}, ${size}` : data.cases[c.case]);
    const k = alone && each ? c.size : look(c.case), part = alone || !each ? 0 : c.size;
    return { x: c.x, y: c.y, name, ...drawn(k, { width: 2, dash: dash(k, part) }), hovertemplate: `%{x:.4~g} ms: %{y:.1%} of ${c.count.toLocaleString("en")}<extra>${name}</extra>` };
  });
  Plotly.react("completion", curves, layout({
    ...byEntries(each ? curves.length : 0),
    xaxis: axis({ ...ticks(t.completion.flatMap((c) => c.x), String, [2, 5]), title: { text: "Completion time, ms" } }), yaxis: axis({ range: [0, 1.02], tickformat: ".0%" }),
  }), config(true));
}

function distributions(shown) {
  data.distributions.forEach((d, k) => {
    const traces = d.curves.filter((c) => shown[c.case]).map((c) => ({
      x: c.x, y: c.y, name: plain(data.cases[c.case]), ...drawn(look(c.case), { width: 2, dash: dash(look(c.case)) }), hovertemplate: `%{x:.4~g} ms: %{y:.1%}<extra>${plain(data.cases[c.case])}</extra>`,
    }));
    Plotly.react(`cdf${k}`, traces, layout({
      height: 330, xaxis: axis({ title: { text: d.title } }), yaxis: axis({ range: [0, 1.02], tickformat: ".0%" }),
    }), config(true));
  });
}
