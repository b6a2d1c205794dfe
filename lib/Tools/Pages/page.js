"use strict";
// What all pages share. Text from the data only ever becomes text nodes, so
// that nothing in a model can become markup.

const pageData = JSON.parse(document.getElementById("data").textContent);

// element("td", {class: "number", onclick: f}, "text", otherElement, …)
function element(name, attributes, ...children) {
  const svg = ["svg", "g", "path", "rect", "text", "title", "defs", "marker", "line"];
  const made = svg.includes(name)
    ? document.createElementNS("http://www.w3.org/2000/svg", name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat())
    if (child !== undefined && child !== null)
      made.append(child);
  return made;
}

// Kept between visits where the browser lets pages of file:// keep things.
function remember(key, value) {
  try { localStorage.setItem("pagoda." + key, value); } catch { /* not kept */ }
}
function recall(key) {
  try { return localStorage.getItem("pagoda." + key); } catch { return null; }
}

function applyTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}
function toggleTheme() {
  const dark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  applyTheme(dark ? "light" : "dark");
  remember("theme", dark ? "light" : "dark");
}
applyTheme(recall("theme"));

// Colours for MLIR and C++: one regular expression, first match wins.
const kTokens = new RegExp([
  /("(?:[^"\\]|\\.)*")/, // 1 string
  /(\/\/.*$)/, // 2 comment
  /(%[\w.$#-]+)/, // 3 value
  /([@^#][\w.$-]+)/, // 4 symbol, block, attribute
  /(![\w.]+|\b(?:tensor|memref|vector|[fiu]\d+|bf16|index)\b)/, // 5 type
  /(\b[a-z]\w*\.[\w.]+|\b(?:namespace|using|struct|template|constexpr|static|inline|return|void|const|int|float|auto|for|if|else|typename|class)\b)/, // 6
  /(-?\b\d[\d.]*(?:[eE][+-]?\d+)?f?\b)/, // 7 number
].map(r => r.source).join("|"), "g");
const kTokenClasses = ["", "string", "dim", "value", "symbol", "type", "op", "number"];

function highlight(line) {
  const parts = [];
  let end = 0;
  for (const match of line.matchAll(kTokens)) {
    if (match.index > end) parts.push(line.slice(end, match.index));
    const kind = match.slice(1).findIndex(group => group !== undefined) + 1;
    const name = kTokenClasses[kind];
    parts.push(element("span", {class: name === "dim" ? "dim" : "t-" + name}, match[0]));
    end = match.index + match[0].length;
  }
  if (end < line.length) parts.push(line.slice(end));
  return parts;
}

function formatBytes(bytes) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (bytes >= 1000 && unit < units.length - 1) { bytes /= 1000; ++unit; }
  return (unit ? bytes.toFixed(bytes < 10 ? 2 : 1) : bytes) + " " + units[unit];
}
function formatCount(number) {
  return number.toString().replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}
