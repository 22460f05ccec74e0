// SPDX-License-Identifier: Apache-2.0
#include "tasks/options.h"

#include <utility>

namespace cairn::tasks {
namespace {

constexpr const char* remote_hosts_setting = "reindex.remote.allowed_hosts";

}  // namespace

Status Options::validate() const {
  if (const auto access = remote_access_of(*this); !access.ok())
    return with_context(access.error(), remote_hosts_setting);
  return ok_status();
}

Result<remotesearch::RemoteAccess> remote_access_of(const Options& options) {
  CAIRN_TRY(net::OutboundRules rules,
            net::OutboundRules::parse(options.remote_allowed_hosts, remote_hosts_setting,
                                      net::OutboundRules::Patterns::allowed));
  rules.close_public("only hosts that are listed may be copied from");
  return remotesearch::RemoteAccess({.rules = std::move(rules),
                                     .setting = remote_hosts_setting,
                                     .size_name = "source.size",
                                     .ca_file = options.remote_ca_file,
                                     .answer_bytes_max = options.remote_answer_bytes});
}

}  // namespace cairn::tasks
