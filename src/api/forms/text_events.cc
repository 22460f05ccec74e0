// SPDX-License-Identifier: Apache-2.0
#include "api/forms/text_events.h"

#include "net/http/sse.h"

namespace cairn::api {
namespace {

constexpr std::int64_t quiet_ms = 15'000;  // proxies cut what is silent for longer

/// The reply as far as it has come.
class EventStream {
 public:
  EventStream(Call& call, const TextEvents& events)
      : call_(call), events_(events), out_(call.exchange().reply) {}

  bool has_begun() const { return begun_; }
  Status begin() {
    if (begun_) return ok_status();
    begun_ = true;
    return out_.begin(200, call_.reply_headers("text/event-stream"));
  }
  Status send(const std::vector<std::string>& all) {
    CAIRN_CHECK(begin());
    for (const std::string& data : all)
      CAIRN_CHECK(out_.send({.event = events_.event, .data = data}));
    return ok_status();
  }
  Status comment() {
    CAIRN_CHECK(begin());
    return out_.comment("waiting");
  }
  Status fail(const Error& error) {
    CAIRN_CHECK(out_.send({.event = events_.error_event, .data = events_.error(error)}));
    return out_.end();
  }
  Status end() {
    CAIRN_CHECK(send({"[DONE]"}));
    return out_.end();
  }

 private:
  Call& call_;
  const TextEvents& events_;
  net::SseWriter out_;
  bool begun_ = false;
};

}  // namespace

Result<Reply> stream_text(Call& call, inference::TextAnswer& answer, const os::Deadline& deadline,
                          const TextEvents& events) {
  EventStream out(call, events);
  // A client that cannot be written to has gone: nothing is left to say to it.
  for (;;) {
    if (!answer.wait_ms(quiet_ms, deadline) && !deadline.passed()) {
      if (!out.comment().ok()) return Reply::already_sent();
      continue;
    }
    auto piece = answer.next(deadline);
    if (!piece.ok() && !out.has_begun()) return std::move(piece).error();
    if (!piece.ok()) {
      (void)out.fail(piece.error()).ok();
      return Reply::already_sent();
    }
    const std::vector<std::string> data = *piece ? events.of(**piece) : events.last();
    if (!out.send(data).ok()) return Reply::already_sent();
    if (*piece) continue;
    (void)out.end().ok();
    return Reply::already_sent();
  }
}

}  // namespace cairn::api
