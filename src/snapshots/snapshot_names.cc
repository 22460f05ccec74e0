// SPDX-License-Identifier: Apache-2.0
#include "snapshots/snapshot_names.h"

#include <algorithm>

#include "base/strings.h"
#include "snapshots/errors.h"

namespace cairn::snapshots {
namespace {

bool has_wildcard(std::string_view text) { return text.find('*') != std::string_view::npos; }

}  // namespace

Status check_snapshot_name(const std::string& repository, const std::string& name) {
  const auto bad = [&](const std::string& why) -> Status {
    return bad_snapshot_name(repository, name, why);
  };
  if (name.empty()) return bad("cannot be empty");
  if (name.front() == '_') return bad("must not start with '_'");
  if (name.find_first_of(" \t") != std::string::npos) return bad("must not contain whitespace");
  if (name.find_first_of("\\/*?\"<>|,#") != std::string::npos)
    return bad("must not contain the following characters \\ / * ? \" < > | , #");
  if (lower_ascii(name) != name) return bad("must be lowercase");
  if (name.size() > 255) return bad("must be at most 255 bytes");
  return ok_status();
}

std::vector<std::string> select_names(const std::string& expression,
                                      const std::vector<std::string>& known,
                                      const std::function<void(const std::string&)>& missing) {
  std::vector<std::string> out;
  const std::string wanted = expression.empty() ? "_all" : expression;  // the views lie in it
  for (const std::string_view part : split(wanted, ',')) {
    const std::string pattern = part == "_all" ? "*" : std::string(part);
    bool found = false;
    for (const auto& name : known) {
      if (!wildcard_match(pattern, name)) continue;
      found = true;
      if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
    }
    if (!found && !has_wildcard(pattern)) missing(pattern);
  }
  return out;
}

}  // namespace cairn::snapshots
