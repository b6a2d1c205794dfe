#include "StepProfile.h"

#include <algorithm>
#include <map>

namespace pagoda {

namespace {

/// What launches of a kind took and had to do, over all steps.
struct Sums {
  uint64_t launches = 0;
  double seconds = 0; // of all threads together
  double bytes = 0, operations = 0, leastSeconds = 0;

  void add(const Sums &other) {
    launches += other.launches;
    seconds += other.seconds;
    bytes += other.bytes;
    operations += other.operations;
    leastSeconds += other.leastSeconds;
  }
};

double seconds(rt::TraceClock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

/// Keys that the tokens of a step attend to, each counted for itself, and those
/// that a sequence has to be read for.
struct Keys {
  double attended = 0, read = 0;
};

Keys countKeys(const rt::TracedStep &step, uint32_t window) {
  Keys keys;
  for (size_t s = 0; s < step.kvLength.size(); ++s) {
    int64_t tokens = step.qStart[s + 1] - step.qStart[s],
            length = step.kvLength[s];
    int64_t seen = window ? window : length;
    keys.read +=
        static_cast<double>(std::min<int64_t>(length, seen + tokens - 1));
    for (int64_t t = length - tokens + 1; t <= length; ++t)
      keys.attended += static_cast<double>(std::min(t, seen));
  }
  return keys;
}

class Profiler {
public:
  Profiler(const Artifact &artifact, const artifact::Entry &entry,
           const MachineLimits &limits)
      : program(artifact.program()), entry(entry), limits(limits),
        launches(entry.launches()->size()) {}

  void add(const rt::TracedStep &step) {
    std::vector<double> busy(entry.launches()->size());
    for (const std::vector<rt::TracedPiece> &pieces : step.pieces)
      for (const rt::TracedPiece &piece : pieces)
        busy[piece.launch] += seconds(piece.end - piece.begin);
    for (unsigned i = 0; i < busy.size(); ++i) {
      const artifact::Launch &launch = *entry.launches()->Get(i);
      Sums sums = demand(launch, step);
      sums.launches = 1;
      sums.seconds = busy[i];
      launches[i].add(sums);
      total.add(sums);
    }
    wall += seconds(step.end - step.begin);
    threads = step.pieces.size();
    tokens += step.qStart.empty() ? 0 : step.qStart.back();
    ++steps;
  }

  Json result() const {
    Json json = {{"steps", steps},
                 {"tokens", static_cast<double>(tokens) / steps},
                 {"threads", threads},
                 {"ms", wall / steps * 1e3},
                 {"tokens_per_s", static_cast<double>(tokens) / wall},
                 {"waiting_ms", (wall - total.seconds / threads) / steps * 1e3},
                 {"all", describe(total)}};
    json["kernels"] = byKernel();
    json["layers"] = byLayer();
    return json;
  }

private:
  /// The one that takes most of the time first.
  Json byKernel() const {
    std::map<unsigned, Sums> kernels;
    for (unsigned i = 0; i < launches.size(); ++i)
      kernels[entry.launches()->Get(i)->kernel()].add(launches[i]);
    Json list = Json::array();
    for (const auto &[kernel, sums] : kernels) {
      const artifact::Kernel *known = program.kernels()->Get(kernel);
      Json line = {{"kernel", known->name()->str()},
                   {"family", known->family()->str()}};
      line.update(describe(sums));
      list.push_back(std::move(line));
    }
    auto order = [](const Json &line) {
      return std::pair(-line["ms"].get<double>(),
                       line["kernel"].get<std::string>());
    };
    std::sort(list.begin(), list.end(), [&](const Json &a, const Json &b) {
      return order(a) < order(b);
    });
    return list;
  }

  /// In the order of the program. A layer's name is empty for launches between
  /// layers.
  Json byLayer() const {
    Json list = Json::array();
    Sums layer;
    for (unsigned i = 0; i < launches.size(); ++i) {
      const artifact::Launch &launch = *entry.launches()->Get(i);
      std::string name = layerOf(place(launch));
      if (list.empty() || list.back()["layer"] != name) {
        list.push_back({{"layer", name}, {"kernels", Json::array()}});
        layer = {};
      }
      layer.add(launches[i]);
      Json line = {
          {"place", place(launch)},
          {"kernel", program.kernels()->Get(launch.kernel())->name()->str()}};
      line.update(describe(launches[i]));
      list.back()["kernels"].push_back(std::move(line));
      list.back().update(describe(layer));
    }
    return list;
  }

  static std::string_view place(const artifact::Launch &launch) {
    return launch.place() ? launch.place()->string_view() : std::string_view();
  }

  /// Bytes and operations of one launch, and how long they take at least.
  Sums demand(const artifact::Launch &launch,
              const rt::TracedStep &step) const {
    const artifact::Kernel &kernel = *program.kernels()->Get(launch.kernel());
    Sums sums;
    std::string_view dim = entry.dims()->Get(launch.rows_dim())->string_view();
    double rows = dim == "rows" ? step.rows
                  : dim == "sequences"
                      ? static_cast<double>(step.kvLength.size())
                  : step.qStart.empty() ? 0
                                        : step.qStart.back();
    sums.operations = rows * static_cast<double>(kernel.row_operations());
    if (launch.arguments())
      for (const artifact::Argument *argument : *launch.arguments())
        addArgument(*argument, kernel, step, sums);
    bool isInteger = kernel.family()->string_view().ends_with("_i8");
    double rate = isInteger ? limits.int8OperationsPerSecond
                            : limits.floatOperationsPerSecond;
    sums.leastSeconds = std::max(limits.readBytesPerSecond > 0
                                     ? sums.bytes / limits.readBytesPerSecond
                                     : 0,
                                 rate > 0 ? sums.operations / rate : 0);
    return sums;
  }

  void addArgument(const artifact::Argument &argument,
                   const artifact::Kernel &kernel, const rt::TracedStep &step,
                   Sums &sums) const {
    switch (argument.kind()) {
    case artifact::ArgumentKind::Weight: // others read single rows
      if (kernel.row_operations() > 0)
        sums.bytes += static_cast<double>(
            program.weights()->Get(argument.index())->bytes());
      break;
    case artifact::ArgumentKind::KeyPool:
    case artifact::ArgumentKind::ValuePool: {
      if (kernel.key_operations() == 0)
        break;
      bool isKeys = argument.kind() == artifact::ArgumentKind::KeyPool;
      const artifact::Cache &cache = *program.cache();
      const artifact::CacheLayer *layer = cache.layers()->Get(argument.index());
      Keys keys = countKeys(step, layer->window());
      double elements =
          isKeys ? layer->key_elements() : layer->value_elements();
      sums.bytes += keys.read * elements * layer->kv_heads() *
                    (cache.type() == artifact::CacheType::F16 ? 2 : 4);
      if (isKeys)
        sums.operations +=
            keys.attended * static_cast<double>(kernel.key_operations());
      break;
    }
    case artifact::ArgumentKind::Slot:
    case artifact::ArgumentKind::Input:
      break;
    }
  }

  /// Of one step, on the mean.
  Json describe(const Sums &sums) const {
    double spent = sums.seconds / static_cast<double>(threads);
    return {{"launches", static_cast<double>(sums.launches) / steps},
            {"ms", spent / steps * 1e3},
            {"share", wall > 0 ? spent / wall : 0},
            {"bytes", sums.bytes / steps},
            {"operations", sums.operations / steps},
            {"gb_s", spent > 0 ? sums.bytes / spent * 1e-9 : 0},
            {"gop_s", spent > 0 ? sums.operations / spent * 1e-9 : 0},
            {"of_limit", spent > 0 ? sums.leastSeconds / spent : 0}};
  }

  const artifact::Program &program;
  const artifact::Entry &entry;
  MachineLimits limits;
  std::vector<Sums> launches;
  Sums total;
  double wall = 0;
  size_t threads = 1;
  int64_t tokens = 0, steps = 0;
};

} // namespace

std::string layerOf(std::string_view place) {
  for (size_t start = 0; start < place.size();) {
    size_t end = std::min(place.find('.', start), place.size());
    std::string_view part = place.substr(start, end - start);
    if (!part.empty() &&
        part.find_first_not_of("0123456789") == std::string_view::npos)
      return std::string(place.substr(0, end));
    start = end + 1;
  }
  return "";
}

Json profileSteps(const Artifact &artifact, const rt::StepTrace &trace,
                  const MachineLimits &limits) {
  Profiler profiler(artifact, *trace.entry, limits);
  for (const rt::TracedStep &step : trace.steps)
    profiler.add(step);
  return profiler.result();
}

} // namespace pagoda
