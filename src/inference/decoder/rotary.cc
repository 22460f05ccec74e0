// SPDX-License-Identifier: Apache-2.0
// Frequencies by kind of scaling.
#include "inference/decoder/rotary.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cairn::inference {
namespace {

constexpr std::string_view rotary_file = "config.json";
constexpr std::size_t most_stretched = 4'000'000;
constexpr double least_divisor = 1e-6;
constexpr double full_turn = 2 * std::numbers::pi;

/// A number above 0 with the fallback of its kind of scaling.
Result<double> number_of(const ConfigFields& fields, std::string_view name, float fallback) {
  CAIRN_TRY(const float out, fields.number(name, fallback));
  return static_cast<double>(out);
}

/// How many times longer texts may be: at least 1.
Result<double> factor_of(const ConfigFields& fields) {
  CAIRN_TRY(const float out, fields.number("factor"));
  if (out < 1) return fields.wrong("factor", "must be at least 1");
  return static_cast<double>(out);
}

Result<double> needed_number(const ConfigFields& fields, std::string_view name) {
  CAIRN_TRY(const float out, fields.number(name));
  return static_cast<double>(out);
}

/// Long waves are stretched, short ones are kept, those between are mixed.
Status stretch_llama3(const ConfigFields& fields, Rotary& out) {
  CAIRN_TRY(const double factor, factor_of(fields));
  CAIRN_TRY(const double low, needed_number(fields, "low_freq_factor"));
  CAIRN_TRY(const double high, needed_number(fields, "high_freq_factor"));
  CAIRN_TRY(const std::size_t original,
            fields.size("original_max_position_embeddings", 1, most_stretched));
  if (!(high > low)) return fields.wrong("high_freq_factor", "must be above [low_freq_factor]");
  for (double& frequency : out.frequencies) {
    const double waves = static_cast<double>(original) * frequency / full_turn;
    const double kept = std::clamp((waves - low) / (high - low), 0.0, 1.0);
    frequency = (1 - kept) * frequency / factor + kept * frequency;
  }
  return ok_status();
}

/// By what attention grows when positions are stretched by `factor`.
double yarn_growth(double factor, double weight) {
  return factor <= 1 ? 1 : 0.1 * weight * std::log(factor) + 1;
}

Status read_yarn_growth(const ConfigFields& fields, double factor, Rotary& out) {
  CAIRN_TRY(const double weight, number_of(fields, "mscale", 1));
  CAIRN_TRY(const double all, number_of(fields, "mscale_all_dim", 1));
  out.factor = yarn_growth(factor, 1);
  if (fields.find("mscale") != nullptr && fields.find("mscale_all_dim") != nullptr) {
    out.factor = yarn_growth(factor, weight) / yarn_growth(factor, all);
  }
  CAIRN_TRY(out.factor, number_of(fields, "attention_factor", static_cast<float>(out.factor)));
  return ok_status();
}

/// Pairs that turn often within the original length are kept, those that turn seldom are stretched.
Status stretch_yarn(const ConfigFields& fields, double base, Rotary& out,
                    std::size_t& most_tokens) {
  CAIRN_TRY(const double factor, factor_of(fields));
  CAIRN_TRY(const std::size_t original,
            fields.size("original_max_position_embeddings", 1, most_stretched, most_tokens));
  CAIRN_TRY(const double fast, number_of(fields, "beta_fast", 32));
  CAIRN_TRY(const double slow, number_of(fields, "beta_slow", 1));
  CAIRN_TRY(const bool whole, fields.boolean("truncate", true));
  CAIRN_CHECK(read_yarn_growth(fields, factor, out));
  const double size = 2 * static_cast<double>(out.frequencies.size());
  const auto pair_of = [&](double turns) {
    return size * std::log(static_cast<double>(original) / (turns * full_turn)) /
           (2 * std::log(base));
  };
  double low = pair_of(fast), high = pair_of(slow);
  if (whole) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, size - 1);
  if (low == high) high += 0.001;
  for (std::size_t i = 0; i < out.frequencies.size(); ++i) {
    const double stretched = std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
    double& frequency = out.frequencies[i];
    frequency = frequency / factor * stretched + frequency * (1 - stretched);
  }
  const double most =
      std::min(static_cast<double>(original) * factor, static_cast<double>(most_stretched));
  most_tokens = std::max(most_tokens, static_cast<std::size_t>(most));
  return ok_status();
}

/// Each pair by a number of its own, as GGUF files say it.
Status divide_frequencies(const ConfigFields& fields, Rotary& out) {
  const Json* const divisors = fields.find("divisors");
  const auto is_divisor = [](const Json& one) {
    return one.is_number() && one.as_double() >= least_divisor && std::isfinite(one.as_double());
  };
  if (divisors == nullptr || !divisors->is_array() ||
      divisors->as_array().size() != out.frequencies.size() ||
      !std::all_of(divisors->as_array().begin(), divisors->as_array().end(), is_divisor)) {
    return fields.wrong("divisors", "must be [" + std::to_string(out.frequencies.size()) +
                                        "] numbers above 0, one for each pair of a head");
  }
  for (std::size_t i = 0; i < out.frequencies.size(); ++i)
    out.frequencies[i] /= divisors->as_array()[i].as_double();
  return ok_status();
}

Status stretch(const ConfigFields& fields, double base, Rotary& out, std::size_t& most_tokens) {
  CAIRN_TRY(const std::string old_name, fields.string("type", "default"));
  CAIRN_TRY(const std::string type, fields.string("rope_type", old_name));
  // Beyond the trained length, `dynamic` would turn the keys that are there already anew.
  if (type == "default" || type == "dynamic") return ok_status();
  if (type == "linear") {
    CAIRN_TRY(const double factor, factor_of(fields));
    for (double& frequency : out.frequencies) frequency /= factor;
    return ok_status();
  }
  if (type == "llama3") return stretch_llama3(fields, out);
  if (type == "yarn") return stretch_yarn(fields, base, out, most_tokens);
  if (type == "divided") return divide_frequencies(fields, out);
  return fields.not_offered("rope_type", type);
}

}  // namespace

Result<Rotary> read_rotary(const ConfigFields& fields, std::size_t head_size,
                           std::size_t& most_tokens) {
  const Json* const joined = fields.find("rope_parameters");
  const Json* const scaling = joined == nullptr ? fields.find("rope_scaling") : joined;
  if (scaling != nullptr && !scaling->is_object()) {
    return fields.wrong(joined == nullptr ? "rope_scaling" : "rope_parameters",
                        "must be an object");
  }
  CAIRN_TRY(float base, fields.number("rope_theta", 10'000.0F));
  if (joined != nullptr) {
    CAIRN_TRY(base, ConfigFields(*joined, rotary_file).number("rope_theta", base));
  }
  if (!(base > 1)) return fields.wrong("rope_theta", "must be above 1");
  Rotary out;
  for (std::size_t i = 0; i < head_size / 2; ++i) {
    const double exponent = 2 * static_cast<double>(i) / static_cast<double>(head_size);
    out.frequencies.push_back(std::pow(static_cast<double>(base), -exponent));
  }
  if (scaling != nullptr) {
    CAIRN_CHECK(
        stretch(ConfigFields(*scaling, rotary_file), static_cast<double>(base), out, most_tokens));
  }
  return out;
}

}  // namespace cairn::inference
