// SPDX-License-Identifier: Apache-2.0
#include "api/routes/cluster/mirror_routes.h"

#include <string>

namespace cairn::api {
namespace {

Result<Reply> leave(Call& call, const MirrorControl& mirror) {
  const std::string which(call.query("folder").value_or(""));
  if (which != "data.dir" && which != "data.mirror")
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = "[folder] must be data.dir or data.mirror"};
  CAIRN_CHECK(mirror.leave(which == "data.mirror" ? 1 : 0));
  return Reply::json(Json::object({{"acknowledged", true}}));
}

}  // namespace

void add_mirror_routes(Router& router, ServiceRef<const MirrorControl> mirror) {
  router.add({.method = "GET",
              .path = "/_cairn/mirror",
              .operation = "cairn.mirror",
              .cluster = {"monitor"},
              .summary = "The two folders of the data, and whether each is whole."},
             [mirror](Call&) -> Result<Reply> {
               CAIRN_TRY(Json status, mirror->status());
               return Reply::json(std::move(status));
             });
  router.add({.method = "POST",
              .path = "/_cairn/mirror/_fill",
              .operation = "cairn.fill_mirror",
              .cluster = {"manage"},
              .summary = "Begins to give the folder that was away what it lacks."},
             [mirror](Call&) -> Result<Reply> {
               CAIRN_CHECK(mirror->fill());
               return Reply::json(Json::object({{"acknowledged", true}}), 202);
             });
  router.add({.method = "POST",
              .path = "/_cairn/mirror/_leave",
              .operation = "cairn.leave_mirror",
              .cluster = {"manage"},
              .query = {{"folder", "string", "data.dir or data.mirror."}},
              .summary = "Puts one folder aside, so that its disk can be taken out."},
             [mirror](Call& call) { return leave(call, *mirror); });
}

}  // namespace cairn::api
