// SPDX-License-Identifier: Apache-2.0
// One call of a route as its handler sees it, and the reply that the handler gives.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "gate/limit_metrics.h"
#include "gate/route.h"
#include "net/http/message.h"
#include "os/deadline.h"
#include "ratelimit/limiter.h"
#include "ratelimit/rule_counts.h"

namespace cairn::api {

/// What a handler answers. `body` is rendered as the caller asked (pretty, filter_path); `text`
/// goes out as it is. Failures are not replies: return an Error.
struct Reply {
  int status = 200;
  Json body = {};
  std::string text = {};
  std::string content_type = {};  // of `text` that is no JSON
  net::Headers headers = {};
  bool sent = false;     // the handler wrote through exchange() itself
  bool is_json = false;  // `text` is JSON text already; takes part in pretty and filter_path
  bool tried = false;    // a change was only tried: the audit log has no line about it
  static Reply json(Json body, int status = 200);
  /// Already rendered compact JSON text.
  static Reply raw_json(std::string text, int status = 200);
  static Reply plain(std::string text, std::string content_type = "text/plain; charset=UTF-8",
                     int status = 200);
  /// A status and no body: HEAD routes.
  static Reply empty(int status);
  /// The handler has written the reply itself.
  static Reply already_sent();
};

/// A request of the same table that a handler makes for its caller.
struct InnerRequest {
  std::string method = "GET";
  std::string target = "/";  // path and query, as on the wire, without the prefix of all paths
  std::string body = {};     // JSON, or lines of it; empty: none
};

/// Valid during the handler's call only; one thread.
class Call {
 public:
  struct State;
  explicit Call(State& state) : state_(state) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const gate::Caller& caller() const;
  const gate::Route& route() const;
  net::Exchange& exchange();
  const net::RequestHead& head() const;
  /// Ends when the server shuts down, when the peer goes away, or at the listener's limit.
  os::Deadline deadline() const;

  /// The path as it was asked for.
  std::string_view request_path() const;
  /// The decoded path parameter; empty where the template has none of that name.
  const std::string& path(std::string_view name) const;
  /// The decoded query parameter, the last where it was given twice; unknown ones never get here.
  std::optional<std::string> query(std::string_view name) const;
  /// Query parameters with a type. Errors: invalid_argument with the platform's texts.
  Result<bool> flag(std::string_view name, bool fallback) const;
  Result<std::int64_t> integer(std::string_view name, std::int64_t fallback) const;
  Result<double> number(std::string_view name, double fallback) const;
  /// Milliseconds; -1: never, 0: at once.
  Result<std::int64_t> time(std::string_view name, std::int64_t fallback_ms) const;
  /// A comma list; empty where the parameter is absent or empty.
  std::vector<std::string> list(std::string_view name) const;
  bool human() const;

  /// The body as a JSON object; an empty object where there is none and the route asks for none.
  /// Errors: parse_exception "request body is required"; x_content_parse_exception with line and
  /// column; too_large; not an object.
  Result<Json> body();
  /// The same, and nothing where there is no body.
  Result<std::optional<Json>> optional_body();
  /// The bytes, whatever they are; `limit` 0: the limit of the route. Read once, kept by the call.
  Result<std::string_view> raw_body(std::size_t limit = 0);

  /// Does what another row does, with the caller's rights, checks, audit line and deadline; nothing
  /// is counted, for the request that this is a part of was. Replies that the handler sends by
  /// itself come as text. Errors: those of that request, with positions of a JSON body; unsupported
  /// for a row that makes inner requests.
  Result<Reply> inner(const InnerRequest& request);
  /// What is left of the caller's limit here; nothing where there is none.
  std::optional<ratelimit::WindowState> window() const;
  /// What the row's Weigher understood; null where it has none, or was not asked.
  const std::shared_ptr<const void>& understood() const;
  /// The body asks for so many searches: for rules of the operator that weigh them. Before the
  /// reply begins. Errors: rate_limited.
  Status weigh_searches(std::size_t searches);

  /// For rows with `signs_in`, once and before anything else is answered: counts the request as the
  /// key's that its credentials verified as, or as the address' where they do not. From then on
  /// caller() has the key. Errors: the given one; rate_limited.
  Status sign_in(Result<std::shared_ptr<const auth::Key>> key);

  /// How a request to this listener would be counted.
  struct Counted {
    const gate::Route* route = nullptr;                    // null: no row fits
    std::vector<std::string> indices = {};                 // that the path names
    std::shared_ptr<const ratelimit::Policy> policy = {};  // null: it is not limited
    ratelimit::Charge charge = {};
    std::vector<const ratelimit::LimitRule*> rules = {};  // of that policy
  };
  /// Errors: invalid_argument for a path that is none.
  Result<Counted> counted(std::string_view method, std::string_view path) const;
  /// Counts what the rules of the operator said to a request that this call asks for; one that
  /// other limits did not admit counted nothing.
  void note_rules(const ratelimit::RuleCounts& counts, bool admitted) const;
  /// What the rules of the operator have said since the start.
  gate::LimitMetrics::RuleDecisions decisions_of_rule(const std::string& rule) const;

  /// Header fields for a handler that begins its reply itself, besides those that every reply has.
  net::Headers reply_headers(std::string_view content_type) const;

  /// True where the caller has the route's index privilege on this index, or one of its cluster
  /// privileges where either admits. For wildcards.
  bool admits(std::string_view index) const;
  /// 403 with the platform's text unless the caller has this privilege on the index. For indices
  /// that only the body names.
  Status require_index(std::string_view privilege, std::string_view index) const;
  /// 403 where a query in the roles of the key hides documents of the index.
  Status require_whole(std::string_view index) const;

 private:
  State& state_;
};

using Handler = std::function<Result<Reply>(Call&)>;

}  // namespace cairn::api
