// SPDX-License-Identifier: Apache-2.0
#include "objectclient/call/user_agent.h"

#include <sys/utsname.h>

namespace cairn::objectclient {
namespace {

std::string cleaned(std::string_view text) {
  constexpr std::string_view others = "!#$%&'*+-.^_`|~";
  std::string out;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0) == 0x80) continue;  // one - for a character
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    out += plain || others.find(c) != std::string_view::npos ? c : '-';
  }
  return out;
}

/// The letters of the features that are in use. Source: the user agent 2.1 of the vendor's SDKs.
std::string features(const ClientOptions& options) {
  std::string out = *options.retry_mode == "adaptive"   ? "F"
                    : *options.retry_mode == "standard" ? "E"
                                                        : "D";
  if (!options.endpoint->empty()) out += ",N";
  for (const std::string& scheme : *options.auth_scheme_preference)
    if (scheme == "sigv4a") out += ",S";
  return out;
}

}  // namespace

std::string user_agent(const ClientOptions& options, const Environment& environment) {
  utsname system{};
  std::string out = "cairn-objectclient/" + std::string(library_version) + " ua/2.1 api/s3";
  if (::uname(&system) == 0)
    out += " os/linux#" + cleaned(system.release) + " md/" + cleaned(system.machine);
  out += " lang/c++#20";
  if (const auto place = environment.first_variable({"AWS_EXECUTION_ENV"}))
    out += " exec-env/" + cleaned(*place);
  if (!options.sdk_ua_app_id->empty()) out += " app/" + cleaned(*options.sdk_ua_app_id);
  out += " m/" + features(options);
  if (!options.user_agent_suffix->empty()) out += " " + *options.user_agent_suffix;
  return out;
}

}  // namespace cairn::objectclient
