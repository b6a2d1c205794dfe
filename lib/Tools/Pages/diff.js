"use strict";
// The differences of two steps: pure functions over lines of text.

// What a line says apart from the numbers that printing gives to values: a
// step that removes %3 renames all that follow, and changed none of them.
function lineKey(line) {
  return line.replace(/%\d+(#\d+)?/g, "%").replace(/(%[A-Za-z_][\w.$-]*?)_\d+\b/g, "$1")
    .replace(/%arg\d+/g, "%arg");
}

// What a line says apart from the layer it belongs to.
function layerKey(line) {
  return lineKey(line).replace(/%[\w.$-]+/g, "%")
    .replace(/\b(blk|layers?|h|blocks?)([._])\d+\b/g, "$1$2N")
    .replace(/\blayer \d+/g, "layer N").replace(/\bcache(_\d+)?\[\d+\]/g, "cache[N]");
}

// Longest increasing run of `pairs` [a, b] (increasing in a) by b.
function increasing(pairs) {
  const tails = [], previous = new Array(pairs.length);
  pairs.forEach(([, b], index) => {
    let low = 0, high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[tails[middle]][1] < b) low = middle + 1; else high = middle;
    }
    previous[index] = low ? tails[low - 1] : -1;
    tails[low] = index;
  });
  const run = [];
  for (let at = tails.length ? tails[tails.length - 1] : -1; at >= 0; at = previous[at])
    run.push(pairs[at]);
  return run.reverse();
}

// Pairs [i, j] of equal elements, in order, of two arrays of numbers. Anchors
// on what is unique in both, then on what is longest in between.
function matchLines(left, right) {
  const pairs = [];
  const work = [[0, left.length, 0, right.length]];
  while (work.length) {
    let [a, aEnd, b, bEnd] = work.pop();
    while (a < aEnd && b < bEnd && left[a] === right[b]) pairs.push([a++, b++]);
    while (a < aEnd && b < bEnd && left[aEnd - 1] === right[bEnd - 1]) pairs.push([--aEnd, --bEnd]);
    if (a === aEnd || b === bEnd) continue;
    const anchors = uniqueAnchors(left, a, aEnd, right, b, bEnd);
    if (!anchors.length) {
      if ((aEnd - a) * (bEnd - b) <= 4e6)
        pairs.push(...commonSubsequence(left, a, aEnd, right, b, bEnd));
      continue;
    }
    let lastA = a, lastB = b;
    for (const [i, j] of anchors) {
      pairs.push([i, j]);
      work.push([lastA, i, lastB, j]);
      lastA = i + 1;
      lastB = j + 1;
    }
    work.push([lastA, aEnd, lastB, bEnd]);
  }
  return pairs.sort((x, y) => x[0] - y[0]);
}

function uniqueAnchors(left, a, aEnd, right, b, bEnd) {
  const seen = new Map();
  for (let i = a; i < aEnd; ++i) {
    const entry = seen.get(left[i]);
    if (entry) entry.left = -1; else seen.set(left[i], {left: i, right: -2});
  }
  for (let j = b; j < bEnd; ++j) {
    const entry = seen.get(right[j]);
    if (entry) entry.right = entry.right === -2 ? j : -1;
  }
  const pairs = [];
  for (const {left: i, right: j} of seen.values())
    if (i >= 0 && j >= 0) pairs.push([i, j]);
  return increasing(pairs.sort((x, y) => x[0] - y[0]));
}

// By the textbook's table; the caller bounds its size.
function commonSubsequence(left, a, aEnd, right, b, bEnd) {
  const rows = aEnd - a, columns = bEnd - b;
  const table = new Uint16Array((rows + 1) * (columns + 1));
  for (let i = rows - 1; i >= 0; --i)
    for (let j = columns - 1; j >= 0; --j)
      table[i * (columns + 1) + j] = left[a + i] === right[b + j]
        ? table[(i + 1) * (columns + 1) + j + 1] + 1
        : Math.max(table[(i + 1) * (columns + 1) + j], table[i * (columns + 1) + j + 1]);
  const pairs = [];
  for (let i = 0, j = 0; i < rows && j < columns;) {
    if (left[a + i] === right[b + j]) pairs.push([a + i++, b + j++]);
    else if (table[(i + 1) * (columns + 1) + j] >= table[i * (columns + 1) + j + 1]) ++i;
    else ++j;
  }
  return pairs;
}

const kWord = /[%@!#]?[\w.$-]+|\s+|./g;

// How much two lines have in common, 0 to 1.
function likeness(a, b) {
  const words = new Map();
  let total = 0, common = 0;
  for (const word of a.match(kWord) || [])
    if (word.trim()) { words.set(word, (words.get(word) || 0) + 1); ++total; }
  for (const word of b.match(kWord) || []) {
    if (!word.trim()) continue;
    ++total;
    const left = words.get(word) || 0;
    if (left) { words.set(word, left - 1); ++common; }
  }
  return total ? 2 * common / total : 1;
}

// Which removed line became which added one: [[i, j]…], in order.
function pairChanged(removed, added) {
  const n = removed.length, m = added.length;
  if (!n || !m) return [];
  if (n * m > 4000) return [];
  const best = new Float64Array((n + 1) * (m + 1));
  const like = new Float64Array(n * m);
  for (let i = n - 1; i >= 0; --i)
    for (let j = m - 1; j >= 0; --j) {
      const score = likeness(removed[i], added[j]);
      like[i * m + j] = score > 0.45 ? score : 0;
      best[i * (m + 1) + j] = Math.max(best[(i + 1) * (m + 1) + j], best[i * (m + 1) + j + 1],
        like[i * m + j] ? best[(i + 1) * (m + 1) + j + 1] + like[i * m + j] : 0);
    }
  const pairs = [];
  for (let i = 0, j = 0; i < n && j < m;) {
    const here = best[i * (m + 1) + j];
    if (like[i * m + j] && here === best[(i + 1) * (m + 1) + j + 1] + like[i * m + j]) pairs.push([i++, j++]);
    else if (here === best[(i + 1) * (m + 1) + j]) ++i;
    else ++j;
  }
  return pairs;
}

// Ranges [start, end) of both lines that the other does not have.
function changedWords(a, b) {
  const left = a.match(kWord) || [], right = b.match(kWord) || [];
  const numbers = new Map();
  const number = word => {
    const key = lineKey(word);
    if (!numbers.has(key)) numbers.set(key, numbers.size);
    return numbers.get(key);
  };
  const pairs = left.length * right.length > 250000 ? []
    : matchLines(left.map(number), right.map(number));
  const ranges = (words, kept) => {
    const found = [];
    let at = 0;
    words.forEach((word, index) => {
      if (!kept.has(index)) {
        const last = found[found.length - 1];
        if (last && last[1] === at) last[1] += word.length;
        else found.push([at, at + word.length]);
      }
      at += word.length;
    });
    return found;
  };
  return [ranges(left, new Set(pairs.map(p => p[0]))), ranges(right, new Set(pairs.map(p => p[1])))];
}

// Rows {left, right, kind} of line numbers from 0 (or -1), in order. Kinds:
// "same", "changed" (two lines that became each other), "removed", "added",
// and "moved" for a line that stands elsewhere on the other side.
function diffRows(leftLines, rightLines, exact) {
  const numbers = new Map();
  const number = line => {
    const key = exact ? line : lineKey(line);
    let known = numbers.get(key);
    if (known === undefined) numbers.set(key, known = numbers.size);
    return known;
  };
  const left = leftLines.map(number), right = rightLines.map(number);
  const pairs = matchLines(left, right);
  const rows = [];
  let a = 0, b = 0;
  const hunk = (aEnd, bEnd) => {
    const became = pairChanged(leftLines.slice(a, aEnd), rightLines.slice(b, bEnd));
    const start = [a, b];
    for (const [i, j] of became.concat([[aEnd - start[0], bEnd - start[1]]])) {
      while (a < start[0] + i) rows.push({left: a++, right: -1, kind: "removed"});
      while (b < start[1] + j) rows.push({left: -1, right: b++, kind: "added"});
      if (a < aEnd && b < bEnd) rows.push({left: a++, right: b++, kind: "changed"});
    }
  };
  for (const [i, j] of pairs.concat([[left.length, right.length]])) {
    hunk(i, j);
    if (i < left.length) rows.push({left: a++, right: b++, kind: "same"});
  }
  const gone = new Set(), come = new Set();
  for (const row of rows) {
    if (row.kind === "removed") gone.add(left[row.left]);
    if (row.kind === "added") come.add(right[row.right]);
  }
  for (const row of rows) {
    const text = row.left >= 0 ? leftLines[row.left] : rightLines[row.right];
    if (text.trim().length < 4) continue;
    if (row.kind === "removed" && come.has(left[row.left])) row.kind = "moved";
    else if (row.kind === "added" && gone.has(right[row.right])) row.kind = "moved";
  }
  return rows;
}

// Marks the rows of changes that say the same, apart from layers, as one
// shown before: row.repeat = true. Returns how many different ones there are.
function markRepeats(rows, leftLines, rightLines) {
  const seen = new Set();
  let kinds = 0;
  for (let at = 0; at < rows.length;) {
    if (rows[at].kind === "same") { ++at; continue; }
    let end = at;
    while (end < rows.length && rows[end].kind !== "same") ++end;
    // Within a long change, each row is judged by itself.
    const long = end - at > 24;
    const text = row => row.kind + "\n" + (row.left >= 0 ? layerKey(leftLines[row.left]) : "") +
      "\n" + (row.right >= 0 ? layerKey(rightLines[row.right]) : "");
    for (let from = at; from < end;) {
      const to = long ? from + 1 : end;
      const signature = rows.slice(from, to).map(text).join("\n");
      const repeat = seen.has(signature);
      if (!repeat) { seen.add(signature); ++kinds; }
      for (; from < to; ++from) rows[from].repeat = repeat;
    }
    at = end;
  }
  return kinds;
}

if (typeof module !== "undefined")
  module.exports = {lineKey, layerKey, matchLines, pairChanged, changedWords, diffRows, markRepeats};
