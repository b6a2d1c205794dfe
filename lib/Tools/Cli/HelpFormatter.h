//===- HelpFormatter.h - How --help looks -----------------------*- C++ -*-===//

#ifndef PAGODA_LIB_TOOLS_CLI_HELPFORMATTER_H
#define PAGODA_LIB_TOOLS_CLI_HELPFORMATTER_H

#include <CLI/App.hpp>
#include <CLI/Formatter.hpp>
#include <string>
#include <vector>

namespace pagoda::cli {

/// Helps within 80 columns that name values by what they are (N, fast|exact)
/// instead of the types they are parsed as.
class HelpFormatter : public CLI::Formatter {
public:
  std::string make_help(const CLI::App *app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

/// What an option may be, where it is checked against a list; else nothing.
std::vector<std::string> choicesOf(const CLI::Option &option);

} // namespace pagoda::cli

#endif // PAGODA_LIB_TOOLS_CLI_HELPFORMATTER_H
