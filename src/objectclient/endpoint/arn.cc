// SPDX-License-Identifier: Apache-2.0
// Takes the fields off from the left.
#include "objectclient/endpoint/arn.h"

#include <utility>

namespace cairn::objectclient {

std::optional<Arn> parse_arn(std::string_view text) {
  std::string fields[5];
  for (std::string& field : fields) {
    const auto colon = text.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    field = text.substr(0, colon);
    text.remove_prefix(colon + 1);
  }
  if (fields[0] != "arn" || fields[1].empty() || fields[2].empty() || text.empty())
    return std::nullopt;
  Arn out{
      std::move(fields[1]), std::move(fields[2]), std::move(fields[3]), std::move(fields[4]), {}};
  for (;;) {
    const auto end = text.find_first_of(":/");
    out.resource.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

}  // namespace cairn::objectclient
