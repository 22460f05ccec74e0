// SPDX-License-Identifier: Apache-2.0
#include "api/routes/cluster/settings_routes.h"

#include <utility>

namespace cairn::api {

void add_settings_routes(Router& router, ServiceRef<const SettingsControl> control) {
  router.add({.method = "GET",
              .path = "/_cairn/settings",
              .operation = "cairn.get_settings",
              .cluster = {"monitor"},
              .summary = "Every setting of the program with the value in force, its default and "
                         "where it is said; secrets are not shown."},
             [control](Call&) -> Result<Reply> {
               CAIRN_TRY(Json shown, control->shown());
               return Reply::json(std::move(shown));
             });
  router.add({.method = "POST",
              .path = "/_cairn/settings/_reload",
              .operation = "cairn.reload_settings",
              .cluster = {"manage"},
              .summary = "Reads the settings, certificates and keys of the issuer again, as SIGHUP "
                         "does, and tells what holds from now on and what needs a restart."},
             [control](Call&) -> Result<Reply> {
               CAIRN_TRY(Json outcome, control->reload());
               return Reply::json(std::move(outcome));
             });
}

}  // namespace cairn::api
