#include "DumpPage.h"

#include "Pages/Page.h"

namespace pagoda {

unsigned DumpPage::lineNumber(std::string_view line) {
  auto [entry, isNew] =
      known.try_emplace(std::string(line), static_cast<unsigned>(known.size()));
  if (isNew)
    lines.push_back(line);
  return entry->second;
}

void DumpPage::addIdle(unsigned number, std::string name) {
  steps.push_back({{"number", number}, {"name", std::move(name)}});
}

void DumpPage::addStep(unsigned number, std::string name, std::string summary,
                       std::string_view text, nlohmann::ordered_json graphs) {
  nlohmann::ordered_json numbers = nlohmann::ordered_json::array();
  while (!text.empty()) {
    size_t end = text.find('\n');
    numbers.push_back(lineNumber(text.substr(0, end)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  steps.push_back({{"number", number},
                   {"name", std::move(name)},
                   {"summary", std::move(summary)},
                   {"lines", std::move(numbers)},
                   {"graphs", std::move(graphs)}});
}

Status DumpPage::write(const std::string &path) const {
  PageLayout layout;
  layout.title = title;
  layout.body = "dump.html";
  layout.styles = {"page.css", "dump.css"};
  layout.scripts = {"page.js",       "diff.js", "graph.js",
                    "graph-view.js", "dump.js", "dump-start.js"};
  return writePage(
      path,
      makePage(layout, {{"title", title}, {"steps", steps}, {"lines", lines}}));
}

} // namespace pagoda
