// SPDX-License-Identifier: Apache-2.0
#include "api/routes/security/audit_routes.h"

#include <utility>

#include "api/forms/error_json.h"
#include "base/strings.h"
#include "format/time.h"

namespace cairn::api {
namespace {

using gate::AuditTrail;

constexpr std::int64_t page_lines_max = 1000;
constexpr std::int64_t segment_lines_max = 10'000;

/// A date, or milliseconds since 1970.
Result<std::optional<std::int64_t>> audit_time(const Call& call, std::string_view name) {
  const auto text = call.query(name);
  if (!text || text->empty()) return std::optional<std::int64_t>();
  if (const auto ms = parse_number<std::int64_t>(*text)) return ms;
  if (const auto ms = parse_iso8601(*text)) return ms;
  return illegal_argument("[" + std::string(name) +
                          "] must be a date, as 2026-01-31T08:00:00Z, or " +
                          "milliseconds since 1970, not [" + *text + "]");
}

/// A number of a line.
Result<std::uint64_t> audit_number(const Call& call, std::string_view name,
                                   std::uint64_t fallback) {
  const auto text = call.query(name);
  if (!text || text->empty()) return fallback;
  if (const auto number = parse_number<std::uint64_t>(*text)) return *number;
  return illegal_argument("[" + std::string(name) + "] must be the number of a line, not [" +
                          *text + "]");
}

Result<std::size_t> audit_size(const Call& call, std::int64_t usual, std::int64_t most) {
  CAIRN_TRY(const std::int64_t size, call.integer("size", usual));
  if (size < 1 || size > most)
    return illegal_argument("[size] must be from 1 to " + std::to_string(most));
  return static_cast<std::size_t>(size);
}

Result<Reply> search_log(Call& call, const AuditTrail& trail) {
  gate::AuditQuery query{.identity = call.query("identity").value_or(""),
                         .operation = call.query("operation").value_or(""),
                         .outcome = call.query("outcome").value_or(""),
                         .resource = call.query("resource").value_or("")};
  CAIRN_TRY(query.since_ms, audit_time(call, "since"));
  CAIRN_TRY(query.until_ms, audit_time(call, "until"));
  CAIRN_TRY(query.before, audit_number(call, "before", UINT64_MAX));
  CAIRN_TRY(query.size, audit_size(call, 100, page_lines_max));
  CAIRN_TRY(const auto page, trail.search(query, call.deadline()));
  std::string out;
  JsonWriter reply(out);
  reply.begin_object().key("events").begin_array();
  for (const auto& line : page.lines) reply.raw(line);
  reply.end_array();
  if (page.next) reply.key("next").unsigned_integer(*page.next);
  reply.end_object();
  return Reply::raw_json(std::move(out));
}

Result<Reply> export_log(Call& call, const AuditTrail& trail) {
  gate::SegmentWanted wanted;
  CAIRN_TRY(wanted.after, audit_number(call, "after", 0));
  CAIRN_TRY(wanted.lines_max, audit_size(call, segment_lines_max, segment_lines_max));
  CAIRN_TRY(auto segment, trail.segment(wanted, call.deadline()));
  return Reply::plain(std::move(segment.text), "application/x-ndjson");
}

Result<Reply> public_key(Call&, const AuditTrail& trail) {
  return Reply::json(Json::object({{"key", trail.signing().id()},
                                   {"algorithm", "Ed25519"},
                                   {"public_key", trail.signing().public_pem()}}));
}

Result<Reply> shipping(Call&, const AuditTrail& trail) {
  if (!trail.shipping) return Reply::json(Json::object({{"to", nullptr}}));
  return Reply::json(trail.shipping());
}

Result<Reply> ship(Call& call, const AuditTrail& trail) {
  if (!trail.ship_now)
    return illegal_argument("the audit log is shipped nowhere: name a bucket in audit.ship.to");
  CAIRN_TRY(Json state, trail.ship_now(call.deadline()));
  return Reply::json(std::move(state));
}

}  // namespace

void add_audit_routes(Router& router, ServiceRef<const AuditTrail> trail) {
  const std::vector<std::string> readers = {"read_audit"};
  router.add(
      {.method = "GET",
       .path = "/_cairn/audit",
       .operation = "cairn.search_audit",
       .cluster = readers,
       .computes = true,
       .query = {{"since", "string", "Lines of this time or later."},
                 {"until", "string", "Lines from before this time."},
                 {"identity", "string", "User, principal, key id or name, or address; with *."},
                 {"operation", "string", "As index.create; with *."},
                 {"outcome", "string", "success, failure, access_denied and others."},
                 {"resource", "string", "A path and what is beneath it; with *."},
                 {"before", "integer", "Lines of smaller numbers: next of another answer."},
                 {"size", "integer", "Lines at most: 100, up to 1000."}},
       .summary = "Lines of the audit log, newest first."},
      [trail](Call& call) { return search_log(call, *trail); });
  router.add({.method = "GET",
              .path = "/_cairn/audit/_export",
              .operation = "cairn.export_audit",
              .cluster = readers,
              .computes = true,
              .query = {{"after", "integer", "Lines of greater numbers: to of another seal."},
                        {"size", "integer", "Lines at most: 10000."}},
              .summary = "The next lines of the audit log with their chain, and a seal."},
             [trail](Call& call) { return export_log(call, *trail); });
  router.add({.method = "GET",
              .path = "/_cairn/audit/_key",
              .operation = "cairn.get_audit_key",
              .cluster = readers,
              .summary = "The public key that seals verify with."},
             [trail](Call& call) { return public_key(call, *trail); });
  router.add({.method = "GET",
              .path = "/_cairn/audit/_shipping",
              .operation = "cairn.get_audit_shipping",
              .cluster = readers,
              .summary = "How far the audit log is shipped to its bucket."},
             [trail](Call& call) { return shipping(call, *trail); });
  router.add({.method = "POST",
              .path = "/_cairn/audit/_ship",
              .operation = "cairn.ship_audit",
              .cluster = {"manage_security"},
              .summary = "Ships what the bucket lacks, now.",
              .waits = true},
             [trail](Call& call) { return ship(call, *trail); });
}

}  // namespace cairn::api
