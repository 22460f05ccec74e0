// SPDX-License-Identifier: Apache-2.0
#include "index/number_format.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "index/errors.h"

namespace cairn::index {
namespace {

constexpr std::size_t digits_max = 30;  // of either side of the point

Error invalid_format(std::string_view pattern, std::string_view why) {
  return illegal_argument("Invalid format: [" + std::string(pattern) + "]: " + std::string(why));
}

bool is_digit_sign(char c) { return c == '#' || c == '0' || c == ',' || c == '.'; }

}  // namespace

Result<NumberFormat> NumberFormat::parse(std::string_view pattern) {
  NumberFormat out;
  if (pattern.find_first_of("E;'") != std::string_view::npos)
    return invalid_format(pattern, "[E], [;] and ['] are not offered in patterns of numbers");
  const auto first = std::find_if(pattern.begin(), pattern.end(), is_digit_sign) - pattern.begin();
  const std::string_view rest = pattern.substr(static_cast<std::size_t>(first));
  const auto size = std::find_if_not(rest.begin(), rest.end(), is_digit_sign) - rest.begin();
  const std::string_view digits = rest.substr(0, static_cast<std::size_t>(size));
  out.before_ = pattern.substr(0, static_cast<std::size_t>(first));
  out.behind_ = rest.substr(static_cast<std::size_t>(size));
  out.percent_ = (out.before_ + out.behind_).find('%') != std::string::npos;
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::string_view whole = digits.substr(0, point);
  const std::string_view fraction = digits.substr(std::min(point + 1, digits.size()));
  if (std::any_of(out.behind_.begin(), out.behind_.end(), is_digit_sign) ||
      fraction.find_first_of(",.") != std::string_view::npos ||
      fraction.find("#0") != std::string_view::npos || whole.find("0#") != std::string_view::npos ||
      digits.find_first_of("#0") == digits.npos)
    return invalid_format(pattern, "it is no pattern of a number, such as [#,##0.00]");
  out.least_whole_ = static_cast<std::size_t>(std::count(whole.begin(), whole.end(), '0'));
  out.least_fraction_ = static_cast<std::size_t>(std::count(fraction.begin(), fraction.end(), '0'));
  out.most_fraction_ = fraction.size();
  if (out.least_whole_ > digits_max || out.most_fraction_ > digits_max)
    return invalid_format(pattern, "it has more digits than a number");
  if (const auto comma = whole.rfind(','); comma != std::string_view::npos)
    out.group_ = whole.size() - comma - 1;
  // One digit is shown at least where there is a point.
  const bool none = out.least_whole_ + out.least_fraction_ == 0;
  if (none && point < digits.size()) (whole.empty() ? out.least_fraction_ : out.least_whole_) = 1;
  return out;
}

std::string NumberFormat::write(double value) const {
  if (!std::isfinite(value)) return std::isnan(value) ? "NaN" : value < 0 ? "-∞" : "∞";
  const double shown_value = std::abs(percent_ ? value * 100 : value);
  char text[512];  // the largest double has 309 digits before its point
  const int size =
      std::snprintf(text, sizeof text, "%.*f", static_cast<int>(most_fraction_), shown_value);
  const std::string_view all(text, static_cast<std::size_t>(size));
  const std::size_t point = std::min(all.find('.'), all.size());
  return shown(std::signbit(value), std::string(all.substr(0, point)),
               std::string(all.substr(std::min(point + 1, all.size()))));
}

std::string NumberFormat::write(std::int64_t value) const {
  if (percent_) return write(static_cast<double>(value));
  std::string digits = std::to_string(value);
  if (value < 0) digits.erase(0, 1);
  return shown(value < 0, std::move(digits), {});
}

std::string NumberFormat::shown(bool negative, std::string whole, std::string fraction) const {
  while (fraction.size() > least_fraction_ && fraction.back() == '0') fraction.pop_back();
  fraction.resize(std::max(fraction.size(), least_fraction_), '0');
  if (whole == "0" && least_whole_ == 0 && !fraction.empty()) whole.clear();
  if (whole.size() < least_whole_) whole.insert(0, least_whole_ - whole.size(), '0');
  if (group_ > 0)
    for (std::size_t at = whole.size(); at > group_;) {
      at -= group_;
      whole.insert(at, 1, ',');
    }
  return (negative ? "-" : "") + before_ + whole + (fraction.empty() ? "" : "." + fraction) +
         behind_;
}

}  // namespace cairn::index
