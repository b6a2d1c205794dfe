"use strict";
// The page of --dump-ir: two steps side by side, as text or as graphs.

const kContext = 3;
const steps = pageData.steps.filter(step => step.lines);
const state = {
  left: 0, right: Math.min(1, steps.length - 1), view: "text",
  exact: false, folded: true, wrap: recall("wrap") !== "no", layer: 0, foldLayers: true, zoom: 1,
};
const rowsOfPair = new Map();
const main = document.querySelector("main");

function stepLines(step) {
  if (!step.texts) step.texts = step.lines.map(number => pageData.lines[number]);
  return step.texts;
}
function label(step) {
  return String(step.number).padStart(2, "0") + " " + step.name;
}

function pairRows(left, right) {
  const key = `${left}/${right}/${state.exact}`;
  if (!rowsOfPair.has(key)) {
    const a = stepLines(steps[left]), b = stepLines(steps[right]);
    const rows = diffRows(a, b, state.exact);
    rowsOfPair.set(key, {rows, kinds: markRepeats(rows, a, b)});
  }
  return rowsOfPair.get(key);
}

// ---- text ----

function paintWords(line, ranges) {
  // Highlighted pieces, cut where changed words begin and end.
  const cell = [];
  let at = 0;
  for (const piece of highlight(line)) {
    const text = typeof piece === "string" ? piece : piece.textContent;
    const name = typeof piece === "string" ? "" : piece.className;
    let done = 0;
    while (done < text.length) {
      const here = at + done;
      const range = ranges.find(([from, to]) => here >= from && here < to);
      const next = range ? range[1] : Math.min(...ranges.map(r => r[0]).filter(from => from > here), Infinity);
      const some = text.slice(done, Math.min(text.length, next - at));
      const classes = [name, name === "t-value" ? "v" : "", range ? "w" : ""].filter(Boolean).join(" ");
      cell.push(classes ? element("span", {class: classes}, some) : some);
      done += some.length;
    }
    at += text.length;
  }
  return cell;
}

// One line of the page: a row, or a removed and an added one beside each other.
function makeRow(row) {
  const a = row.left >= 0 ? stepLines(steps[state.left])[row.left] : "";
  const b = row.right >= 0 ? stepLines(steps[state.right])[row.right] : "";
  const [leftRanges, rightRanges] = row.kind === "changed" ? changedWords(a, b) : [[], []];
  const colours = {same: "", moved: " move", removed: " del", added: " add"};
  const side = (name, kind, number, text, ranges) => {
    const classes = name + (number < 0 ? "" : colours[kind] ?? (name === "l" ? " del" : " add"));
    return [
      element("div", {class: "n " + classes}, number >= 0 ? String(number + 1) : ""),
      element("div", {class: "c " + classes}, paintWords(text, ranges)),
    ];
  };
  return element("div", {
    class: "row " + (row.kind === "same" ? "same" : "change"), "data-left": row.left, "data-right": row.right,
  }, side("l", row.leftKind || row.kind, row.left, a, leftRanges),
  side("r", row.rightKind || row.kind, row.right, b, rightRanges));
}

// Lines that went and lines that came, side by side as far as there are both.
function besideEachOther(rows) {
  const result = [];
  let went = [], came = [];
  const flush = () => {
    for (let i = 0; i < Math.max(went.length, came.length); ++i) {
      const a = went[i], b = came[i];
      result.push(a && b ? {left: a.left, right: b.right, kind: "replaced", leftKind: a.kind, rightKind: b.kind} : a || b);
    }
    went = [];
    came = [];
  };
  for (const row of rows) {
    if (row.right < 0) went.push(row);
    else if (row.left < 0) came.push(row);
    else { flush(); result.push(row); }
  }
  flush();
  return result;
}

function quiet(row) {
  return row.kind === "same" || (row.repeat && state.folded);
}

function makeFold(rows, from, to) {
  const some = rows.slice(from, to);
  const repeated = some.filter(row => row.kind !== "same").length;
  const text = repeated
    ? `${some.length} lines; ${repeated} of them change like lines shown above`
    : `${some.length} unchanged lines`;
  const bar = element("button", {class: "fold", title: "show these lines"}, "⋯  " + text);
  bar.addEventListener("click", () => {
    const shown = besideEachOther(some.slice(0, 400)).map(makeRow);
    const rest = some.length > 400 ? [makeFold(rows, from + 400, to)] : [];
    bar.replaceWith(...shown, ...rest);
  });
  return bar;
}

function showText() {
  const {rows, kinds} = pairRows(state.left, state.right);
  const count = kind => rows.filter(row => row.kind === kind).length;
  const container = element("div", {class: "rows" + (state.wrap ? "" : " nowrap")});
  for (let at = 0; at < rows.length;) {
    let end = at;
    while (end < rows.length && !quiet(rows[end])) ++end;
    container.append(...besideEachOther(rows.slice(at, end)).map(makeRow));
    at = end;
    while (end < rows.length && quiet(rows[end])) ++end;
    if (at === end) break;
    const from = at === 0 ? at : Math.min(end, at + kContext);
    const to = end === rows.length ? end : Math.max(from, end - kContext);
    container.append(...besideEachOther(rows.slice(at, from)).map(makeRow));
    if (to - from > 2) container.append(makeFold(rows, from, to));
    else container.append(...besideEachOther(rows.slice(from, to)).map(makeRow));
    container.append(...besideEachOther(rows.slice(to, end)).map(makeRow));
    at = end;
  }
  const changes = rows.some(row => row.kind !== "same");
  const moved = rows.filter(row => row.kind === "moved" && row.left < 0).length;
  main.replaceChildren(
    element("div", {class: "status"}, changes
      ? `${count("added")} lines added, ${count("removed")} removed, ${count("changed")} changed, ${moved} moved` +
        (state.folded ? `; ${kinds} different changes, of which each is shown once` : "")
      : state.left === state.right ? "one and the same step"
        : "no differences" + (state.exact ? "" : " apart from the numbers of values")),
    container);
}

function jumpToChange(forward) {
  const all = [...main.querySelectorAll(".row.change")];
  // One stop a run of changed rows.
  const stops = all.filter(row => !row.previousElementSibling?.matches(".row.change"));
  if (!stops.length) return;
  const current = main.querySelector(".row.current");
  let index = stops.indexOf(current);
  index = current ? index + (forward ? 1 : -1) : 0;
  index = (index + stops.length) % stops.length;
  current?.classList.remove("current");
  stops[index].classList.add("current");
  stops[index].scrollIntoView({block: "center"});
}

function jumpToLine(right, line) {
  state.view = "text";
  const attribute = right ? "right" : "left";
  const {rows} = pairRows(state.left, state.right);
  const target = rows.find(row => row[attribute] === line);
  if (target?.repeat) state.folded = false;
  show();
  const find = () => main.querySelector(`.row[data-${attribute}="${line}"]`);
  // It may lie in a fold: open the folds until it shows.
  for (const bar of main.querySelectorAll(".fold")) { if (find()) break; bar.click(); }
  const row = find();
  row?.classList.add("current");
  row?.scrollIntoView({block: "center"});
}

// ---- everything around ----

function showSide() {
  const nav = document.querySelector("nav");
  const items = pageData.steps.map(step => {
    if (!step.lines)
      return element("button", {class: "idle", disabled: true}, label(step), element("small", {}, "changed nothing"));
    const index = steps.indexOf(step);
    const classes = [index === state.left ? "left" : "", index === state.right ? "right" : ""].join(" ");
    const note = step.summary ? element("small", {}, step.summary) : null;
    const size = element("small", {}, `${formatCount(step.lines.length)} lines`);
    return element("button", {class: classes, onclick: event => {
      if (event.shiftKey) state.left = index;
      else { state.right = index; state.left = Math.max(0, index - 1); }
      show();
    }}, label(step), note, size);
  });
  nav.replaceChildren(element("h2", {}, "Steps: numbers count passes"), ...items);
  nav.querySelector(".right")?.scrollIntoView({block: "nearest"});
}

function showHead() {
  const choose = side => element("select", {
    "aria-label": side + " step",
    onchange: event => { state[side] = Number(event.target.value); show(); },
  }, steps.map((step, index) => element("option", {value: index, selected: index === state[side]}, label(step))));
  const toggle = (text, key, pressed, act, title) =>
    element("button", {"aria-pressed": String(pressed), onclick: act, title: `${title} (${key})`}, text);
  document.querySelector("header").replaceChildren(
    element("h1", {title: pageData.title}, pageData.title),
    element("span", {class: "group"},
      toggle("Text", "t", state.view === "text", () => act.t(), "the two texts"),
      toggle("Graph", "g", state.view === "graph", () => act.g(), "the two graphs")),
    element("span", {class: "group"}, choose("left"), "→", choose("right")),
    ...(state.view === "text" ? [
      toggle("Value numbers", "v", state.exact, () => act.v(), "mark lines that only name values by other numbers"),
      toggle("Fold repeats", "f", state.folded, () => act.f(), "show a change that all layers share once"),
      toggle("Wrap", "w", state.wrap, () => act.w(), "wrap long lines")]
      : graphControls()),
    element("span", {class: "spring"}),
    element("span", {class: "group"},
      element("button", {onclick: toggleTheme, title: "light or dark (d)"}, "◐"),
      element("button", {onclick: () => act["?"](), title: "keys (?)"}, "?")));
}

function show() {
  showHead();
  showSide();
  if (state.view === "graph") showGraphs(); else showText();
  history.replaceState(null, "", `#${steps[state.left].number}-${steps[state.right].number}-${state.view}`);
}

function moveBoth(by) {
  const right = state.right + by;
  if (right < 0 || right >= steps.length) return;
  state.right = right;
  state.left = Math.max(0, right - 1);
  show();
}

const act = {
  t() { state.view = "text"; show(); },
  g() { state.view = "graph"; show(); },
  v() { state.exact = !state.exact; show(); },
  f() { if (state.view === "text") state.folded = !state.folded; else state.foldLayers = !state.foldLayers; show(); },
  w() { state.wrap = !state.wrap; remember("wrap", state.wrap ? "yes" : "no"); show(); },
  d: toggleTheme,
  n() { jumpToChange(true); },
  p() { jumpToChange(false); },
  ArrowRight() { moveBoth(1); },
  ArrowLeft() { moveBoth(-1); },
  "["() { state.left = Math.max(0, state.left - 1); show(); },
  "]"() { state.left = Math.min(steps.length - 1, state.left + 1); show(); },
  "+"() { state.zoom = Math.min(2.5, state.zoom * 1.2); show(); },
  "-"() { state.zoom = Math.max(0.3, state.zoom / 1.2); show(); },
  "?"() { document.querySelector("dialog").showModal(); },
};
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT)$/.test(event.target.tagName)) return;
  const found = act[event.key];
  if (!found) return;
  event.preventDefault();
  found();
});
// A value that is clicked lights up wherever it stands on its side.
main.addEventListener("click", event => {
  const value = event.target.closest(".v");
  if (!value) return;
  const lit = value.classList.contains("lit");
  for (const other of main.querySelectorAll(".v.lit")) other.classList.remove("lit");
  if (lit) return;
  const side = value.closest(".c").classList.contains("l") ? ".l" : ".r";
  for (const other of main.querySelectorAll(`${side} .v`))
    if (other.textContent === value.textContent) other.classList.add("lit");
});

function start() {
  const wanted = location.hash.match(/^#(\d+)-(\d+)(?:-(text|graph))?$/);
  if (wanted) {
    const index = number => steps.findIndex(step => step.number === Number(number));
    if (index(wanted[1]) >= 0) state.left = index(wanted[1]);
    if (index(wanted[2]) >= 0) state.right = index(wanted[2]);
    state.view = wanted[3] || state.view;
  }
  show();
}
