//===- Page.h - HTML pages that stand alone ---------------------*- C++ -*-===//
//
// Puts a page together from the parts in this folder and the data that its
// scripts show. One file without references to others, so it opens from disk
// and can be sent around. Safe for any data: it travels as JSON in which
// nothing can end the script element, and scripts only make text of it.
//
//   std::string html = makePage({"A model", "dump.html", {"page.css"},
//                                {"page.js", "dump.js"}}, data);
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_TOOLS_PAGES_PAGE_H
#define PAGODA_LIB_TOOLS_PAGES_PAGE_H

#include "pagoda/Base/Status.h"

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pagoda {

/// A file of this folder.
struct PagePart {
  std::string_view name;
  std::string_view text;
};
std::span<const PagePart> pageParts();

struct PageLayout {
  std::string title;
  /// Names of parts: what stands in <body>, and styles and scripts in order.
  std::string_view body;
  std::vector<std::string_view> styles;
  std::vector<std::string_view> scripts;
};

std::string makePage(const PageLayout &layout,
                     const nlohmann::ordered_json &data);

/// Text with &, <, >, " and ' as entities.
std::string escapeHtml(std::string_view text);

/// Writes a page whole or not at all. Errors: IoError.
Status writePage(const std::string &path, std::string_view html);

} // namespace pagoda

#endif // PAGODA_LIB_TOOLS_PAGES_PAGE_H
