//===- DumpPage.h - The steps of a compile as a page ------------*- C++ -*-===//
//
// Collects what the page of --dump-ir shows and writes it. Lines that several
// steps share are kept once: most lines of a compile.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_TOOLS_DUMPPAGE_H
#define PAGODA_LIB_TOOLS_DUMPPAGE_H

#include "pagoda/Base/Status.h"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>

namespace pagoda {

class DumpPage {
public:
  explicit DumpPage(std::string title) : title(std::move(title)) {}

  /// A pass that changed nothing.
  void addIdle(unsigned number, std::string name);
  /// `graphs` as describeGraphs makes them.
  void addStep(unsigned number, std::string name, std::string summary,
               std::string_view text, nlohmann::ordered_json graphs);

  Status write(const std::string &path) const;

private:
  unsigned lineNumber(std::string_view line);

  std::string title;
  nlohmann::ordered_json steps = nlohmann::ordered_json::array();
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  std::unordered_map<std::string, unsigned> known;
};

} // namespace pagoda

#endif // PAGODA_LIB_TOOLS_DUMPPAGE_H
