// SPDX-License-Identifier: Apache-2.0
// Finding lines of the audit log, newest first, page by page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "gate/trail/audit_lines.h"

namespace cairn::gate {

/// What a line must be. Empty texts ask nothing; * in one stands for any run of characters.
struct AuditQuery {
  std::optional<std::int64_t> since_ms = {};  // not before
  std::optional<std::int64_t> until_ms = {};  // before
  std::string identity =
      {};  // user.name, user.principal, apikey.id, apikey.name, session.id or origin.address
  std::string operation = {};  // action, as index.create
  std::string outcome = {};    // event.outcome or event.action: failure, access_denied
  std::string resource =
      {};  // url.path, from its beginning: "books", "/books/_doc/7", "/_security/*"
  std::uint64_t before = UINT64_MAX;  // lines of smaller numbers alone
  std::size_t size = 100;
};

struct AuditPage {
  std::vector<std::string> lines;  // newest first; JSON objects as they stand in the log
  /// AuditQuery::before of the next page, which may have no lines; nothing at the end.
  std::optional<std::uint64_t> next = {};
};

/// One look at no more than `scan_bytes_max` of the log. Lines without a number, of before there
/// was a chain, are left out. A line whose clock was set back by less than a day is found too.
/// Errors: those of AuditLines.
Result<AuditPage> search_audit(AuditLines& lines, const AuditQuery& query,
                               std::size_t scan_bytes_max = 16u << 20);

}  // namespace cairn::gate
