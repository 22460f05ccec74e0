// SPDX-License-Identifier: Apache-2.0
// What a container platform or a virtual machine tells what runs in it: credentials, its region.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "objectclient/credentials.h"
#include "objectclient/profiles.h"
#include "objectclient/environment.h"

namespace cairn::objectclient {

struct MetadataOptions {
  std::int64_t timeout_ms = 1'000;  // of each request
  std::int64_t retries = 0;
};

/// The address that AWS_CONTAINER_CREDENTIALS_FULL_URI or _RELATIVE_URI names; nothing where
/// neither is set. Errors: invalid_argument for plain HTTP to other hosts than this one and those
/// of container platforms.
Result<std::optional<std::string>> container_credentials_url(const Environment& environment);
/// Errors: unavailable, timeout, invalid_argument (a token with line breaks).
Result<Credentials> fetch_container_credentials(const std::string& url,
                                                const Environment& environment,
                                                const os::Deadline& deadline);

/// False where AWS_EC2_METADATA_DISABLED is true.
bool may_ask_instance_metadata(const Environment& environment);
/// With a session token (version 2 of the protocol), and without one where the service knows none
/// and AWS_EC2_METADATA_V1_DISABLED does not forbid it. Errors: unavailable, timeout.
Result<Credentials> fetch_instance_credentials(const MetadataOptions& options,
                                               const Environment& environment,
                                               const os::Deadline& deadline);
/// The region that the virtual machine stands in, asked for once, in the same way.
Result<std::string> fetch_instance_region(const Environment& environment,
                                          const os::Deadline& deadline);

}  // namespace cairn::objectclient
