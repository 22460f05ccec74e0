// SPDX-License-Identifier: Apache-2.0
#include "s3api/options.h"

namespace cairn::s3api {

Status Options::validate() const {
  const auto fault = [](const char* what) -> Status {
    return Error{.kind = ErrorKind::invalid_argument, .message = what};
  };
  if (region.empty()) return fault("objects.region must not be empty; us-east-1 is the usual one");
  for (const std::string& domain : domains)
    if (domain.empty() || domain.find('/') != std::string::npos || domain.starts_with('.') ||
        domain.find(':') != std::string::npos)
      return fault("objects.domains takes host names without port, such as objects.example.com");
  if (document_bytes_max < 1024) return fault("objects.document_bytes_max must be at least 1024");
  if (keep_alive_ms < 0) return fault("objects.keep_alive_ms must not be negative");
  return ok_status();
}

}  // namespace cairn::s3api
