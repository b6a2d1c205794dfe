//===- Progress.h - A bar while people wait ---------------------*- C++ -*-===//

#ifndef PAGODA_LIB_TOOLS_CLI_PROGRESS_H
#define PAGODA_LIB_TOOLS_CLI_PROGRESS_H

#include <string>

namespace pagoda::cli {

/// One line on standard error that is redrawn as work goes on, and erased at
/// the end. Nothing at all where standard error is not a terminal.
class Progress {
public:
  explicit Progress(std::string title);
  ~Progress();
  void show(const std::string &phase, double fraction);

private:
  std::string title;
  bool visible;
  int lastPercent = -1;
  std::string lastPhase;
};

} // namespace pagoda::cli

#endif // PAGODA_LIB_TOOLS_CLI_PROGRESS_H
