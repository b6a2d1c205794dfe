#include "Progress.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace pagoda::cli {

Progress::Progress(std::string title)
    : title(std::move(title)), visible(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (visible && lastPercent >= 0)
    std::fputs("\r\x1b[K", stderr);
}

void Progress::show(const std::string &phase, double fraction) {
  int percent = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * 100);
  if (!visible || (percent == lastPercent && phase == lastPhase))
    return;
  lastPercent = percent;
  lastPhase = phase;
  std::string bar(static_cast<size_t>(percent / 4), '#');
  bar.resize(25, '.');
  std::fprintf(stderr, "\r\x1b[K%s [%s] %3d %% %s", title.c_str(), bar.c_str(),
               percent, phase.c_str());
  std::fflush(stderr);
}

} // namespace pagoda::cli
