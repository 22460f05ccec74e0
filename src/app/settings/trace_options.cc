// SPDX-License-Identifier: Apache-2.0
#include "app/settings/trace_options.h"

#include <fmt/core.h>

#include "base/strings.h"
#include "net/client/client.h"

namespace cairn::app {

Result<double> share_of(std::string_view text) {
  const Error wrong{.kind = ErrorKind::invalid_argument,
                    .message = "must be a share from 0% to 100%, as 10% or 0.5%"};
  if (text.size() < 2 || text.back() != '%') return wrong;
  const auto number = parse_number<double>(text.substr(0, text.size() - 1));
  if (!number || !(*number >= 0 && *number <= 100)) return wrong;
  return *number / 100;
}

Status TraceOptions::validate() const {
  if (url.empty()) return ok_status();
  if (net::parse_url(url).ok()) return ok_status();
  return Error{.kind = ErrorKind::invalid_argument,
               .message = "tracing.url [" + url +
                          "] is no http or https address, as http://127.0.0.1:4318/v1/traces"};
}

std::string share_text(double share) { return fmt::format("{}%", share * 100); }

}  // namespace cairn::app
