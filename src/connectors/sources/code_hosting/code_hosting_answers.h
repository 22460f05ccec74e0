// SPDX-License-Identifier: Apache-2.0
// What the REST API of a code-hosting service answers, as items. Nothing in it is trusted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "connectors/source.h"

namespace cairn::connectors {

enum class HostedKind : std::uint8_t { issues, comments, review_comments, releases, files };
std::string_view name_of(HostedKind kind);

/// What of a repository is read.
struct HostedChoice {
  bool issues = true;
  bool pull_requests = true;
  bool comments = true;
  bool releases = true;
  bool files = false;
};

/// Adds the items of one answer to `page`, those that are not chosen as skipped. The greatest
/// `updated_at` so far stays in `latest`. Errors: corrupt, where it is no such answer.
Status read_hosted_items(HostedKind kind, const std::string& repository, std::string_view text,
                         const HostedChoice& choice, SourcePage& page, std::string& latest);

/// The bytes of a file's answer: {"encoding": "base64", "content"}. Errors: corrupt; unsupported.
Result<std::string> read_hosted_file(std::string_view text);

/// The address of `rel="next"` in a Link field (RFC 8288); empty: none.
std::string next_link(std::string_view field);

}  // namespace cairn::connectors
