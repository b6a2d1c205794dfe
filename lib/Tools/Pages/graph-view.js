"use strict";
// Draws the graphs of the two chosen steps.

const kKinds = [
  [/attention/, "attention"], [/kv_append/, "cache"], [/linear/, "linear"], [/norm/, "norm"],
  [/embedding|gather|rope/, "table"], [/quantize|cast/, "round"],
];
function kindOf(node) {
  if (node.kind !== "op") return "point";
  const text = node.title + " " + node.ops.join(" ");
  return (kKinds.find(([pattern]) => pattern.test(text)) || [0, "point"])[1];
}

function signatureOf(step) {
  const lines = stepLines(step);
  return node => [node.kind, node.title, node.ops, node.outputs, node.weights.map(weight => weight.type),
    layerKey(lines[node.line] || "")].join("|");
}

function graphOf(step) {
  if (step.prepared === undefined) {
    const graph = step.graphs && step.graphs[0];
    step.prepared = graph ? {graph, layers: findLayers(graph.nodes, signatureOf(step))} : null;
  }
  return step.prepared;
}

function shorten(text, length) {
  return text.length > length ? text.slice(0, length - 1) + "…" : text;
}

function nodeTexts(node) {
  const texts = [{text: shorten(node.title, 44), name: "name"}];
  if (node.ops.length) {
    // Pieces of a group, a few a line.
    let line = "";
    for (const op of node.ops) {
      if (line && (line + " · " + op).length > 40) { texts.push({text: line, name: "part"}); line = ""; }
      line += (line ? " · " : "") + op;
    }
    texts.push({text: line, name: "part"});
  }
  for (const weight of node.weights.slice(0, 4))
    texts.push({text: shorten(weight.name, 34) + "  " + weight.type, name: "weight"});
  if (node.weights.length > 4)
    texts.push({text: `and ${node.weights.length - 4} more weights`, name: "weight"});
  return texts;
}

function drawGraph(step, other, isRight) {
  const prepared = graphOf(step);
  if (!prepared) return element("p", {class: "dim"}, "This step has no entry to draw.");
  const {graph, layers} = prepared;
  const folded = layers && state.foldLayers;
  const layer = folded ? Math.min(state.layer, layers.count - 1) : 0;
  const {shown, edges} = folded ? foldLayers(graph.nodes, layers, layer) : allEdges(graph.nodes);
  const place = new Map(shown.map((index, position) => [index, position]));
  const drawn = mergeEdges(edges, place);
  const texts = shown.map(index => nodeTexts(graph.nodes[index]));
  const boxes = texts.map(lines => ({
    width: Math.max(70, ...lines.map(line => line.text.length * (line.name === "weight" ? 6.7 : 7.3))) + 26,
    height: 12 + lines.length * 16,
  }));
  const layout = layoutGraph(boxes, drawn);
  const frame = folded ? drawFrame(shown, layers, layer, layout, boxes) : null;
  drawn.forEach((edge, index) => {
    layout.width = Math.max(layout.width, layout.paths[index][0][0] + 7 * longest(edgeTexts(edge)));
  });
  const zoom = state.zoom * Math.max(0.7, Math.min(1, (main.clientWidth / 2 - 20) / layout.width));
  const svg = element("svg", {
    viewBox: `0 0 ${layout.width} ${layout.height}`, width: layout.width * zoom,
    height: layout.height * zoom, role: "img", "aria-label": "graph of " + step.name,
  });
  if (frame) svg.append(frame);
  const labelled = new Set();
  drawn.forEach((edge, index) => svg.append(...drawEdge(edge, layout.paths[index], labelled)));
  // What the other side does not have, apart from layers.
  const known = other && graphOf(other) ? new Set(graphOf(other).graph.nodes.map(contentOf)) : null;
  shown.forEach((index, position) => {
    const node = graph.nodes[index];
    const fresh = known && other !== step && !known.has(contentOf(node));
    svg.append(drawNode(node, step, texts[position], boxes[position], layout.boxes[position],
      fresh ? (isRight ? "new" : "gone") : "", isRight));
  });
  return svg;
}

function longest(texts) {
  return Math.max(0, ...texts.map(text => text.length));
}

// One edge for all values that go from one node to another.
function mergeEdges(edges, place) {
  const merged = new Map();
  for (const {from, to, input} of edges) {
    const key = from + ">" + to;
    if (!merged.has(key)) merged.set(key, {from: place.get(from), to: place.get(to), inputs: []});
    const {inputs} = merged.get(key);
    if (!inputs.some(other => other.name === input.name)) inputs.push(input);
  }
  return [...merged.values()];
}

function edgeTexts(edge) {
  return [...new Set(edge.inputs.map(input => input.type))];
}

// What a node computes, wherever it stands and whatever it is called: an op, a
// group and the launch of its kernel are alike.
function contentOf(node) {
  const ops = node.ops.length ? node.ops : [node.title.replace(/^\w+\./, "")];
  const shape = type => type.replace(/^(tokens|rows|sequences)\b/, "?");
  return [node.kind, ops, node.outputs.map(shape), node.weights.map(weight => weight.type)].join("|");
}

function drawFrame(shown, layers, layer, layout, boxes) {
  const {start, period, count} = layers;
  const inside = shown.map((index, position) => position)
    .filter(position => shown[position] >= start && shown[position] < start + period * count);
  const top = Math.min(...inside.map(p => layout.boxes[p].y)) - 12;
  const bottom = Math.max(...inside.map(p => layout.boxes[p].y + boxes[p].height)) + 26;
  const bends = layout.paths.flat().filter(([, y]) => y > top && y < bottom).map(([x]) => x);
  const left = Math.min(...inside.map(p => layout.boxes[p].x), ...bends) - 14;
  const right = Math.max(...inside.map(p => layout.boxes[p].x + boxes[p].width), ...bends) + 14;
  layout.width = Math.max(layout.width, right + 4);
  return element("g", {},
    element("rect", {class: "frame", x: Math.max(1, left), y: top, width: right - Math.max(1, left), height: bottom - top, rx: 10}),
    element("text", {class: "frame-label", x: Math.max(1, left) + 10, y: bottom - 8}, `layer ${layer}, one of ${count} alike`));
}

function drawEdge(edge, points, labelled) {
  const [first, ...rest] = points;
  let path = `M${first[0]},${first[1]}`;
  for (let i = 0, [x, y] = first; i < rest.length; ++i) {
    const [nx, ny] = rest[i], bend = Math.min(40, (ny - y) / 2);
    path += `C${x},${y + bend} ${nx},${ny - bend} ${nx},${ny}`;
    [x, y] = [nx, ny];
  }
  const cache = edge.inputs.every(input => input.cache);
  const made = [element("path", {class: "edge" + (cache ? " cache" : ""), d: path, "marker-end": "url(#arrow)"},
    element("title", {}, edge.inputs.map(input => `${input.name} : ${input.type}`).join("\n")))];
  const texts = edgeTexts(edge);
  const key = edge.from + ":" + texts;
  if (!labelled.has(key)) {
    labelled.add(key);
    // On a line of its own each, as far as the gap between rows has room.
    const lines = texts.length > 2 ? [texts.slice(0, 2).join(", ") + ", …"] : texts;
    lines.forEach((text, index) =>
      made.push(element("text", {class: "shape", x: first[0] + 5, y: first[1] + 13 + 11 * index}, text)));
  }
  return made;
}

function drawNode(node, step, lines, box, at, mark, isRight) {
  const choose = () => chooseNode(node, step, isRight, group);
  const group = element("g", {
    class: "node " + mark, transform: `translate(${at.x},${at.y})`, tabindex: 0,
    onclick: choose, onkeydown: event => { if (event.key === "Enter") choose(); },
  },
  element("rect", {class: "box", width: box.width, height: box.height, rx: node.kind === "op" ? 6 : box.height / 2}),
  node.kind === "op" ? element("rect", {width: 5, height: box.height - 12, x: 4, y: 6, rx: 2.5, style: `fill:var(--k-${kindOf(node)})`}) : null,
  lines.map((line, index) => element("text", {class: line.name, x: 16, y: 18 + index * 16}, line.text)));
  return group;
}

function chooseNode(node, step, isRight, group) {
  for (const other of main.querySelectorAll(".node.chosen")) other.classList.remove("chosen");
  group.classList.add("chosen");
  const lines = stepLines(step).slice(node.line, node.line + (node.lineCount || 1));
  const panel = document.getElementById("chosen");
  panel.hidden = false;
  panel.replaceChildren(
    element("span", {class: "group"}, element("b", {}, node.title), ` in ${label(step)}, line ${node.line + 1} `,
      element("button", {onclick: () => jumpToLine(isRight, node.line)}, "Show in text")),
    element("pre", {}, lines.flatMap(line => [...highlight(line), "\n"])),
    node.weights.map(weight => element("div", {class: "dim"}, `${weight.name}: ${weight.type}`)));
}

function graphControls() {
  const prepared = [steps[state.left], steps[state.right]].map(graphOf).filter(p => p && p.layers);
  const controls = [];
  if (prepared.length) {
    const count = Math.max(...prepared.map(p => p.layers.count));
    controls.push(element("button", {
      "aria-pressed": String(state.foldLayers), title: "draw one layer for all that are alike (f)", onclick: () => act.f(),
    }, "Fold layers"));
    if (state.foldLayers) {
      const pick = element("input", {
        type: "number", min: 0, max: count - 1, value: state.layer, style: "width:5em", "aria-label": "layer",
        onchange: event => { state.layer = Math.max(0, Math.min(count - 1, Number(event.target.value) || 0)); show(); },
      });
      controls.push(element("label", {class: "group"}, "layer", pick, `of ${count}`));
    }
  }
  controls.push(element("button", {title: "smaller (-)", onclick: () => act["-"]()}, "−"),
    element("button", {title: "larger (+)", onclick: () => act["+"]()}, "+"));
  return controls;
}

function showGraphs() {
  const side = (index, otherIndex, isRight) => element("div", {class: "graph"},
    element("h3", {}, label(steps[index])), drawGraph(steps[index], steps[otherIndex], isRight));
  const arrows = element("svg", {width: 0, height: 0, style: "position:absolute"}, element("defs", {},
    element("marker", {id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto"},
      element("path", {d: "M0,0 L8,4 L0,8 z", style: "fill:var(--dim)"}))));
  main.replaceChildren(
    element("div", {class: "status"},
      "Green: only on the right. Red: only on the left. Weights stand in the node that reads them. Click a node for its IR."),
    element("div", {class: "graphs"}, arrows, side(state.left, state.right, false), side(state.right, state.left, true)),
    element("div", {id: "chosen", hidden: true}));
  // Wide graphs start in their middle.
  for (const pane of main.querySelectorAll(".graph"))
    pane.scrollLeft = (pane.scrollWidth - pane.clientWidth) / 2;
}
