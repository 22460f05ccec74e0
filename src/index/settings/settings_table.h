// SPDX-License-Identifier: Apache-2.0
// Every setting of an index: what it takes, whether it may change, and what holds where it is not
// set.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace cairn::index {

struct SettingRow {
  enum class Takes {
    anything,
    flag,      // true or false
    count,     // a whole number from `least` to `most`
    time,      // "5s", -1
    only,      // nothing but `fallback`, since nothing would heed another; `instead` says why
    own_value  // nothing: the platform itself gives it
  };
  std::string_view name;  // below "index"; one that ends in * stands for all that begin so
  Takes takes = Takes::anything;
  bool may_change = true;
  std::string_view fallback = {};  // empty: none to show
  std::int64_t least = 1;
  std::int64_t most = INT64_MAX;
  std::string_view instead = {};
};

std::span<const SettingRow> all_settings();
/// The row of a setting by its dotted name below "index"; null for an unknown one.
const SettingRow* find_setting(std::string_view name);

}  // namespace cairn::index
