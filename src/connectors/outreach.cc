// SPDX-License-Identifier: Apache-2.0
#include "connectors/outreach.h"

#include "connectors/errors.h"

namespace cairn::connectors {
namespace {

constexpr const char* hosts_setting = "connectors.allowed_hosts";
constexpr const char* hosts_closed = "sources reach those hosts alone that are listed";
constexpr std::size_t connections_of_a_source = 2;

}  // namespace

Outreach::Outreach() {
  // No entry is a list without a fault.
  if (auto rules = net::OutboundRules::parse({}, hosts_setting); rules.ok())
    rules_ = *std::move(rules);
  rules_.close_public(hosts_closed);
}

Result<Outreach> Outreach::of(const std::vector<std::string>& allowed_hosts) {
  Outreach out;
  CAIRN_TRY(out.rules_, net::OutboundRules::parse(allowed_hosts, hosts_setting,
                                                  net::OutboundRules::Patterns::allowed));
  out.rules_.close_public(hosts_closed);
  return out;
}

Status Outreach::check_host(std::string_view field, std::string_view host,
                            std::uint16_t port) const {
  if (rules_.may_allow(host, port)) return ok_status();
  return refused("[" + std::string(field) + "] cannot lead to [" + std::string(host) + ":" +
                 std::to_string(port) + "]: it is none of the hosts in the setting " +
                 hosts_setting +
                 " (environment CAIRN_CONNECTORS__ALLOWED_HOSTS). Who runs Cairn can list it "
                 "there.");
}

Result<net::Url> Outreach::check_url(std::string_view field, const std::string& text) const {
  const auto bad = [&](std::string_view why) {
    return invalid("[" + std::string(field) + "] " + std::string(why));
  };
  const std::size_t authority = text.find("//");
  if (authority != std::string::npos &&
      text.substr(authority + 2, text.find_first_of("/?#", authority + 2) - authority - 2)
              .find('@') != std::string::npos)
    return bad("must not have credentials in it; there are fields for them");
  const auto url = net::parse_url(text);
  if (!url.ok() || (url->scheme != "http" && url->scheme != "https"))
    return bad("must be a URL that begins with https:// or http://");
  CAIRN_CHECK(check_host(field, url->host, url->port));
  return *url;
}

net::ClientOptions Outreach::client_options() const {
  net::ClientOptions out;
  out.connections_per_endpoint = connections_of_a_source;
  out.check_address = [rules = rules_](std::string_view host, const net::Address& address) {
    return rules.check(host, address);
  };
  return out;
}

}  // namespace cairn::connectors
