//===- StopFilter.h - Streams that end at a string --------------*- C++ -*-===//
//
// Lets text through up to the first stop string. A tail that could still grow
// into one is held back until it cannot, or until the end. For text streams.
//
//   StopFilter filter({"\nUser:", "</s>"});
//   send(filter.push("Hello\nUs"));  // "Hello"
//   send(filter.push("ually"));      // "\nUsually"
//   send(filter.push("\nUser: "));   // "", and filter.stopped()
//   send(filter.flush());            // what was held and did not become one
//
// The first stop string to be complete ends the text, and of several that are
// complete at once the longest: as if the text came byte by byte, however it is
// cut. Stop strings begin where a character begins, so a text of whole
// characters is never cut inside one.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_GENERATION_STOPFILTER_H
#define PAGODA_RUNTIME_GENERATION_STOPFILTER_H

#include "pagoda/Base/Status.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pagoda::rt {

/// Refuses empty strings, which are everywhere.
Status checkStopStrings(std::span<const std::string> stops);

class StopFilter {
public:
  explicit StopFilter(std::span<const std::string> stops);

  /// The text that is certain now. Nothing after a stop string.
  std::string push(std::string_view text);
  /// The end of the text: releases what is held, unless it stopped.
  std::string flush();

  bool stopped() const { return hasStopped; }

private:
  /// A stop string and how much of it the text ends with.
  struct Pattern {
    std::string text;
    /// [text.size() + 1] For a match of n bytes the longest shorter one that
    /// is also a match (Knuth, Morris and Pratt's failure function).
    std::vector<size_t> shorter;
    size_t matched = 0;

    void advance(char byte);
  };

  std::vector<Pattern> patterns;
  /// What is held: the end of the text, a beginning of some stop string.
  std::string held;
  bool hasStopped = false;
};

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_GENERATION_STOPFILTER_H
