// SPDX-License-Identifier: Apache-2.0
#include "index/mapping/values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/strings.h"
#include "index/dates/dates.h"
#include "index/errors.h"

namespace cairn::index {
namespace {

Error bad_number(std::string_view text) {
  return {.kind = ErrorKind::invalid_argument,
          .code = "number_format_exception",
          .message = "For input string: \"" + std::string(text) + "\""};
}

struct WholeRange {
  double least, most;
  const char* article_and_name;
};

WholeRange range_of(FieldType type) {
  switch (type) {
    case FieldType::byte:
      return {-128, 127, "a byte"};
    case FieldType::short_:
      return {-32768, 32767, "a short"};
    case FieldType::integer:
    case FieldType::token_count:
      return {-2147483648.0, 2147483647.0, "an integer"};
    default:
      return {-0x1p63, 0x1p63, "a long"};
  }
}

Error out_of_range(const std::string& text, FieldType type) {
  return illegal_argument("Value [" + text + "] is out of range for " +
                          range_of(type).article_and_name);
}

Result<std::int64_t> whole_number(const Field& field, const Json& value) {
  const std::string text = value.is_string() ? std::string(trim(value.as_string())) : value.dump();
  if (value.is_string() && (text.empty() || !field.coerce)) return bad_number(text);
  if (value.type() == Json::Type::unsigned_integer) return out_of_range(text, field.type);
  std::int64_t out = 0;
  if (const auto whole = parse_number<std::int64_t>(text)) {
    out = *whole;
  } else {
    const auto number = parse_number<double>(text);
    if (!number || !std::isfinite(*number)) return bad_number(text);
    const auto range = range_of(field.type);
    if (*number < range.least || *number > range.most || *number >= 0x1p63)
      return out_of_range(text, field.type);
    if (!field.coerce && std::trunc(*number) != *number)
      return illegal_argument("Value [" + text + "] has a decimal part");
    out = static_cast<std::int64_t>(*number);
  }
  const auto range = range_of(field.type);
  const auto wide = static_cast<double>(out);
  if (field.type != FieldType::long_ && (wide < range.least || wide > range.most))
    return out_of_range(text, field.type);
  return out;
}

Result<std::int64_t> floating_number(const Field& field, const Json& value) {
  double number = 0;
  if (value.is_number()) {
    number = value.as_double();
  } else if (value.is_string() && field.coerce) {
    const std::string_view text = trim(value.as_string());
    const auto parsed = parse_number<double>(text);
    if (!parsed) return bad_number(text);
    number = *parsed;
  } else {
    return bad_number(value.is_string() ? value.as_string() : value.dump());
  }
  const double kept = rounded(field, number);
  if (!std::isfinite(kept))
    return illegal_argument("[" + std::string(name_of(field.type)) +
                            "] supports only finite values, but got [" + Json(number).dump() + "]");
  return double_key(kept);
}

Result<bool> boolean_value(const Json& value) {
  if (value.is_bool()) return value.as_bool();
  const std::string text = value.is_string() ? value.as_string() : value.dump();
  if (value.is_string() && (text == "true" || text == "false" || text.empty()))
    return text == "true";
  return illegal_argument("Failed to parse value [" + text +
                          "] as only [true] or [false] are allowed.");
}

Result<std::int64_t> date_value(const Field& field, const Json& value) {
  const std::string_view text = field.format.empty() ? default_date_format : field.format;
  // The common format is read without taking the pattern apart again.
  static const DateFormat usual = *DateFormat::parse(default_date_format);
  std::optional<std::int64_t> ms;
  if (field.format.empty()) {
    ms = usual.read(value);
  } else if (const auto format = DateFormat::parse(field.format)) {
    ms = format->read(value);
  }
  if (ms) return *ms;
  return illegal_argument("failed to parse date field [" +
                          (value.is_string() ? value.as_string() : value.dump()) +
                          "] with format [" + std::string(text) + "]");
}

/// Halves go up; what is too large for 64 bits is the largest that fits.
double nearest_whole(double value) {
  const double below = std::floor(value);
  const double whole = value - below >= 0.5 ? below + 1 : below;
  return std::isnan(whole) ? whole : std::clamp(whole, -0x1p63, 0x1p63);
}

std::string preview(const std::vector<float>& vector) {
  std::string out = "[";
  for (std::size_t i = 0; i < std::min<std::size_t>(vector.size(), 5); ++i)
    out += (i > 0 ? ", " : "") + Json(vector[i]).dump();
  return out + (vector.size() > 5 ? ", ...]" : "]");
}

Status check_elements(const Field& field, const std::vector<float>& vector) {
  for (std::size_t i = 0; i < vector.size(); ++i) {
    const float v = vector[i];
    if (!std::isfinite(v))
      return illegal_argument("element_type [float] vectors do not support " +
                              std::string(std::isnan(v) ? "NaN" : "infinite") +
                              " values but found it at dim [" + std::to_string(i) +
                              "]; Preview of invalid vector: " + preview(vector));
    if (field.byte_elements && (v != std::trunc(v) || v < -128 || v > 127))
      return illegal_argument("element_type [" + std::string(field.element_type()) +
                              "] vectors only support integers between [-128, 127] but found [" +
                              Json(v).dump() + "] at dim [" + std::to_string(i) +
                              "]; Preview of invalid vector: " + preview(vector));
  }
  return ok_status();
}

}  // namespace

double rounded(const Field& field, double value) {
  if (field.type == FieldType::double_) return value;
  if (field.type == FieldType::scaled_float)
    return nearest_whole(value * field.scaling_factor) / field.scaling_factor;
  const auto single = static_cast<float>(value);
  if (field.type == FieldType::float_ || single == 0 || !std::isfinite(single))
    return static_cast<double>(single);
  // Half precision: 11 significant bits, exponents -14 to 15, ties to even.
  if (std::abs(single) >= 65520) return static_cast<double>(single) * HUGE_VAL;
  int exponent = 0;
  std::frexp(single, &exponent);
  const int scale = std::max(exponent - 11, -24);
  return std::ldexp(std::nearbyint(std::ldexp(static_cast<double>(single), -scale)), scale);
}

double scaled_bound(const Field& field, double bound, bool is_lower, bool is_strict) {
  double scaled = bound * field.scaling_factor;
  if (is_strict) scaled = std::nextafter(scaled, is_lower ? HUGE_VAL : -HUGE_VAL);
  return (is_lower ? std::ceil(scaled) : std::floor(scaled)) / field.scaling_factor;
}

Result<std::int64_t> column_value(const Field& field, const Json& value) {
  if (is_whole_number(field.type)) return whole_number(field, value);
  if (is_number(field.type)) return floating_number(field, value);
  if (field.type == FieldType::date) return date_value(field, value);
  CAIRN_TRY(const bool yes, boolean_value(value));
  return std::int64_t{yes ? 1 : 0};
}

Result<std::int64_t> document_number(const Field& field, const Json& value) {
  if (field.type != FieldType::token_count) return column_value(field, value);
  text::Tokens tokens;
  field.index_analysis->analyze(value.is_string() ? value.as_string() : value.dump(), tokens);
  if (field.counts_gaps) return std::int64_t{tokens.positions};
  std::int64_t places = 0;
  for (std::size_t i = 0; i < tokens.list.size(); ++i)
    places += i == 0 || tokens.list[i].position != tokens.list[i - 1].position;
  return places;
}

Result<std::string> exact_term(const Field& field, const Json& value) {
  if (field.type == FieldType::boolean) {
    CAIRN_TRY(const bool yes, boolean_value(value));
    return std::string(yes ? "T" : "F");
  }
  std::string text = value.is_string() ? value.as_string() : value.dump();
  if (field.normalizer.empty() || !field.index_analysis) return text;
  text::Tokens tokens;
  field.index_analysis->analyze(text, tokens);
  if (tokens.list.empty()) return std::string();
  return std::string(tokens.term(tokens.list.front()));
}

Result<std::vector<float>> checked_vector(const Field& field, std::vector<float> vector) {
  CAIRN_CHECK(check_elements(field, vector));
  double squares = 0;
  for (const float v : vector) squares += static_cast<double>(v) * static_cast<double>(v);
  if (field.similarity == Similarity::cosine && squares == 0)
    return illegal_argument(
        "The [cosine] similarity does not support vectors with zero magnitude. Preview of invalid "
        "vector: " +
        preview(vector));
  if (field.similarity == Similarity::dot_product && !field.byte_elements &&
      std::abs(squares - 1) > 1e-4)
    return illegal_argument(
        "The [dot_product] similarity can only be used with unit-length vectors. Preview of "
        "invalid vector: " +
        preview(vector));
  if (field.similarity == Similarity::cosine && !field.byte_elements) {
    const double length = std::sqrt(squares);
    for (float& v : vector) v = static_cast<float>(static_cast<double>(v) / length);
  }
  return vector;
}

}  // namespace cairn::index
