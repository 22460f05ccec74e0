// SPDX-License-Identifier: Apache-2.0
#include "cli/top/metrics_text.h"

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/strings.h"

namespace cairn::cli {
namespace {

/// A quoted value, behind its first quote: \\, \" and \n stand for one character.
std::optional<std::string> quoted_value(std::string_view& rest) {
  std::string out;
  while (!rest.empty()) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c == '"') return out;
    if (c != '\\') {
      out += c;
      continue;
    }
    if (rest.empty()) return std::nullopt;
    out += rest.front() == 'n' ? '\n' : rest.front();
    rest.remove_prefix(1);
  }
  return std::nullopt;
}

/// `a="x",b="y"}`, behind the brace that opens it.
bool read_labels(std::string_view& rest, MetricSample& into) {
  for (;;) {
    rest = trim(rest);
    if (rest.starts_with('}')) {
      rest.remove_prefix(1);
      return true;
    }
    const std::size_t equals = rest.find("=\"");
    if (equals == std::string_view::npos) return false;
    const std::string name(trim(rest.substr(0, equals)));
    rest.remove_prefix(equals + 2);
    auto value = quoted_value(rest);
    if (!value) return false;
    into.labels[name] = *std::move(value);
    rest = trim(rest);
    if (rest.starts_with(',')) rest.remove_prefix(1);
  }
}

std::optional<double> metric_value(std::string_view text) {
  text = text.substr(0, text.find(' '));  // a time may follow
  if (text == "+Inf") return std::numeric_limits<double>::infinity();
  if (text == "-Inf") return -std::numeric_limits<double>::infinity();
  const auto value = parse_number<double>(text);
  return value && !std::isnan(*value) ? value : std::nullopt;
}

}  // namespace

std::string MetricSample::label(std::string_view wanted) const {
  const auto at = labels.find(wanted);
  return at == labels.end() ? std::string() : at->second;
}

std::vector<MetricSample> read_metrics(std::string_view text) {
  std::vector<MetricSample> out;
  for (const auto line : split(text, '\n')) {
    std::string_view rest = trim(line);
    if (rest.empty() || rest.front() == '#') continue;
    const std::size_t end = rest.find_first_of("{ ");
    if (end == std::string_view::npos) continue;
    MetricSample sample{.name = std::string(rest.substr(0, end))};
    const bool labelled = rest[end] == '{';
    rest.remove_prefix(end + 1);
    if (labelled && !read_labels(rest, sample)) continue;
    const auto value = metric_value(trim(rest));
    if (!value) continue;
    sample.value = *value;
    out.push_back(std::move(sample));
  }
  return out;
}

}  // namespace cairn::cli
