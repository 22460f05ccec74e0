// SPDX-License-Identifier: Apache-2.0
#include "index/live_settings.h"

#include "base/strings.h"
#include "index/errors.h"

namespace cairn::index {

Result<AutoCreateRule> AutoCreateRule::parse(std::string_view text) {
  AutoCreateRule out;
  out.text_ = text;
  if (text == "true" || text == "false") {
    out.any_ = text == "true";
    return out;
  }
  const std::string where =
      "Can't parse [" + std::string(text) + "] for setting [action.auto_create_index] must ";
  for (const auto part : split(text, ',')) {
    Entry entry{.pattern = std::string(trim(part))};
    if (entry.pattern.empty())
      return illegal_argument(
          where + "be either [true, false, or a comma separated list of index patterns]");
    if (const char sign = entry.pattern.front(); sign == '+' || sign == '-') {
      entry.admits = sign == '+';
      entry.pattern.erase(0, 1);
      if (entry.pattern.empty())
        return illegal_argument(where + "contain an index name after [" + std::string(1, sign) +
                                "]");
    }
    out.entries_.push_back(std::move(entry));
  }
  return out;
}

Status AutoCreateRule::check(std::string_view name) const {
  if (!any_) return no_auto_create_by_setting(name, "is [false]");
  if (entries_.empty()) return ok_status();
  for (const Entry& entry : entries_) {
    if (!wildcard_match(entry.pattern, name)) continue;
    if (entry.admits) return ok_status();
    return no_auto_create_by_setting(
        name, "contains [-" + entry.pattern + "] which forbids automatic creation of the index");
  }
  return no_auto_create_by_setting(name, "([" + text_ + "]) doesn't match");
}

}  // namespace cairn::index
