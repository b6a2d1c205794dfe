"use strict";
// The page of `pagoda profile --html`.

const main = document.querySelector("main");
const {profile, timelines} = pageData;
document.querySelector("h1").textContent = profile.model;
document.getElementById("theme").addEventListener("click", toggleTheme);

const kColours = ["#7db3f0", "#f2b36b", "#86cf9a", "#e58f9f", "#c3a5ea", "#d9cf6e", "#7fd1d6", "#c9a58b", "#b5b9c4", "#e3a3d0", "#9fb97a"];
const kernelColours = new Map();
function colourOf(kernel) {
  if (!kernelColours.has(kernel)) kernelColours.set(kernel, kColours[kernelColours.size % kColours.length]);
  return kernelColours.get(kernel);
}
for (const phase of profile.phases) for (const line of phase.kernels) colourOf(line.kernel);

const milliseconds = ms => ms < 0.1 ? (ms * 1000).toFixed(1) + " µs" : ms.toFixed(3) + " ms";
const percent = share => (share * 100).toFixed(1) + " %";
const rate = number => number ? number.toFixed(1) : "–";
const numberCell = text => element("td", {class: "number"}, text);

function kernelTable(phase) {
  const head = ["kernel", "launches", "a step", "share", "GB/s", "Gop/s", "of limit"];
  const rows = phase.kernels.map(line => element("tr", {},
    element("td", {}, element("i", {class: "swatch", style: `background:${colourOf(line.kernel)}`}), line.kernel),
    numberCell(line.launches.toFixed(0)), numberCell(milliseconds(line.ms)), numberCell(percent(line.share)),
    numberCell(rate(line.gb_s)), numberCell(rate(line.gop_s)), numberCell(line.of_limit ? percent(line.of_limit) : "–")));
  rows.push(element("tr", {class: "dim"}, element("td", {}, "threads wait"), numberCell(""), numberCell(milliseconds(phase.waiting_ms)),
    numberCell(percent(phase.ms ? phase.waiting_ms / phase.ms : 0)), numberCell(""), numberCell(""), numberCell("")));
  return element("table", {}, element("thead", {}, element("tr", {}, head.map((title, index) =>
    element("th", {class: index ? "number" : ""}, title)))), element("tbody", {}, rows));
}

// The step, its layers, their launches; a click makes a part as wide as the page.
function flame(phase) {
  const root = {name: phase.title, ms: phase.ms, children: phase.layers.map(layer => ({
    name: layer.layer || "(no layer)", ms: layer.ms,
    children: layer.kernels.map(line => ({name: line.place || line.kernel, ms: line.ms, kernel: line.kernel, children: []})),
  }))};
  root.children.push({name: "threads wait", ms: phase.waiting_ms, children: []});
  const box = element("div", {class: "flame"});
  function draw(focus) {
    const bars = [];
    function place(node, left, width, depth) {
      if (width > 0.0005 && left < 1 && left + width > 0)
        bars.push(element("div", {
          style: `left:${left * 100}%;width:${width * 100}%;top:${depth * 30}px;background:${node.kernel ? colourOf(node.kernel) : "#c9cdd6"}`,
          title: `${node.name}${node.kernel ? "\n" + node.kernel : ""}\n${milliseconds(node.ms)}, ${percent(node.ms / root.ms)}`,
          onclick: () => draw(node === focus ? root : node),
        }, width > 0.03 ? node.name : ""));
      let at = left;
      for (const child of node.children) {
        const part = width * (node.ms ? child.ms / node.ms : 0);
        place(child, at, part, depth + 1);
        at += part;
      }
    }
    // Where the focus lies in the root, and how much it has to be stretched.
    let start = 0, found = {left: 0, width: 1};
    for (const child of root.children) {
      const width = child.ms / root.ms;
      if (child === focus) found = {left: start, width};
      let inner = start;
      for (const leaf of child.children) {
        if (leaf === focus) found = {left: inner, width: leaf.ms / root.ms};
        inner += leaf.ms / root.ms;
      }
      start += width;
    }
    place(root, -found.left / found.width, 1 / found.width, 0);
    box.replaceChildren(...bars);
  }
  draw(root);
  return box;
}

// One step, thread by thread. Wider than the page where it has many pieces.
function timeline(pieces) {
  const end = Math.max(...pieces.map(piece => piece.start_us + piece.us));
  const threads = Math.max(...pieces.map(piece => piece.thread)) + 1;
  const width = Math.max(1100, Math.min(20000, pieces.length * 9)), scale = width / end;
  const bars = pieces.map(piece => element("rect", {
    x: piece.start_us * scale, y: piece.thread * 26 + 4, width: Math.max(piece.us * scale, 0.5), height: 20, fill: colourOf(piece.kernel),
  }, element("title", {}, `${piece.place}\n${piece.kernel}\n${piece.us.toFixed(1)} µs at ${piece.start_us.toFixed(1)} µs`)));
  return element("div", {class: "timeline"}, element("svg", {width, height: threads * 26 + 4}, bars));
}

const limits = profile.limits;
main.append(element("p", {}, `${profile.cpu}, kernels for ${profile.target}, ${profile.threads} threads. Limits of this machine: reads ` +
  `${limits.read_gb_s.toFixed(1)} GB/s over ${formatBytes(limits.read_bytes)}, int8 ${limits.int8_gop_s.toFixed(0)} Gop/s, ` +
  `f32 ${limits.f32_gop_s.toFixed(0)} Gop/s.`));
for (const phase of profile.phases) {
  main.append(element("section", {}, element("h2", {}, phase.title,
    element("small", {}, `${milliseconds(phase.ms)} a step, ${phase.tokens_per_s.toFixed(1)} tokens/s`)),
    flame(phase), kernelTable(phase),
    timelines[phase.name] && timelines[phase.name].length ? element("h3", {}, "One step, thread by thread") : null,
    timelines[phase.name] && timelines[phase.name].length ? timeline(timelines[phase.name]) : null));
}
