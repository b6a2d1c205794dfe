#include "Commands.h"
#include "Options.h"
#include "pagoda/Files/Json.h"
#include "pagoda/Runtime/Tokenizer/LoadTokenizer.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

namespace pagoda::cli {

namespace {

struct TokenizeArguments {
  std::string path;
  std::string text, decodeIds;
  bool jsonl = false, addSpecial = false;
};

StatusOr<rt::Tokenizer> openTokenizer(const std::string &path) {
  if (path.ends_with(".pgd")) {
    ModelOptions options;
    options.path = path;
    PAGODA_ASSIGN_OR_RETURN(Model model, openModel(options));
    if (!model.tokenizer)
      return notFound("'", path, "' has no tokenizer");
    return *std::move(model.tokenizer);
  }
  PAGODA_ASSIGN_OR_RETURN(std::optional<rt::Tokenizer> tokenizer,
                          rt::loadTokenizer(path));
  if (!tokenizer)
    return notFound("'", path, "' has no tokenizer");
  return *std::move(tokenizer);
}

/// Reads {"text": …} lines and writes what the tokenizer makes of each.
Status tokenizeLines(const rt::Tokenizer &tokenizer) {
  std::string line;
  for (size_t number = 1; std::getline(std::cin, line); ++number) {
    PAGODA_ASSIGN_OR_RETURN(JsonDocument document,
                            JsonDocument::parse(line, concat("line ", number)));
    PAGODA_ASSIGN_OR_RETURN(std::string_view text,
                            document.root().getString("text"));
    PAGODA_ASSIGN_OR_RETURN(std::vector<rt::TokenId> ids,
                            tokenizer.encode(text, {false, true}));
    PAGODA_ASSIGN_OR_RETURN(std::vector<rt::TokenId> special,
                            tokenizer.encode(text, {true, true}));
    nlohmann::ordered_json result = {
        {"ids", ids},
        {"ids_special", special},
        {"decoded", tokenizer.decode(ids)},
        {"decoded_skip", tokenizer.decode(ids, true)}};
    std::cout << result.dump(-1, ' ', false,
                             nlohmann::json::error_handler_t::replace)
              << '\n';
  }
  return {};
}

Status tokenize(const TokenizeArguments &arguments) {
  PAGODA_ASSIGN_OR_RETURN(rt::Tokenizer tokenizer,
                          openTokenizer(arguments.path));
  if (arguments.jsonl)
    return tokenizeLines(tokenizer);
  if (!arguments.decodeIds.empty()) {
    PAGODA_ASSIGN_OR_RETURN(std::vector<int32_t> ids,
                            parseIds(arguments.decodeIds, "--decode"));
    std::cout << tokenizer.decode(ids) << '\n';
    return {};
  }
  PAGODA_ASSIGN_OR_RETURN(
      std::vector<rt::TokenId> ids,
      tokenizer.encode(arguments.text, {arguments.addSpecial, true}));
  for (rt::TokenId id : ids)
    std::cout << id << '\t'
              << nlohmann::json(tokenizer.tokenBytes(id))
                     .dump(-1, ' ', false,
                           nlohmann::json::error_handler_t::replace)
              << '\n';
  return {};
}

} // namespace

void addTokenize(CLI::App &app, const Choose &choose) {
  auto arguments = std::make_shared<TokenizeArguments>();
  CLI::App *command =
      app.add_subcommand("tokenize", "Turn text into token ids and back");
  command
      ->add_option("MODEL", arguments->path,
                   "a model of any kind, or a tokenizer.json")
      ->required();
  command->add_option("TEXT", arguments->text, "the text");
  command->add_flag("--special", arguments->addSpecial,
                    "with the tokens that begin and end a text");
  command->add_option("--decode", arguments->decodeIds,
                      "ids such as 5,17,3 to be turned into text");
  command->add_flag("--jsonl", arguments->jsonl,
                    "read lines {\"text\": …} and write lines with ids, "
                    "ids_special, decoded and decoded_skip");
  addExamples(*command, {"pagoda tokenize model.gguf \"Hello, world\"",
                         "pagoda tokenize model.gguf --decode 5,17,3"});
  command->callback([=] { choose([=] { return tokenize(*arguments); }); });
}

} // namespace pagoda::cli
