"use strict";
// The page of `pagoda inspect --html`.

const kParts = [
  ["weights", "weights", "--k-linear"], ["kernel_code", "kernels", "--k-point"],
  ["keys_and_values", "keys and values", "--k-cache"], ["activations", "activations", "--k-table"],
  ["scratch", "scratch", "--k-round"],
];
const kColours = ["--k-linear", "--k-table", "--k-norm", "--k-attention", "--k-cache", "--k-round", "--k-point"];
const main = document.querySelector("main");
// What the search looks through: {node, text, open()}.
const searchable = [];

function cell(content, name) { return element("td", {class: name}, [content].flat()); }
function bytesCell(bytes) { return cell(formatCount(bytes), "number"); }
function share(part) { return (part * 100).toFixed(part < 0.001 && part > 0 ? 3 : 1) + " %"; }
function code(text) {
  return element("pre", {}, text.split("\n").flatMap((line, index) => [index ? "\n" : "", ...highlight(line)]));
}
function section(id, title, note, ...content) {
  return element("section", {id}, element("h2", {}, title, note ? element("small", {}, note) : null), ...content);
}
function card(value, label) {
  return element("div", {class: "card"}, element("b", {}, value), element("span", {}, label));
}

// A table whose heads sort it, and whose rows may open.
function sortableTable(heads, rows, makeRow) {
  const body = element("tbody");
  let sorted = null, falling = false;
  const fill = list => body.replaceChildren(...list.flatMap(makeRow));
  const head = heads.map(({title, key, number}) => element("th", {
    class: number ? "number" : "", role: key ? "button" : null, tabindex: key ? 0 : null,
    onclick: key && (() => sort(key)),
    onkeydown: key && (event => { if (event.key === "Enter") sort(key); }),
  }, title));
  function sort(key) {
    falling = sorted === key ? !falling : typeof rows[0]?.[key] === "number";
    sorted = key;
    const sign = falling ? -1 : 1;
    fill([...rows].sort((a, b) => sign * (typeof a[key] === "number" ? a[key] - b[key]
      : String(a[key]).localeCompare(String(b[key]), undefined, {numeric: true}))));
    search();
  }
  fill(rows);
  return element("table", {}, element("thead", {}, element("tr", {}, head)), body);
}

// ---- sections ----

function overview() {
  const {model, weights, targets, cache, entries} = pageData.summary;
  const cards = [
    card(model.name, model.architecture), card(formatBytes(pageData.summary.bytes), "the file"),
    card(model.precision, "precision"), card(formatCount(model.context_length), "tokens of context"),
    card(formatCount(model.vocabulary), "tokens in the vocabulary"),
    card(`${weights.count}`, `weights, ${formatBytes(weights.bytes)}`),
    ...targets.map(target => card(target.target, `${target.kernels} kernels, ${formatBytes(target.bytes)}` +
      (target.runs_here ? "" : "; not for the machine that wrote this page"))),
    ...entries.map(entry => card(`${entry.launches} launches`, `entry ${entry.name}, ${entry.slots} slots`)),
  ];
  if (cache) cards.push(card(`${formatCount(cache.bytes_per_token)} bytes`, `of cache a token: ${cache.layers} layers, ${cache.type}`));
  return section("overview", "Overview", `written by ${pageData.summary.producer}`, element("div", {class: "cards"}, cards));
}

function fileSizes() {
  const parts = pageData.sizes.parts.filter(part => part.bytes > 0);
  const colour = new Map([...parts].sort((a, b) => b.bytes - a.bytes)
    .map((part, index) => [part, `var(${kColours[Math.min(index, kColours.length - 1)]})`]));
  return section("file", "Where the bytes go", formatCount(pageData.sizes.bytes) + " bytes",
    element("div", {class: "bar"}, parts.map(part => element("div", {
      style: `width:${part.share * 100}%;background:${colour.get(part)}`, title: `${part.part}: ${formatBytes(part.bytes)}`,
    }))),
    element("table", {}, element("tbody", {}, parts.map(part => element("tr", {},
      cell([element("i", {class: "swatch", style: `background:${colour.get(part)}`}), part.part]),
      bytesCell(part.bytes), cell(share(part.share), "number"), cell(part.note, "dim"))))));
}

function memorySection() {
  const {memory, grid} = pageData;
  if (!memory) return section("memory", "Memory", "", element("p", {class: "dim"}, pageData.memory_error));
  const legend = element("div", {class: "legend"}, kParts.map(([, label, colour]) =>
    element("span", {}, element("i", {style: `background:var(${colour})`}), label)));
  const bars = element("div", {class: "plan-bars"});
  const counts = [...new Set(grid.map(plan => plan.sequences))];
  const buttons = counts.map(count => element("button", {onclick: () => show(count)}, String(count)));
  function show(count) {
    buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(counts[index] === count)));
    const plans = grid.filter(plan => plan.sequences === count);
    const most = Math.max(...plans.map(plan => plan.bytes.total));
    bars.replaceChildren(...plans.flatMap(plan => {
      const asked = plan.context === memory.context && plan.sequences === memory.sequences;
      const over = plan.bytes.total > memory.machine_bytes;
      return [
        element("span", {class: asked ? "number asked" : "number"}, formatCount(plan.context)),
        element("div", {class: "bar", title: kParts.map(([key, label]) => `${label}: ${formatBytes(plan.bytes[key])}`).join("\n")},
          kParts.map(([key, , colour]) => element("div", {style: `width:${plan.bytes[key] / most * 100}%;background:var(${colour})`}))),
        element("span", {class: "number" + (over || !plan.cache_holds_all ? " warn" : ""),
          title: over ? "more than the machine has" : plan.cache_holds_all ? "" : "the cache does not hold all sequences at full length"},
        formatBytes(plan.bytes.total))];
    }));
  }
  show(memory.sequences);
  const largest = memory.largest_context;
  return section("memory", "Memory", `steps of ${memory.chunk} tokens, ${memory.threads} threads, kernels for ${memory.target}`,
    element("p", {}, "What the runtime allocates, to the byte. Weights and kernels are mapped from the file and shared " +
      "by processes; pages of the cache are taken as tokens come."),
    element("div", {class: "choices"}, "sequences at once", ...buttons), legend, bars,
    element("h2", {}, `${memory.sequences} × ${formatCount(memory.context)} tokens`),
    element("table", {class: "narrow"}, element("tbody", {}, kParts.map(([key, label]) =>
      element("tr", {}, cell(label), bytesCell(memory.bytes[key]))),
    element("tr", {}, cell("allocated"), bytesCell(memory.bytes.allocated)),
    element("tr", {}, cell("in all"), bytesCell(memory.bytes.total)))),
    element("p", {}, `A machine with ${formatBytes(memory.machine_bytes)} takes a context of up to ` +
      `${formatCount(largest.tokens)} tokens for ${memory.sequences} sequence${memory.sequences > 1 ? "s" : ""} at once, ` +
      `limited by ${largest.limited_by}.`));
}

function weightSection() {
  const rows = pageData.weights;
  const table = sortableTable([
    {title: "weight", key: "name"}, {title: "type", key: "type"}, {title: "bytes", key: "bytes", number: true},
    {title: "share", key: "share", number: true}, {title: "from", key: "expression"},
  ], rows, weight => {
    if (!weight.rows) {
      const more = element("tr", {hidden: true}, element("td", {colspan: 5, class: "open"}));
      const toggle = () => {
        if (!more.firstChild.firstChild)
          more.firstChild.append(element("span", {class: "slice"}, `at ${formatCount(weight.offset)} in the file`), code(weight.history));
        more.hidden = !more.hidden;
      };
      const row = element("tr", {class: "more", tabindex: 0, onclick: toggle, title: "show the IR it came from",
        onkeydown: event => { if (event.key === "Enter") toggle(); }},
      cell(weight.name, "code"), cell(weight.type.replaceAll("!llm.", ""), "code dim"), bytesCell(weight.bytes),
      cell(share(weight.share), "number"), cell(highlight(weight.expression), "code"));
      weight.rows = [row, more];
      searchable.push({node: row, text: weight.name + " " + weight.type + " " + weight.expression, close: () => { more.hidden = true; }});
    }
    return weight.rows;
  });
  return section("weights", "Weights", "click one for its history", table);
}

function kernelSection() {
  const items = pageData.kernels.map(kernel => {
    const item = element("details", {id: "kernel-" + kernel.name},
      element("summary", {}, element("span", {class: "code"}, kernel.name), element("span", {class: "dim"}, kernel.family),
        element("span", {class: "right"}, `${kernel.launches} launch${kernel.launches === 1 ? "" : "es"} a step`)));
    item.addEventListener("toggle", () => {
      if (item.childElementCount > 1) return;
      item.append(
        element("table", {}, element("tbody", {}, kernel.code.map(target => element("tr", {}, cell(target.target),
          cell(`run at +${target.run_offset}, tiles at +${target.tiles_offset}`, "code dim"),
          cell(formatCount(target.bytes) + " bytes of code", "number"),
          cell(formatCount(target.scratch_bytes) + " of scratch", "number"))))),
        element("span", {class: "slice"}, "What it computes: its contract"), code(kernel.contract),
        element("span", {class: "slice"}, "The unit that instantiates its template"), code(kernel.source));
    });
    searchable.push({node: item, text: kernel.name + " " + kernel.family + " " + kernel.contract + " " + kernel.source});
    return item;
  });
  return section("kernels", "Kernels", "", ...items);
}

function argumentNodes(argument) {
  if ("slot" in argument) return element("span", {class: "slot", title: argument.size + " bytes"}, "slot " + argument.slot);
  if ("weight" in argument)
    return element("a", {title: formatBytes(argument.bytes), onclick: () => find(argument.weight)}, argument.weight);
  if ("input" in argument) return element("span", {class: "input", title: "an array of the batch"}, argument.input);
  return element("span", {class: "pool"}, "keys" in argument ? `keys[${argument.keys}]` : `values[${argument.values}]`);
}

function programSection() {
  return section("program", "Program", "what one step launches, in order", ...pageData.program.flatMap(entry => {
    const rows = entry.launches.map((launch, index) => {
      const row = element("tr", {class: "launch"}, cell(String(index), "number dim"),
        cell(launch.place, "code"),
        cell(element("a", {onclick: () => openKernel(launch.kernel)}, launch.kernel), "code kernel"), cell(launch.rows, "dim"),
        cell(launch.arguments.flatMap((argument, place) => [place ? ", " : "", argumentNodes(argument)]), "code"));
      searchable.push({node: row, text: launch.kernel + " " +
        launch.arguments.map(argument => argument.weight || argument.input || "").join(" ")});
      return row;
    });
    return [
      element("p", {}, `Entry ${entry.name}(${entry.inputs.join(", ")}) over ${entry.dims.join(", ")}.`),
      element("table", {class: "narrow"}, element("thead", {}, element("tr", {}, element("th", {class: "number"}, "slot"), element("th", {}, "bytes"))),
        element("tbody", {}, entry.slots.map((size, index) => element("tr", {}, cell(String(index), "number dim"), cell(size, "code"))))),
      element("table", {}, element("thead", {}, element("tr", {}, ["", "kernel", "rows", "arguments"].map(title => element("th", {}, title)))),
        element("tbody", {}, rows))];
  }));
}

function templateSection() {
  return section("templates", "Templates", "what the kernels' sources include", ...pageData.templates.map(file => {
    const item = element("details", {}, element("summary", {}, element("span", {class: "code"}, file.path),
      element("span", {class: "right"}, formatBytes(file.text.length))));
    item.addEventListener("toggle", () => { if (item.childElementCount === 1) item.append(code(file.text)); });
    searchable.push({node: item, text: file.path + " " + file.text});
    return item;
  }));
}

// ---- search and links ----

const box = document.getElementById("search");
function search() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const item of searchable) {
    item.lower ??= item.text.toLowerCase();
    const hit = words.every(word => item.lower.includes(word));
    item.node.hidden = !hit;
    if (!hit && item.close) item.close();
    count += hit;
  }
  document.getElementById("found").textContent = words.length ? `${count} found` : "";
}
function find(text) {
  box.value = text;
  search();
  document.getElementById("weights").scrollIntoView();
}
function openKernel(name) {
  const item = document.getElementById("kernel-" + name);
  if (!item) return;
  item.hidden = false;
  item.open = true;
  item.scrollIntoView();
}
box.addEventListener("input", search);
document.addEventListener("keydown", event => {
  if (event.key === "/" && event.target !== box) { event.preventDefault(); box.focus(); }
  if (event.key === "Escape" && event.target === box) { box.value = ""; search(); box.blur(); }
});
document.getElementById("theme").addEventListener("click", toggleTheme);

document.querySelector("header h1").textContent = pageData.summary.model.name;
main.append(overview(), memorySection(), fileSizes(), weightSection(), kernelSection(), programSection(), templateSection());
document.querySelector("nav").append(...[
  ["overview", "Overview"], ["memory", "Memory"], ["file", "File"], ["weights", "Weights", pageData.weights.length],
  ["kernels", "Kernels", pageData.kernels.length],
  ["program", "Program", pageData.program.reduce((sum, entry) => sum + entry.launches.length, 0)],
  ["templates", "Templates", pageData.templates.length],
].map(([id, title, count]) => element("a", {href: "#" + id}, title, count === undefined ? null : element("span", {}, String(count)))));
