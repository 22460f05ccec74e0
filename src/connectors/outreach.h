// SPDX-License-Identifier: Apache-2.0
// Which hosts sources may connect to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/client/client.h"
#include "net/client/outbound.h"
#include "net/options.h"

namespace cairn::connectors {

/// The hosts of the setting connectors.allowed_hosts, and none else: public addresses are closed
/// too. A value; safe from any thread. Source: docs/decisions/0037.
class Outreach {
 public:
  /// Nobody.
  Outreach();
  /// Errors: invalid_argument, for an entry that is none.
  static Result<Outreach> of(const std::vector<std::string>& allowed_hosts);

  /// To refuse a configuration before anything is looked up. Errors: status_exception, which names
  /// the field and the setting.
  Status check_host(std::string_view field, std::string_view host, std::uint16_t port) const;
  /// The URL of a field, http or https, whose host may be allowed. Errors: as above, and
  /// action_request_validation_exception for text that is no such URL, or has credentials in it.
  Result<net::Url> check_url(std::string_view field, const std::string& text) const;
  /// For connections, whose addresses are asked for as they are made. Errors: permission_denied.
  net::ClientOptions client_options() const;
  const net::OutboundRules& rules() const { return rules_; }

 private:
  net::OutboundRules rules_;
};

}  // namespace cairn::connectors
