// SPDX-License-Identifier: Apache-2.0
#include "api/routes/cluster/event_routes.h"

#include <algorithm>
#include <utility>

#include "api/forms/error_json.h"
#include "base/strings.h"
#include "os/clock.h"

namespace cairn::api {
namespace {

using Topics = EventPublisher::Topics;

constexpr std::string_view come_back_after = "retry: 3000\n\n";

bool may_hear(const Topic& topic, const gate::Caller& caller) {
  return std::all_of(topic.privileges.begin(), topic.privileges.end(),
                     [&](const std::string& name) { return caller.may_cluster(name); });
}

Result<Topics> asked_topics(Call& call, const std::vector<Topic>& known) {
  const auto names = call.list("topics");
  Topics out;
  for (std::size_t i = 0; i < known.size(); ++i) out[i] = names.empty();
  for (const std::string& name : names) {
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const Topic& topic) { return topic.name == name; });
    if (found == known.end()) {
      std::vector<std::string> all;
      for (const Topic& topic : known) all.push_back(topic.name);
      return illegal_argument("[topics] names [" + name + "], which is none of [" +
                              join(all, ", ") + "]");
    }
    out.set(static_cast<std::size_t>(found - known.begin()));
  }
  return out;
}

/// Topics of `asked` that the caller may not hear, each with what it needs.
Json refused_topics(const std::vector<Topic>& known, const Topics& asked, const Topics& allowed) {
  Json out = Json::array();
  for (std::size_t i = 0; i < known.size(); ++i)
    if (asked[i] && !allowed[i])
      out.push(Json::object(
          {{"topic", known[i].name},
           {"reason", "needs the cluster privileges [" + join(known[i].privileges, ", ") + "]"}}));
  return out;
}

Topics allowed_topics(const std::vector<Topic>& known, const gate::Caller& caller) {
  Topics out;
  for (std::size_t i = 0; i < known.size(); ++i) out[i] = may_hear(known[i], caller);
  return out;
}

/// Asks key and session as they are then: they may have ended, or may do less.
EventPublisher::StillAllowed still_allowed(const EventPublisher& publisher, const auth::Keys& keys,
                                           const auth::Sessions& sessions,
                                           const gate::Caller& caller) {
  const bool is_issued = caller.key().signed_in;  // what it may do stays, until it ends
  return [&, caller, is_issued]() -> std::optional<Topics> {
    if (caller.session() != nullptr && !sessions.lives(*caller.session())) return std::nullopt;
    const auto now = is_issued ? nullptr : keys.get(caller.key().id);
    if (!is_issued && (now == nullptr || !keys.check_usable(*now).ok())) return std::nullopt;
    const gate::Caller as_now = is_issued ? caller : gate::Caller(now);
    if (as_now.key().expired(os::system_clock().unix_ms())) return std::nullopt;
    return allowed_topics(publisher.topics(), as_now);
  };
}

Result<Reply> listen(Call& call, EventPublisher& publisher, const auth::Keys& keys,
                     const auth::Sessions& sessions) {
  const auto& known = publisher.topics();
  CAIRN_TRY(const Topics asked, asked_topics(call, known));
  const Topics allowed = asked & allowed_topics(known, call.caller());
  const Json refused = refused_topics(known, asked, allowed);
  if (allowed.none())
    return Error{ErrorKind::permission_denied, "security_exception",
                 "API key id [" + call.caller().key().id +
                     "] may hear none of these topics: " + refused.dump()};
  CAIRN_TRY(auto place, publisher.enter(call.caller().key().id));
  net::ReplyWriter& reply = call.exchange().reply;
  net::Headers headers = call.reply_headers("text/event-stream");
  headers.set("Cache-Control", "no-store");
  headers.set("X-Accel-Buffering", "no");
  CAIRN_CHECK(reply.begin(200, headers, std::nullopt));
  std::string first(come_back_after);
  if (!refused.as_array().empty())
    first += event_text("refused", 0, Json::object({{"topics", refused}}).dump());
  CAIRN_CHECK(reply.write(first));
  auto stream = net::park(reply);
  if (stream == nullptr) {  // HEAD
    CAIRN_CHECK(reply.end());
    return Reply::already_sent();
  }
  publisher.add(std::move(place), std::move(stream), allowed,
                still_allowed(publisher, keys, sessions, call.caller()));
  return Reply::already_sent();
}

Result<Reply> history_of(Call& call, const History& history) {
  const std::string name = call.query("range").value_or("1h");
  const auto range = History::range_of(name);
  if (!range) return illegal_argument("[range] must be 1h, 24h or 7d, and is [" + name + "]");
  std::vector<std::string> asked = call.list("metrics");
  const auto known = History::series_names();
  if (asked.empty()) asked.assign(known.begin(), known.end());
  for (const std::string& each : asked)
    if (std::find(known.begin(), known.end(), each) == known.end())
      return illegal_argument("[metrics] names [" + each + "], which is none of [" +
                              join(std::vector<std::string>(known.begin(), known.end()), ", ") +
                              "]");
  return Reply::json(history.shown(*range, asked));
}

}  // namespace

void add_event_routes(Router& router, ServiceRef<EventPublisher> publisher,
                      ServiceRef<const History> history, ServiceRef<const auth::Keys> keys,
                      ServiceRef<const SessionServices> sessions) {
  router.add({.method = "GET",
              .path = "/_cairn/events",
              .operation = "cairn.events",
              .cluster = {"monitor", "manage_security"},  // each topic asks for its own
              .query = {{"topics", "list", "Of overview, jobs, limits and log; all by default."}},
              .summary = "What goes on, as a stream of server-sent events.",
              .waits = true},
             [publisher, keys, sessions](Call& call) {
               return listen(call, *publisher, *keys, sessions->sessions);
             });
  router.add({.method = "GET",
              .path = "/_cairn/history",
              .operation = "cairn.history",
              .cluster = {"monitor"},
              .query = {{"metrics", "list", "Names of series; all by default."},
                        {"range", "string", "1h, 24h or 7d; 1h by default."}},
              .summary = "What went on: requests, latencies, memory, disk and work, over time."},
             [history](Call& call) { return history_of(call, *history); });
}

}  // namespace cairn::api
