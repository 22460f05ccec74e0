// SPDX-License-Identifier: Apache-2.0
// Errors as bodies of replies, and back.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn::s3 {

struct ErrorContext {
  std::string_view resource = {};  // the path of the request, as sent
  std::string_view request_id = {};
  std::string_view host_id = {};
  bool control = false;  // as the control API has it: within <ErrorResponse>
};

/// `<Error><Code>..</Code><Message>..</Message>` + the error's details + Resource, RequestId,
/// HostId. An error with no code of the table says of its kind only what may be told to strangers.
std::string render_error(const Error& error, const ErrorContext& context);

/// The error that a reply of the service means; also for an empty body, a body that is no XML, and
/// an error inside a 200. Unknown codes are kept.
Error parse_error(int status, std::string_view body);

}  // namespace cairn::s3
