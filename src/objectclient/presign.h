// SPDX-License-Identifier: Apache-2.0
// Requests that others make: URLs that carry a signature, and forms of pages. Whoever has one may
// make that one request, for a while.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "net/http/message.h"

namespace cairn::objectclient {

struct PresignOptions {
  /// 1 second to 7 days. The URL ends sooner where the credentials do.
  std::int64_t expires_in_s = 900;
};

/// A request for somebody else. `headers` are signed too and must be sent with it as they are;
/// empty for most.
struct PresignedRequest {
  std::string method = {};
  std::string url = {};
  net::Headers headers = {};
};

/// What a form may upload besides its key.
struct PresignedPostOptions {
  using Field = std::pair<std::string, std::string>;
  /// How many bytes the file may have, both ends included.
  struct LengthRange {
    std::uint64_t bytes_min = 0;
    std::uint64_t bytes_max = 0;
  };

  /// 1 second to 7 days. The form ends sooner where the credentials do.
  std::int64_t expires_in_s = 900;
  /// Fields that the form has as they stand here: "acl", "Content-Type", "x-amz-meta-color",
  /// "success_action_status", "success_action_redirect", "tagging", …
  std::vector<Field> fields = {};
  /// Fields that the page adds, each with what its value must begin with; "": anything.
  std::vector<Field> starts_with = {};
  std::optional<LengthRange> content_length_range = {};  // none: as large as one request may bring
};

/// A form for somebody else: multipart/form-data to `url` with these fields, in their order, and
/// then the file as "file".
struct PresignedPost {
  std::string url = {};
  std::vector<std::pair<std::string, std::string>> fields = {};
};

}  // namespace cairn::objectclient
