// SPDX-License-Identifier: Apache-2.0
#include "gate/trail/audit_search.h"

#include <algorithm>
#include <string_view>

#include "base/strings.h"
#include "format/json.h"

namespace cairn::gate {
namespace {

constexpr std::int64_t clock_slack_ms = 24ll * 3600 * 1000;

constexpr std::string_view identity_members[] = {"user.name",   "user.principal", "apikey.id",
                                                 "apikey.name", "session.id",     "origin.address"};

/// Stands in a line as it is, where it stands there at all.
bool is_plain_part(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < '\x7f' && c != '"' && c != '\\' && c != '*';
  });
}

/// "books" for "/books" and all beneath; a pattern for what it matches.
bool is_resource(std::string_view wanted, std::string_view path) {
  if (wanted.find('*') != std::string_view::npos)
    return wildcard_match(wanted.starts_with('/') ? wanted : "/" + std::string(wanted), path);
  if (wanted.starts_with('/')) wanted.remove_prefix(1);
  if (path.starts_with('/')) path.remove_prefix(1);
  return path.starts_with(wanted) && (path.size() == wanted.size() || path[wanted.size()] == '/');
}

bool fits(const Json& line, const AuditQuery& query) {
  const auto is = [&line](std::string_view member, const std::string& wanted) {
    const Json* value = line.find(member);
    return value != nullptr && value->is_string() && wildcard_match(wanted, value->as_string());
  };
  if (!query.identity.empty() &&
      std::none_of(std::begin(identity_members), std::end(identity_members),
                   [&](std::string_view member) { return is(member, query.identity); }))
    return false;
  if (!query.operation.empty() && !is("action", query.operation)) return false;
  if (!query.outcome.empty() && !is("event.outcome", query.outcome) &&
      !is("event.action", query.outcome))
    return false;
  return query.resource.empty() || is_resource(query.resource, line.string_or("url.path"));
}

/// What every line that fits has in it; parsing takes longer than looking for that.
std::vector<std::string_view> plain_parts(const AuditQuery& query) {
  std::vector<std::string_view> out;
  for (const std::string* text :
       {&query.identity, &query.operation, &query.outcome, &query.resource})
    if (is_plain_part(*text)) out.push_back(*text);
  return out;
}

bool may_fit(std::string_view line, const std::vector<std::string_view>& parts) {
  return std::all_of(parts.begin(), parts.end(), [line](std::string_view part) {
    return line.find(part) != std::string_view::npos;
  });
}

/// Behind the last line that could be wanted.
Result<AuditPlace> search_begin(AuditLines& lines, const AuditQuery& query) {
  if (query.before == UINT64_MAX && !query.until_ms) return lines.end();
  return lines.first_not([&query](std::string_view line) {
    const auto number = number_of(line);
    if (number && *number >= query.before) return false;
    const auto time = time_of(line);
    return !query.until_ms || !time || *time < *query.until_ms + clock_slack_ms;
  });
}

}  // namespace

Result<AuditPage> search_audit(AuditLines& lines, const AuditQuery& query,
                               std::size_t scan_bytes_max) {
  CAIRN_TRY(AuditPlace at, search_begin(lines, query));
  const auto parts = plain_parts(query);
  AuditPage page;
  std::size_t scanned = 0;
  std::uint64_t oldest = query.before;  // of those that were looked at
  while (page.lines.size() < query.size && scanned < scan_bytes_max) {
    CAIRN_TRY(const auto line, lines.previous(at));
    if (!line) return page;
    scanned += line->size() + 1;
    const auto number = number_of(*line);
    const auto time = time_of(*line);
    if (query.since_ms && time && *time < *query.since_ms - clock_slack_ms) return page;
    if (!number || *number >= query.before) continue;
    oldest = std::min(oldest, *number);
    if ((query.since_ms && (!time || *time < *query.since_ms)) ||
        (query.until_ms && (!time || *time >= *query.until_ms)) || !may_fit(*line, parts))
      continue;
    const auto parsed = parse_json(*line);
    if (parsed.ok() && fits(*parsed, query)) page.lines.emplace_back(*line);
  }
  // Smaller with each page, whatever somebody made of the numbers.
  if (oldest == query.before && oldest != UINT64_MAX) --oldest;
  if (oldest > 1) page.next = oldest;
  return page;
}

}  // namespace cairn::gate
