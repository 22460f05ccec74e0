// SPDX-License-Identifier: Apache-2.0
#include "api/dry_run.h"

namespace cairn::api {

const gate::Parameter dry_run_parameter = {"dry_run", "boolean",
                                           "Only tell what would happen; nothing is changed."};

Result<bool> is_dry_run(const Call& call) { return call.flag(dry_run_parameter.name, false); }

Reply would(Json what) {
  Reply out = Reply::json(Json::object({{"dry_run", true}, {"would", std::move(what)}}));
  out.tried = true;
  return out;
}

}  // namespace cairn::api
