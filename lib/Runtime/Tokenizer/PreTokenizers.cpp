#include "Pattern.h"
#include "Stages.h"
#include "Utf8.h"

namespace pagoda::rt {

namespace {

/// Cuts at the matches of a pattern.
class Split final : public PreTokenizer {
public:
  Split(std::string expression, flat::Behaviour behaviour, bool invert)
      : pattern(std::move(expression)), behaviour(behaviour), invert(invert) {}

  StatusOr<std::unique_ptr<Run>> start(size_t bytes) const override {
    auto run = std::make_unique<SplitRun>(*this);
    PAGODA_RETURN_IF_ERROR(run->matcher.prepare(bytes));
    return std::unique_ptr<Run>(std::move(run));
  }

  Status check() const override { return pattern.check(); }

private:
  class SplitRun final : public Run {
  public:
    explicit SplitRun(const Split &split)
        : matcher(split.pattern), split(split) {}

    Status apply(Pieces &pieces) override {
      pieces.next.clear();
      for (std::string_view piece : pieces.list)
        PAGODA_RETURN_IF_ERROR(cut(piece, pieces.next));
      pieces.list.swap(pieces.next);
      return Status();
    }

    Matcher matcher;

  private:
    Status cut(std::string_view text, std::vector<std::string_view> &out);
    void cutMerging(std::string_view text, std::vector<std::string_view> &out);

    const Split &split;
    /// Matches and what lies between, where pieces depend on their neighbours.
    struct Segment {
      size_t begin, end;
      bool match;
    };
    std::vector<Segment> segments;
  };

  Pattern pattern;
  flat::Behaviour behaviour;
  bool invert;
};

Status Split::SplitRun::cut(std::string_view text,
                            std::vector<std::string_view> &out) {
  bool isolated = split.behaviour == flat::Behaviour::Isolated;
  segments.clear();
  auto add = [&](size_t begin, size_t end, bool match) {
    if (begin == end)
      return;
    if (isolated)
      out.push_back(text.substr(begin, end - begin));
    else
      segments.push_back({begin, end, match != split.invert});
  };
  size_t done = 0, from = 0;
  while (from < text.size()) {
    PAGODA_ASSIGN_OR_RETURN(std::optional<Matcher::Match> match,
                            matcher.find(text, from));
    if (!match)
      break;
    if (match->begin == match->end) {
      // Nothing was matched; a cut is still made here.
      add(done, match->begin, false);
      done = match->begin;
      if (done == text.size())
        break;
      from = done + firstCodePoint(text.substr(done)).bytes;
      continue;
    }
    add(done, match->begin, false);
    add(match->begin, match->end, true);
    done = from = match->end;
  }
  add(done, text.size(), false);
  if (!isolated)
    cutMerging(text, out);
  return Status();
}

/// What the segments become: pieces of which some take their neighbours in.
void Split::SplitRun::cutMerging(std::string_view text,
                                 std::vector<std::string_view> &out) {
  bool first = true;
  size_t begin = 0, end = 0;
  bool lastMatch = false;
  auto flush = [&] {
    if (!first)
      out.push_back(text.substr(begin, end - begin));
    first = true;
  };
  for (const Segment &segment : segments) {
    bool joins = false;
    switch (split.behaviour) {
    case flat::Behaviour::Removed:
      flush();
      if (segment.match)
        continue;
      break;
    case flat::Behaviour::MergedWithPrevious:
      joins = segment.match && !lastMatch;
      break;
    case flat::Behaviour::MergedWithNext:
      joins = lastMatch && !segment.match;
      break;
    case flat::Behaviour::Contiguous:
      joins = segment.match == lastMatch;
      break;
    case flat::Behaviour::Isolated:
      break;
    }
    if (!joins || first) {
      flush();
      begin = segment.begin;
      first = false;
    }
    end = segment.end;
    lastMatch = segment.match;
  }
  flush();
}

/// Puts a space before each piece that does not begin with one.
class PrefixSpace final : public PreTokenizer {
public:
  StatusOr<std::unique_ptr<Run>> start(size_t) const override {
    return std::unique_ptr<Run>(new PrefixRun);
  }

private:
  class PrefixRun final : public Run {
    Status apply(Pieces &pieces) override {
      for (std::string_view &piece : pieces.list)
        if (piece.front() != ' ')
          piece = pieces.owned.emplace_back(concat(' ', piece));
      return Status();
    }
  };
};

} // namespace

StatusOr<std::unique_ptr<const PreTokenizer>>
makePreTokenizer(const StageArguments &arguments) {
  using Result = std::unique_ptr<const PreTokenizer>;
  switch (static_cast<flat::PreTokenizer>(arguments.kind)) {
  case flat::PreTokenizer::Split: {
    uint32_t behaviour = arguments.flags & flat::behaviourMask;
    if (behaviour > static_cast<uint32_t>(flat::Behaviour::Contiguous))
      return corruptData("tokenizer tables: a split has behaviour ", behaviour);
    return Result(new Split(std::string(arguments.text),
                            static_cast<flat::Behaviour>(behaviour),
                            arguments.flags & flat::invertFlag));
  }
  case flat::PreTokenizer::PrefixSpace:
    return Result(new PrefixSpace);
  }
  return unsupported("tokenizer tables: pre-tokenizer ", arguments.kind,
                     " is unknown");
}

} // namespace pagoda::rt
