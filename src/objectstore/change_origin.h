// SPDX-License-Identifier: Apache-2.0
// Who asked for a change, as the journal of a bucket keeps it.
#pragma once

#include <string_view>

namespace cairn::objectstore {

/// The views need to live as long as the call that makes the change.
struct ChangeOrigin {
  std::string_view requester = {};  // an account's 12 digits, or the name of a service
  std::string_view source_ip = {};
  std::string_view request_id = {};
};

/// What the service changes by itself, by a rule of the bucket.
inline constexpr ChangeOrigin lifecycle_origin{.requester = "s3.amazonaws.com"};

}  // namespace cairn::objectstore
