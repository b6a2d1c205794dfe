"use strict";
// A step as a graph: folding of repeated layers, and a layered layout. Pure
// functions over {nodes: [{…, inputs: [{from, …}]}]}, nodes in order.

// The longest stretch of nodes that says the same `count` times over, by what
// `signature` tells of a node: {start, period, count}, or null.
function findLayers(nodes, signature) {
  const numbers = new Map();
  const marks = nodes.map(node => {
    const text = signature(node);
    if (!numbers.has(text)) numbers.set(text, numbers.size);
    return numbers.get(text);
  });
  let best = null;
  for (let period = 1; period <= marks.length / 2; ++period) {
    let run = 0;
    for (let i = 0; i + period <= marks.length; ++i) {
      if (i + period < marks.length && marks[i] === marks[i + period]) { ++run; continue; }
      const count = Math.floor(run / period) + 1;
      if (count > 1 && (!best || count * period > best.count * best.period))
        best = {start: i - run, period, count, slack: run % period};
      run = 0;
    }
  }
  if (!best || best.period < 2) return null;
  // Where the layer starts is a matter of taste within the slack: at a norm.
  for (let shift = 0; shift <= best.slack; ++shift)
    if (/norm/.test(nodes[best.start + shift].title + nodes[best.start + shift].ops)) {
      best.start += shift;
      break;
    }
  return best;
}

// The nodes to draw when all layers but number `layer` are folded: indexes of
// nodes, with edges [{from, to, input}] between them. What layer 0 takes from
// the nodes before and the last one gives to those behind is drawn at the one
// layer that is left.
function foldLayers(nodes, layers, layer) {
  const {start, period, count} = layers, end = start + period * count;
  const offset = layer * period;
  const shown = [];
  nodes.forEach((_, index) => {
    if (index < start || index >= end || Math.floor((index - start) / period) === layer)
      shown.push(index);
  });
  const inBody = index => index >= start && index < end;
  const edges = [];
  const add = (from, to, input) => edges.push({from, to, input});
  for (const index of shown) {
    // Edges of the layer's own kind follow layer 0, labels the one chosen.
    const like = inBody(index) ? index - offset : index;
    nodes[like].inputs.forEach((input, place) => {
      const label = nodes[index].inputs[place] || input;
      let from = input.from;
      if (inBody(from)) from = start + (from - start) % period + offset;
      if (from !== index) add(from, index, label);
    });
  }
  return {shown, edges};
}

function allEdges(nodes) {
  const edges = [];
  nodes.forEach((node, to) => node.inputs.forEach(input =>
    edges.push({from: input.from, to, input})));
  return {shown: nodes.map((_, index) => index), edges};
}

// Places boxes {width, height} in layers, each edge going down. Returns
// {boxes: [{x, y}], paths: [[x, y]…] an edge, width, height}.
function layoutGraph(boxes, edges) {
  const rank = rankBoxes(boxes, edges);
  const rows = [];
  const place = (item, row) => {
    while (rows.length <= row) rows.push([]);
    item.row = row;
    item.order = rows[row].length;
    rows[row].push(item);
  };
  const items = boxes.map((box, index) => ({box: index, width: box.width, height: box.height, up: [], down: []}));
  items.forEach((item, index) => place(item, rank[index]));
  // Long edges go through a thin item in every row between.
  const chains = edges.map(({from, to}) => {
    const chain = [items[from]];
    for (let row = rank[from] + 1; row < rank[to]; ++row) {
      const thin = {box: -1, width: 14, height: 0, up: [], down: []};
      place(thin, row);
      chain.push(thin);
    }
    chain.push(items[to]);
    for (let i = 0; i + 1 < chain.length; ++i) {
      chain[i].down.push(chain[i + 1]);
      chain[i + 1].up.push(chain[i]);
    }
    return chain;
  });
  orderRows(rows);
  placeColumns(rows);
  const kGap = 46;
  let y = 10, width = 0;
  for (const row of rows) {
    const height = Math.max(...row.map(item => item.height));
    for (const item of row) {
      item.y = item.box < 0 ? y : y + (height - item.height) / 2;
      item.bottom = item.box < 0 ? y + height : item.y + item.height;
      width = Math.max(width, item.x + item.width);
    }
    y += height + kGap;
  }
  return {
    boxes: items.slice(0, boxes.length).map(item => ({x: item.x, y: item.y})),
    paths: chains.map((chain, index) => route(chain, edges[index])),
    width: width + 10,
    height: y - kGap + 10,
  };
}

function rankBoxes(boxes, edges) {
  const rank = new Array(boxes.length).fill(0);
  // Edges go from lower to higher indexes, so one pass in order settles them.
  for (const {from, to} of [...edges].sort((x, y) => x.to - y.to))
    rank[to] = Math.max(rank[to], rank[from] + 1);
  // A source comes right above the first that needs it.
  const takes = new Array(boxes.length).fill(false);
  for (const {to} of edges) takes[to] = true;
  boxes.forEach((_, index) => {
    const users = edges.filter(edge => edge.from === index).map(edge => rank[edge.to]);
    if (!takes[index] && users.length) rank[index] = Math.min(...users) - 1;
  });
  return rank;
}

function orderRows(rows) {
  const middle = list => list.reduce((sum, item) => sum + item.order / Math.max(1, item.size - 1), 0) / list.length;
  const sort = (row, side) => {
    for (const item of row)
      item.key = item[side].length ? middle(item[side]) : item.order / Math.max(1, row.length - 1);
    row.sort((a, b) => a.key - b.key || a.order - b.order);
    row.forEach((item, order) => { item.order = order; });
  };
  for (const row of rows) for (const item of row) item.size = row.length;
  for (let sweep = 0; sweep < 8; ++sweep) {
    if (sweep % 2 === 0) rows.slice(1).forEach(row => sort(row, "up"));
    else rows.slice(0, -1).reverse().forEach(row => sort(row, "down"));
  }
}

// Moves items towards their neighbours, keeping their order and distance.
function placeColumns(rows) {
  const kSpace = 24;
  for (const row of rows) {
    let x = 10;
    for (const item of row) { item.x = x; x += item.width + kSpace; }
  }
  const centre = item => item.x + item.width / 2;
  for (let sweep = 0; sweep < 24; ++sweep) {
    const order = sweep % 2 ? [...rows].reverse() : rows;
    for (const row of order) {
      const side = sweep % 2 ? "down" : "up";
      const wish = row.map(item => {
        const list = item[side].length ? item[side] : item[side === "up" ? "down" : "up"];
        return list.length ? list.reduce((sum, other) => sum + centre(other), 0) / list.length - item.width / 2 : item.x;
      });
      settle(row, wish, kSpace);
    }
  }
  const least = Math.min(...rows.flat().map(item => item.x));
  for (const item of rows.flat()) item.x += 10 - least;
}

// The places nearest to the wishes that keep order and distance: runs of items
// that touch move as one, to the mean of what they wish.
function settle(row, wish, space) {
  const runs = [];
  row.forEach((item, index) => {
    let run = {items: [item], sum: wish[index], width: item.width};
    while (runs.length) {
      const last = runs[runs.length - 1];
      const lastX = last.sum / last.items.length;
      if (lastX + last.width + space <= run.sum / run.items.length) break;
      // What the run's items wish for the first one's place.
      run = {
        items: last.items.concat(run.items),
        sum: last.sum + run.sum - run.items.length * (last.width + space),
        width: last.width + space + run.width,
      };
      runs.pop();
    }
    runs.push(run);
  });
  for (const run of runs) {
    let x = run.sum / run.items.length;
    for (const item of run.items) { item.x = x; x += item.width + space; }
  }
}

function route(chain, edge) {
  const points = [];
  chain.forEach((item, index) => {
    // Edges of one box leave and enter side by side.
    const spread = (list, other) => {
      const sorted = [...new Set(list)].sort((a, b) => a.x + a.width / 2 - b.x - b.width / 2);
      const at = sorted.indexOf(other), n = sorted.length;
      return n > 1 ? (at - (n - 1) / 2) * Math.min(26, item.width * 0.7 / (n - 1)) : 0;
    };
    const x = item.x + item.width / 2;
    if (index > 0) points.push([x + (item.box < 0 ? 0 : spread(item.up, chain[index - 1])), item.y]);
    if (index + 1 < chain.length)
      points.push([x + (item.box < 0 ? 0 : spread(item.down, chain[index + 1])), item.bottom]);
  });
  return points;
}

if (typeof module !== "undefined")
  module.exports = {findLayers, foldLayers, allEdges, layoutGraph};
