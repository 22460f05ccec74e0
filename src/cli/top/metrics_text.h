// SPDX-License-Identifier: Apache-2.0
// Reading what GET /_metrics answers: the Prometheus text format 0.0.4.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::cli {

struct MetricSample {
  std::string name;
  std::map<std::string, std::string, std::less<>> labels = {};
  double value = 0;
  /// Empty where there is none.
  std::string label(std::string_view name) const;
};

/// In the order of the text. Lines that are no sample, and values that are no number, are left out.
std::vector<MetricSample> read_metrics(std::string_view text);

}  // namespace cairn::cli
