// SPDX-License-Identifier: Apache-2.0
#include "api/change_params.h"

#include "base/strings.h"

namespace cairn::api {

Result<os::Deadline> change_deadline(const Call& call) {
  CAIRN_TRY(const std::int64_t timeout, call.time("timeout", 30'000));
  CAIRN_CHECK(call.time("master_timeout", 30'000));
  return timeout < 0 ? call.deadline() : call.deadline().sooner_ms(timeout);
}

std::vector<gate::Parameter> with_timeouts(std::vector<gate::Parameter> more) {
  more.push_back({"timeout", "time", "How long to wait for the change."});
  more.push_back({"master_timeout", "time", "How long to wait for the node that decides."});
  return more;
}

Reply acknowledged() { return Reply::json(Json::object({{"acknowledged", true}})); }

std::vector<std::string> name_list(std::string_view text) {
  std::vector<std::string> out;
  for (const auto piece : split(text, ','))
    if (!trim(piece).empty()) out.emplace_back(trim(piece));
  return out;
}

}  // namespace cairn::api
