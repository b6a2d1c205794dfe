#include "InspectText.h"

#include "Table.h"
#include "pagoda/Base/Concat.h"

namespace pagoda {

namespace {

uint64_t number(const Json &object, const char *key) {
  return object.at(key).get<uint64_t>();
}

std::string text(const Json &object, const char *key) {
  return object.at(key).get<std::string>();
}

std::string indented(const std::string &lines, const char *indent) {
  std::string result;
  size_t begin = 0;
  while (begin < lines.size()) {
    size_t end = std::min(lines.find('\n', begin), lines.size());
    if (end > begin)
      result += indent + lines.substr(begin, end - begin);
    result += "\n";
    begin = end + 1;
  }
  return result;
}

std::string cacheText(const Json &cache) {
  std::string result =
      concat("cache      ", text(cache, "type"), ", ", number(cache, "layers"),
             " layers, blocks of ", number(cache, "block_tokens"), " tokens, ",
             formatCount(number(cache, "bytes_per_token")), " bytes a token\n");
  for (const Json &shape : cache.at("shapes")) {
    result += concat("           ", number(shape, "layers"), " x ",
                     number(shape, "kv_heads"), " heads of ",
                     number(shape, "key_elements"));
    if (number(shape, "value_elements") != number(shape, "key_elements"))
      result += concat(" (values: ", number(shape, "value_elements"), ")");
    if (uint64_t window = number(shape, "window"))
      result += concat(", window of ", window, " tokens");
    result += "\n";
  }
  return result;
}

/// "slot 2", "weight blk.0.attn_q", "keys[3]": an argument of a launch.
std::string argumentText(const Json &argument) {
  if (argument.contains("slot"))
    return concat("slot ", number(argument, "slot"));
  if (argument.contains("weight"))
    return text(argument, "weight");
  if (argument.contains("input"))
    return text(argument, "input");
  const char *pool = argument.contains("keys") ? "keys" : "values";
  return concat(pool, "[", number(argument, pool), "]");
}

} // namespace

std::string summaryText(const Json &summary) {
  const Json &model = summary.at("model"), &weights = summary.at("weights");
  std::string result =
      concat(text(model, "name"), " (", text(model, "architecture"), "), ",
             formatBytes(number(summary, "bytes")), ", written by ",
             text(summary, "producer"), "\n");
  result += concat("precision  ", text(model, "precision"), "\nvocabulary ",
                   number(model, "vocabulary"), "\ncontext    ",
                   number(model, "context_length"), " tokens\n");
  if (!summary.at("cache").is_null())
    result += cacheText(summary.at("cache"));
  for (const Json &target : summary.at("targets"))
    result += concat("kernels    ", number(target, "kernels"), " for ",
                     text(target, "target"), ", ",
                     formatBytes(number(target, "bytes")),
                     target.at("runs_here").get<bool>()
                         ? ""
                         : " (this machine does not run them)",
                     "\n");
  for (const Json &entry : summary.at("entries")) {
    std::vector<std::string> inputs;
    for (const Json &input : entry.at("inputs"))
      inputs.push_back(input.get<std::string>());
    result += concat("entry      ", text(entry, "name"), "(", join(inputs),
                     "): ", number(entry, "launches"), " launches, ",
                     number(entry, "slots"), " slots\n");
  }
  result += concat("weights    ", number(weights, "count"), ", ",
                   formatBytes(number(weights, "bytes")), "\n");
  if (uint64_t bytes = number(summary, "tokenizer_bytes"))
    result += concat("tokenizer  ", formatBytes(bytes), "\n");
  else
    result += "tokenizer  none\n";
  return printable(result, /*lines=*/true);
}

std::string weightsText(const Json &weights) {
  Table table({{"weight"},
               {"type"},
               {"bytes", Table::Right},
               {"share", Table::Right},
               {"from"}});
  for (const Json &weight : weights)
    table.add({text(weight, "name"), text(weight, "type"),
               formatCount(number(weight, "bytes")),
               formatShare(weight.at("share").get<double>()),
               text(weight, "expression")});
  return table.text();
}

std::string kernelsText(const Json &kernels, bool sources) {
  std::string result;
  if (!sources) {
    Table table({{"kernel"},
                 {"family"},
                 {"launches", Table::Right},
                 {"target"},
                 {"code", Table::Right},
                 {"scratch", Table::Right}});
    for (const Json &kernel : kernels) {
      bool first = true;
      for (const Json &code : kernel.at("code")) {
        table.add({first ? text(kernel, "name") : "",
                   first ? text(kernel, "family") : "",
                   first ? formatCount(number(kernel, "launches")) : "",
                   text(code, "target"), formatCount(number(code, "bytes")),
                   formatCount(number(code, "scratch_bytes"))});
        first = false;
      }
    }
    return table.text();
  }
  for (const Json &kernel : kernels) {
    result +=
        concat(result.empty() ? "" : "\n", "kernel ", text(kernel, "name"),
               ", family ", text(kernel, "family"), ", launched ",
               number(kernel, "launches"), " times a step\n");
    for (const Json &code : kernel.at("code"))
      result += concat("  ", text(code, "target"), ": run at +",
                       number(code, "run_offset"), ", tiles at +",
                       number(code, "tiles_offset"), ", ",
                       formatCount(number(code, "bytes")), " bytes of code, ",
                       formatCount(number(code, "scratch_bytes")),
                       " bytes of scratch memory\n");
    result += "  contract:\n" + indented(text(kernel, "contract"), "    ") +
              "  source:\n" + indented(text(kernel, "source"), "    ");
  }
  return printable(result, /*lines=*/true);
}

std::string programText(const Json &program) {
  std::string result;
  for (const Json &entry : program) {
    std::vector<std::string> inputs, dims;
    for (const Json &input : entry.at("inputs"))
      inputs.push_back(input.get<std::string>());
    for (const Json &dim : entry.at("dims"))
      dims.push_back(dim.get<std::string>());
    result += printable(concat(result.empty() ? "" : "\n", "entry ",
                               text(entry, "name"), "(", join(inputs),
                               ") over ", join(dims), "\n"),
                        true);
    Table slots({{"slot", Table::Right}, {"bytes"}});
    unsigned index = 0;
    for (const Json &slot : entry.at("slots"))
      slots.add({std::to_string(index++), slot.get<std::string>()});
    result += "\n" + slots.text() + "\n";
    Table launches({{"launch", Table::Right},
                    {"place"},
                    {"kernel"},
                    {"rows"},
                    {"arguments"}});
    index = 0;
    for (const Json &launch : entry.at("launches")) {
      std::vector<std::string> arguments;
      for (const Json &argument : launch.at("arguments"))
        arguments.push_back(argumentText(argument));
      launches.add({std::to_string(index++), text(launch, "place"),
                    text(launch, "kernel"), text(launch, "rows"),
                    join(arguments)});
    }
    result += launches.text();
    for (const Json &output : entry.at("outputs"))
      result += printable(
          concat("\noutput ", text(output, "name"), ": slot ",
                 number(output, "slot"), ", ", text(output, "rows"), " x ",
                 number(output, "width"), " ", text(output, "type"), "\n"),
          true);
  }
  return result;
}

std::string sizesText(const Json &sizes) {
  Table table({{"part of the file"},
               {"bytes", Table::Right},
               {"share", Table::Right},
               {""}});
  for (const Json &part : sizes.at("parts"))
    table.add({text(part, "part"), formatCount(number(part, "bytes")),
               formatShare(part.at("share").get<double>()),
               text(part, "note")});
  table.add({"all", formatCount(number(sizes, "bytes")), "", ""});
  return table.text();
}

std::string memoryText(const Json &memory) {
  const Json &bytes = memory.at("bytes"),
             &largest = memory.at("largest_context");
  std::string result = printable(
      concat("memory for ", number(memory, "sequences"), " x ",
             number(memory, "context"), " tokens, steps of ",
             number(memory, "chunk"), " tokens, ", number(memory, "threads"),
             " threads, kernels for ", text(memory, "target"), "\n\n"),
      true);
  Table table({{""}, {"bytes", Table::Right}, {""}});
  auto row = [&](const char *name, const char *key, std::string note) {
    table.add({name, formatCount(number(bytes, key)), std::move(note)});
  };
  row("weights", "weights", "mapped from the file, shared by processes");
  row("kernels", "kernel_code", "mapped from the file");
  row("keys and values", "keys_and_values",
      concat("for ", formatCount(number(memory, "cache_tokens")),
             " tokens, taken as they come"));
  row("activations", "activations", "of the largest step");
  row("scratch", "scratch", "of all threads");
  row("allocated", "allocated", "keys and values, activations, scratch");
  row("in all", "total", formatBytes(number(bytes, "total")));
  result += table.text() + "\n";
  result += concat(
      "a machine of ", formatBytes(number(memory, "machine_bytes")), ": ",
      memory.at("fits").get<bool>() ? "it fits" : "it does NOT fit", "\n");
  if (!memory.at("cache_holds_all").get<bool>())
    result += "the cache gets a quarter of the memory, which does not hold all "
              "sequences at full length: some would wait\n";
  result +=
      concat("longest context for ", number(memory, "sequences"),
             number(memory, "sequences") == 1 ? " sequence: " : " sequences: ",
             formatCount(number(largest, "tokens")), " tokens, limited by ",
             text(largest, "limited_by"), "\n");
  return result;
}

} // namespace pagoda
