#include "Config.h"

#include "../RopeFrequencies.h"

namespace pagoda {

namespace {

/// The members of a scaling object that its rule reads; others are refused.
class ScalingReader {
public:
  ScalingReader(JsonValue object) : object(object) {
    for (const char *key :
         {"rope_theta", "rope_type", "type", "partial_rotary_factor"})
      known.insert(key);
  }

  StatusOr<double> number(const char *key) {
    known.insert(key);
    return object.getNumber(key);
  }
  StatusOr<double> numberOr(const char *key, double fallback) {
    known.insert(key);
    return object.getNumberOr(key, fallback);
  }
  StatusOr<bool> boolOr(const char *key, bool fallback) {
    known.insert(key);
    return object.getBoolOr(key, fallback);
  }
  StatusOr<int64_t> intOr(const char *key, int64_t fallback) {
    known.insert(key);
    return object.getIntOr(key, fallback);
  }

  StatusOr<double> factor() {
    PAGODA_ASSIGN_OR_RETURN(double factor, number("factor"));
    if (!(factor >= 1 && factor < 1e6))
      return object.error(
          concat("has the factor ", factor, ", which is not at least 1"));
    return factor;
  }

  Status refuseUnread() const {
    for (size_t i = 0; i < object.size(); ++i)
      if (!known.count(object.keyAt(i)) && !object[i].isNull())
        return object[i].error("is not understood and might change the result");
    return {};
  }

private:
  JsonValue object;
  std::set<std::string, std::less<>> known;
};

Status applyScaling(JsonValue object, std::string_view rule, double theta,
                    int64_t contextLength, RopeDescription &rope) {
  ScalingReader scaling(object);
  if (rule == "linear") {
    PAGODA_ASSIGN_OR_RETURN(double factor, scaling.factor());
    scaleLinear(rope.frequencies, factor);
  } else if (rule == "llama3") {
    Llama3Scaling values{};
    PAGODA_ASSIGN_OR_RETURN(values.factor, scaling.factor());
    PAGODA_ASSIGN_OR_RETURN(values.lowFrequencyFactor,
                            scaling.number("low_freq_factor"));
    PAGODA_ASSIGN_OR_RETURN(values.highFrequencyFactor,
                            scaling.number("high_freq_factor"));
    PAGODA_ASSIGN_OR_RETURN(
        values.originalContext,
        scaling.intOr("original_max_position_embeddings", contextLength));
    if (!(values.lowFrequencyFactor > 0 &&
          values.highFrequencyFactor > values.lowFrequencyFactor))
      return object.error("needs 0 < low_freq_factor < high_freq_factor");
    scaleLlama3(rope.frequencies, values);
  } else if (rule == "yarn") {
    YarnScaling values{};
    PAGODA_ASSIGN_OR_RETURN(values.factor, scaling.factor());
    PAGODA_ASSIGN_OR_RETURN(
        values.originalContext,
        scaling.intOr("original_max_position_embeddings", contextLength));
    PAGODA_ASSIGN_OR_RETURN(values.betaFast, scaling.numberOr("beta_fast", 32));
    PAGODA_ASSIGN_OR_RETURN(values.betaSlow, scaling.numberOr("beta_slow", 1));
    PAGODA_ASSIGN_OR_RETURN(values.truncate, scaling.boolOr("truncate", true));
    PAGODA_ASSIGN_OR_RETURN(
        double magnitude,
        scaling.numberOr("attention_factor", yarnMagnitude(values.factor)));
    scaleYarn(rope.frequencies, theta, values);
    rope.magnitude = static_cast<float>(magnitude);
  } else {
    return object.error(concat("has the rope type '", rule,
                               "', which Pagoda does not compute"));
  }
  return scaling.refuseUnread();
}

} // namespace

StatusOr<RopeDescription> readRope(Config &config, int64_t dims,
                                   int64_t contextLength) {
  auto object = config.find("rope_parameters");
  auto legacy = config.find("rope_scaling");
  if (!object)
    object = legacy;
  PAGODA_ASSIGN_OR_RETURN(double theta,
                          config.getNumberOr("rope_theta", 10000));
  std::string_view rule = "default";
  if (object) {
    if (!object->isObject())
      return object->error("must be an object");
    PAGODA_ASSIGN_OR_RETURN(theta, object->getNumberOr("rope_theta", theta));
    PAGODA_ASSIGN_OR_RETURN(std::string_view old,
                            object->getStringOr("type", "default"));
    PAGODA_ASSIGN_OR_RETURN(rule, object->getStringOr("rope_type", old));
    PAGODA_ASSIGN_OR_RETURN(double part,
                            object->getNumberOr("partial_rotary_factor", 1));
    if (part != 1)
      return object->error("rotates a part of each head, which this "
                           "architecture is not known to do");
  }
  if (!(theta > 1 && theta < 1e12))
    return config.error("rope_theta", "must be greater than 1");
  RopeDescription rope;
  rope.frequencies = ropeFrequencies(theta, dims);
  if (object && rule != "default")
    PAGODA_RETURN_IF_ERROR(
        applyScaling(*object, rule, theta, contextLength, rope));
  return rope;
}

} // namespace pagoda
