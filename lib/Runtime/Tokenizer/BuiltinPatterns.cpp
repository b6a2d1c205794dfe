#include "BuiltinPatterns.h"

#include <algorithm>
#include <iterator>

namespace pagoda::rt {

namespace patterns {

// Llama-3's, and Qwen-2's, which takes digits one by one.
#define PAGODA_CONTRACTIONS                                                    \
  R"((?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|)"
#define PAGODA_WORDS R"([^\r\n\p{L}\p{N}]?\p{L}+|)"
#define PAGODA_REST R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"

static constexpr std::string_view gpt2Alone[] = {gpt2};
static constexpr std::string_view digitsThenGpt2[] = {R"(\p{N})", gpt2};
static constexpr std::string_view llama3[] = {PAGODA_CONTRACTIONS PAGODA_WORDS
                                              R"(\p{N}{1,3})" PAGODA_REST};
static constexpr std::string_view qwen2[] = {PAGODA_CONTRACTIONS PAGODA_WORDS
                                             R"(\p{N})" PAGODA_REST};
// Mistral's: a word is capitals followed by small letters.
static constexpr std::string_view tekken[] = {
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|)"
    R"(\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
static constexpr std::string_view unnamed[] = {
    R"([\p{P}\$\+<=>\^~\|]+)", gpt2, R"(\p{N}+)", R"([0-9][0-9][0-9])"};

} // namespace patterns

namespace {

constexpr GgufPreTokenizer preTokenizers[] = {
    {"default", patterns::unnamed, false, false},

    {"gpt-2", patterns::gpt2Alone, false, false},
    {"phi-2", patterns::gpt2Alone, false, false},
    {"mpt", patterns::gpt2Alone, false, false},
    {"olmo", patterns::gpt2Alone, false, false},
    {"jais", patterns::gpt2Alone, false, false},
    {"trillion", patterns::gpt2Alone, false, false},
    {"exaone4", patterns::gpt2Alone, false, false},
    {"roberta-bpe", patterns::gpt2Alone, false, false},

    {"smollm", patterns::digitsThenGpt2, false, false},
    {"starcoder", patterns::digitsThenGpt2, false, false},
    {"refact", patterns::digitsThenGpt2, false, false},
    {"command-r", patterns::digitsThenGpt2, false, false},
    {"codeshell", patterns::digitsThenGpt2, false, false},
    {"exaone", patterns::digitsThenGpt2, false, false},
    {"minerva-7b", patterns::digitsThenGpt2, false, false},

    {"llama-bpe", patterns::llama3, true, true},
    {"llama3", patterns::llama3, true, true},
    {"llama-v3", patterns::llama3, true, true},
    {"falcon3", patterns::llama3, true, true},
    {"pixtral", patterns::llama3, true, true},
    {"lfm2", patterns::llama3, true, true},

    {"dbrx", patterns::llama3, false, false},
    {"smaug-bpe", patterns::llama3, false, false},
    {"glm4", patterns::llama3, true, false},
    {"chatglm-bpe", patterns::llama3, false, false},

    {"qwen2", patterns::qwen2, false, false},
    {"deepseek-r1-qwen", patterns::qwen2, false, false},
    {"megrez", patterns::qwen2, false, false},
    {"stablelm2", patterns::qwen2, false, false},
    {"hunyuan", patterns::qwen2, false, false},

    {"tekken", patterns::tekken, true, true},
};

} // namespace

const GgufPreTokenizer *findGgufPreTokenizer(std::string_view name) {
  auto row = std::find_if(std::begin(preTokenizers), std::end(preTokenizers),
                          [&](auto &row) { return row.name == name; });
  return row == std::end(preTokenizers) ? nullptr : row;
}

} // namespace pagoda::rt
