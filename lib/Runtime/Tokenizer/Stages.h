//===- Stages.h - The steps between text and ids ----------------*- C++ -*-===//
//
// A tokenizer is a row of stages: normalizers change the text, pre-tokenizers
// cut it into pieces, a model turns a piece into ids, a decoder turns ids into
// bytes. Each kind of stage is one class here and one row in a table of its
// file (and one row where its name in tokenizer.json is read); the pipeline in
// Tokenizer.cpp knows none of them.
//
// Stages are immutable and shared by threads. What a stage needs while it
// works belongs to a Run, made for each text.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_TOKENIZER_STAGES_H
#define PAGODA_LIB_RUNTIME_TOKENIZER_STAGES_H

#include "FlatReader.h"

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pagoda::rt {

/// What the tables say of a stage.
struct StageArguments {
  uint16_t kind = 0;
  uint32_t flags = 0;
  std::string_view text;
};

class Normalizer {
public:
  virtual ~Normalizer() = default;
  /// `text` (valid UTF-8) itself where nothing changes, else a view of
  /// `storage`.
  virtual std::string_view apply(std::string_view text,
                                 std::string &storage) const = 0;
};

/// The pieces that a text has been cut into so far. None is empty.
struct Pieces {
  std::vector<std::string_view> list;
  /// Where a pre-tokenizer puts its result before it becomes `list`.
  std::vector<std::string_view> next;
  /// Text that is not part of the original.
  std::deque<std::string> owned;
};

class PreTokenizer {
public:
  class Run {
  public:
    virtual ~Run() = default;
    virtual Status apply(Pieces &pieces) = 0;
  };
  virtual ~PreTokenizer() = default;
  /// Gets ready for a text of `bytes`.
  virtual StatusOr<std::unique_ptr<Run>> start(size_t bytes) const = 0;
  /// Whether the stage can work at all; costs time.
  virtual Status check() const { return Status(); }
};

class Model {
public:
  class Run {
  public:
    virtual ~Run() = default;
    /// Appends the ids of `piece`, which is not empty.
    virtual void tokenize(std::string_view piece,
                          std::vector<uint32_t> &ids) = 0;
  };
  virtual ~Model() = default;
  virtual std::unique_ptr<Run> start() const = 0;
};

class Decoder {
public:
  virtual ~Decoder() = default;
  /// Appends what `id` adds to the text.
  virtual void append(uint32_t id, std::string &bytes) const = 0;
};

// Errors: Unsupported for an unknown kind, CorruptData for bad arguments. What
// the stages see of `tokens` and `reader` must outlive them.
StatusOr<std::unique_ptr<const Normalizer>>
makeNormalizer(const StageArguments &arguments);
StatusOr<std::unique_ptr<const PreTokenizer>>
makePreTokenizer(const StageArguments &arguments);
StatusOr<std::unique_ptr<const Model>>
makeModel(const StageArguments &arguments, const FlatReader &reader,
          const TokenTable &tokens);
StatusOr<std::unique_ptr<const Decoder>>
makeDecoder(const StageArguments &arguments, const TokenTable &tokens);

} // namespace pagoda::rt

#endif // PAGODA_LIB_RUNTIME_TOKENIZER_STAGES_H
