#include "Page.h"

#include "pagoda/Base/StagedFile.h"

#include <cassert>
#include <nlohmann/json.hpp>

namespace pagoda {

namespace {

std::string_view part(std::string_view name) {
  for (const PagePart &part : pageParts())
    if (part.name == name)
      return part.text;
  assert(false && "no such part of a page");
  return {};
}

/// JSON for a script element: no "</script>", no "<!--". The line separators
/// were once no part of JavaScript's strings.
std::string embeddedJson(const nlohmann::ordered_json &data) {
  std::string text =
      data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (char c : text) {
    if (c == '<')
      safe += "\\u003c";
    else if (c == '>')
      safe += "\\u003e";
    else if (c == '&')
      safe += "\\u0026";
    else
      safe += c;
  }
  return safe;
}

} // namespace

std::string escapeHtml(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    switch (c) {
    case '&':
      escaped += "&amp;";
      break;
    case '<':
      escaped += "&lt;";
      break;
    case '>':
      escaped += "&gt;";
      break;
    case '"':
      escaped += "&quot;";
      break;
    case '\'':
      escaped += "&#39;";
      break;
    default:
      escaped += c;
    }
  }
  return escaped;
}

std::string makePage(const PageLayout &layout,
                     const nlohmann::ordered_json &data) {
  // The policy keeps a page from loading or sending anything, whatever it
  // shows.
  std::string html = "<!doctype html>\n<html lang=\"en\">\n<head>\n"
                     "<meta charset=\"utf-8\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" "
                     "content=\"default-src 'none'; "
                     "style-src 'unsafe-inline'; "
                     "script-src 'unsafe-inline'\">\n"
                     "<meta name=\"viewport\" "
                     "content=\"width=device-width, initial-scale=1\">\n";
  html += "<title>" + escapeHtml(layout.title) + "</title>\n";
  for (std::string_view style : layout.styles)
    html.append("<style>\n").append(part(style)).append("</style>\n");
  html.append("</head>\n<body>\n").append(part(layout.body));
  html += "<script type=\"application/json\" id=\"data\">\n" +
          embeddedJson(data) + "\n</script>\n";
  for (std::string_view script : layout.scripts)
    html.append("<script>\n").append(part(script)).append("</script>\n");
  html += "</body>\n</html>\n";
  return html;
}

Status writePage(const std::string &path, std::string_view html) {
  PAGODA_ASSIGN_OR_RETURN(StagedFile file, StagedFile::create(path));
  PAGODA_RETURN_IF_ERROR(file.writeAt(0, std::as_bytes(std::span(html))));
  return file.publish();
}

} // namespace pagoda
