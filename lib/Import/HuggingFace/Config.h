//===- Config.h - config.json, read once and completely ---------*- C++ -*-===//
//
// Reads settings and remembers which were read, so that one which nobody
// understood can be refused: it might change the result.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_IMPORT_HUGGINGFACE_CONFIG_H
#define PAGODA_LIB_IMPORT_HUGGINGFACE_CONFIG_H

#include "../Decoder.h"
#include "pagoda/Files/Json.h"

#include <set>
#include <string>

namespace pagoda {

class Config {
public:
  explicit Config(JsonValue root) : root(root) {}

  StatusOr<int64_t> getInt(const char *key);
  StatusOr<int64_t> getIntOr(const char *key, int64_t fallback);
  StatusOr<double> getNumber(const char *key);
  StatusOr<double> getNumberOr(const char *key, double fallback);
  StatusOr<bool> getBoolOr(const char *key, bool fallback);
  StatusOr<std::string> getStringOr(const char *key, const char *fallback);
  /// Null counts as absent.
  std::optional<JsonValue> find(const char *key);

  /// A positive integer of a size that a model can have.
  StatusOr<int64_t> getSize(const char *key);
  StatusOr<int64_t> getSizeOr(const char *key, int64_t fallback);

  /// The error for the first setting that was not read and is not known to be
  /// harmless.
  Status refuseUnread() const;
  /// An error about a setting: "config.json: 'KEY' MESSAGE".
  Status error(const char *key, const std::string &message) const;

private:
  JsonValue root;
  std::set<std::string, std::less<>> read;
};

/// Fills in what the settings of all supported families share. `windows` and
/// biases depend on the family.
StatusOr<DecoderDescription> readDecoderConfig(Config &config);

/// rope_parameters, or rope_theta and rope_scaling as older files have them.
StatusOr<RopeDescription> readRope(Config &config, int64_t dims,
                                   int64_t contextLength);

} // namespace pagoda

#endif // PAGODA_LIB_IMPORT_HUGGINGFACE_CONFIG_H
