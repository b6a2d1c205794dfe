#include "KernelCases.h"

#include "pagoda/Base/Concat.h"

namespace pagoda::test {

namespace {

std::string heads(int64_t count, int64_t elements, const char *type = "f32") {
  return concat("tensor<?x", count, "x", elements, "x", type, ">");
}

struct Append {
  /// Query heads; 0: the queries stay outside.
  int64_t heads;
  int64_t kvHeads, elements;
  bool norm;
  /// "" for none.
  const char *style;
  int64_t pairs;
  const char *storage;
  int64_t block;
};

KernelCase appendCase(const Append &a) {
  std::string name = concat("kv_append_", a.heads, "_", a.kvHeads, "x",
                            a.elements, a.norm ? "_norm" : "",
                            *a.style ? concat("_", a.style, a.pairs) : "", "_",
                            a.storage, "_", a.block);
  std::string key = heads(a.kvHeads, a.elements);
  std::string query = heads(a.heads, a.elements);
  std::string stored = heads(a.kvHeads, a.elements, a.storage);
  std::string table = concat("tensor<64x", a.pairs, "x2xf32>");
  std::string weight = concat("tensor<", a.elements, "xf32>");
  std::string arguments =
      concat("%k0: ", key, ", %v0: ", key, ", %c: !llm.cache, %b: !llm.batch");
  if (a.heads)
    arguments += ", %q0: " + query;
  if (a.norm)
    arguments += concat(", %wk: ", weight, a.heads ? ", %wq: " + weight : "");
  if (*a.style)
    arguments += concat(", %p: tensor<?xi32>, %t: ", table);

  std::string body;
  int last = 0;
  auto chain = [&](const char *what, const std::string &type) {
    int at = 0;
    if (a.norm)
      body += concat("  %", what, ++at, " = llm.rms_norm %", what, 0, ", %w",
                     what, " epsilon 1.0e-06 : ", type, ", ", weight, "\n");
    if (*a.style) {
      body += concat("  %", what, at + 1, " = llm.rope ", a.style, " %", what,
                     at, ", %p, %t : (", type, ", tensor<?xi32>, ", table,
                     ") -> ", type, "\n");
      ++at;
    }
    last = at;
    return concat("%", what, at);
  };
  std::string k = chain("k", key), v = "%v0", q;
  if (a.heads)
    q = chain("q", query);
  if (stored != key) {
    body += concat("  %kh = llm.cast ", k, " : ", key, " to ", stored, "\n",
                   "  %vh = llm.cast %v0 : ", key, " to ", stored, "\n");
    k = "%kh";
    v = "%vh";
  }
  body += concat("  %n = llm.kv_append %c, ", k, ", ", v,
                 ", %b layer 0 : ", stored, "\n");
  body += a.heads && last > 0
              ? concat("  exec.yield ", q, ", %n : ", query, ", !llm.cache\n")
              : "  exec.yield %n : !llm.cache\n";
  return {"kv_append", name,
          concat("exec.kernel @", name,
                 " family \"kv_append\" parameters {block = ", a.block,
                 " : i64} {\n^bb0(", arguments, "):\n", body, "}\n")};
}

struct Attention {
  int64_t heads, kvHeads, elements, block, window;
  const char *storage;
  bool rounded = false;
};

KernelCase attentionCase(const Attention &a) {
  std::string name =
      concat("paged_attention_", a.heads, "_", a.kvHeads, "x", a.elements, "_b",
             a.block, a.window ? concat("_w", a.window) : "", "_", a.storage,
             a.rounded ? "_rounded" : "");
  std::string query = heads(a.heads, a.elements);
  std::string body =
      concat("  %o = llm.paged_attention %q, %c, %b layer 0 kv_heads ",
             a.kvHeads, " scale 0.21",
             a.window ? concat(" window ", a.window) : "", " : ", query, "\n");
  if (a.rounded) {
    std::string flat = concat("tensor<?x", a.heads * a.elements, "x");
    body += concat(
        "  %f = tensor.collapse_shape %o [[0], [1, 2]] : ", query, " into ",
        flat, "f32>\n  %r = llm.quantize %f : ", flat, "f32> to ", flat,
        "!llm.q<i8, group = 32, scale = f32>>\n  exec.yield %r : ", flat,
        "!llm.q<i8, group = 32, scale = f32>>\n");
  } else {
    body += concat("  exec.yield %o : ", query, "\n");
  }
  return {"paged_attention", name,
          concat("exec.kernel @", name,
                 " family \"paged_attention\" parameters {block = ", a.block,
                 " : i64, chunk = 64 : i64, dtype = ", a.storage,
                 "} {\n^bb0(%q: ", query,
                 ", %c: !llm.cache, %b: !llm.batch):\n", body, "}\n")};
}

} // namespace

std::vector<KernelCase> kv_appendCases() {
  std::vector<KernelCase> cases;
  for (const Append &a : {
           Append{0, 2, 16, false, "", 0, "f32", 16},
           Append{0, 1, 50, false, "half", 25, "f16", 16},
           Append{4, 2, 16, false, "half", 8, "f32", 16},
           Append{9, 3, 64, false, "interleaved", 32, "f16", 32},
           Append{4, 1, 32, true, "interleaved", 8, "f32", 64},
           Append{2, 2, 80, true, "half", 40, "f16", 16},
           Append{8, 1, 128, true, "half", 32, "f16", 32},
           Append{2, 1, 20, true, "", 0, "f32", 16},
       })
    cases.push_back(appendCase(a));
  return cases;
}

std::vector<KernelCase> paged_attentionCases() {
  std::vector<KernelCase> cases;
  for (const Attention &a : {
           Attention{4, 2, 16, 16, 0, "f32"},
           Attention{1, 1, 20, 16, 0, "f32"},
           Attention{4, 1, 32, 16, 8, "f16"},
           Attention{9, 3, 64, 16, 0, "f16"},
           Attention{2, 2, 64, 32, 20, "f32"},
           Attention{8, 8, 40, 64, 0, "f32"},
           Attention{6, 2, 96, 64, 64, "f16"},
           Attention{8, 1, 128, 16, 17, "f32"},
           Attention{4, 2, 32, 16, 0, "f32", true},
           Attention{3, 1, 64, 32, 33, "f16", true},
       })
    cases.push_back(attentionCase(a));
  return cases;
}

} // namespace pagoda::test
