#include "pagoda/Runtime/Generation/StopFilter.h"

#include <algorithm>
#include <utility>

namespace pagoda::rt {

Status checkStopStrings(std::span<const std::string> stops) {
  for (const std::string &stop : stops)
    if (stop.empty())
      return invalidArgument("a stop string is empty: every text holds it");
  return Status();
}

StopFilter::StopFilter(std::span<const std::string> stops) {
  for (const std::string &stop : stops) {
    if (stop.empty())
      continue;
    Pattern pattern;
    pattern.text = stop;
    pattern.shorter.assign(stop.size() + 1, 0);
    for (size_t length = 2, matched = 0; length <= stop.size(); ++length) {
      char last = stop[length - 1];
      while (matched > 0 && stop[matched] != last)
        matched = pattern.shorter[matched];
      if (stop[matched] == last)
        ++matched;
      pattern.shorter[length] = matched;
    }
    patterns.push_back(std::move(pattern));
  }
}

void StopFilter::Pattern::advance(char byte) {
  while (matched > 0 && text[matched] != byte)
    matched = shorter[matched];
  if (text[matched] == byte)
    ++matched;
}

std::string StopFilter::push(std::string_view text) {
  if (hasStopped)
    return {};
  for (char byte : text) {
    held.push_back(byte);
    size_t complete = 0;
    for (Pattern &pattern : patterns) {
      pattern.advance(byte);
      if (pattern.matched == pattern.text.size())
        complete = std::max(complete, pattern.matched);
    }
    if (complete > 0) {
      hasStopped = true;
      held.resize(held.size() - complete);
      return std::exchange(held, {});
    }
  }
  size_t keep = 0;
  for (const Pattern &pattern : patterns)
    keep = std::max(keep, pattern.matched);
  std::string certain = held.substr(0, held.size() - keep);
  held.erase(0, certain.size());
  return certain;
}

std::string StopFilter::flush() {
  for (Pattern &pattern : patterns)
    pattern.matched = 0;
  return std::exchange(held, {});
}

} // namespace pagoda::rt
