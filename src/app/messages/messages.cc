// SPDX-License-Identifier: Apache-2.0
#include "app/messages/messages.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/encode.h"
#include "format/time.h"
#include "os/files/files.h"
#include "os/log.h"
#include "os/metrics.h"
#include "os/random.h"
#include "os/threads/blocking.h"

namespace cairn::app {
namespace {

constexpr std::int64_t first_wait_ms = 1'000, longest_wait_ms = 600'000;
constexpr std::int64_t furthest_ms = 7'200'000;
constexpr std::int64_t send_ms = 30'000;
constexpr std::int64_t look_ms = 60'000;
constexpr std::size_t state_bytes_max = 64u << 20;

os::Counter& message_counter(const char* result) {
  return os::metrics().counter("cairn_messages_total", "Messages to people, by what became of them",
                               {{"result", result}});
}

Json message_json(const Message& message) {
  return Json::object({{"id", message.id},
                       {"state", message.state},
                       {"time", message.time_ms},
                       {"since", message.since_ms},
                       {"key", message.fault.key},
                       {"kind", message.fault.kind},
                       {"subject", message.fault.subject},
                       {"text", message.fault.text},
                       {"details", message.fault.details}});
}

Message message_of(const Json& json) {
  const Json* details = json.find("details");
  return {
      .id = json.string_or("id"),
      .state = json.string_or("state"),
      .time_ms = json.int_or("time"),
      .since_ms = json.int_or("since"),
      .fault = {.key = json.string_or("key"),
                .kind = json.string_or("kind"),
                .subject = json.string_or("subject"),
                .text = json.string_or("text"),
                .details = details != nullptr && details->is_object() ? *details : Json::object()}};
}

}  // namespace

Messages::Messages(const os::Clock& clock, MessageParams params)
    : clock_(clock), params_(std::move(params)), conditions_(params_.options.repeat_ms) {}

Result<std::unique_ptr<Messages>> Messages::start(const os::Clock& clock, MessageParams params) {
  std::unique_ptr<Messages> out(new Messages(clock, std::move(params)));
  if (!out->params_.options.any()) return out;
  CAIRN_CHECK(os::make_directories_durably(out->params_.files, out->params_.folder, 0700));
  CAIRN_CHECK(out->restore());
  if (!out->params_.look) return out;
  CAIRN_TRY(out->thread_, os::Thread::start_stoppable(
                              {.name = "cairn-messages"},
                              [self = out.get()](std::stop_token stop) { self->work(stop); }));
  return out;
}

Messages::~Messages() { stop(); }

void Messages::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

std::vector<std::string> Messages::ways() const {
  std::vector<std::string> out;
  if (!params_.options.webhook_url.empty()) out.emplace_back("webhook");
  if (!params_.options.mail_command.empty()) out.emplace_back("mail");
  return out;
}

/// What cannot be read is told, and begins anew: messages are no reason not to start.
Status Messages::restore() {
  const std::string path = params_.folder + "/state.json";
  const auto text = os::read_file(params_.files, path, state_bytes_max);
  if (!text.ok() && text.error().kind == ErrorKind::not_found) return ok_status();
  const auto parsed = text.ok() ? parse_json(*text) : Result<Json>(text.error());
  if (!parsed.ok() || !parsed->is_object()) {
    os::log(os::LogLevel::error, "app", "what was told in messages cannot be read, it begins anew",
            {{"file", path}});
    return ok_status();
  }
  if (const Json* conditions = parsed->find("conditions")) conditions_.restore(*conditions);
  const Json* waiting = parsed->find("waiting");
  if (waiting == nullptr || !waiting->is_array()) return ok_status();
  const auto known = ways();
  for (const Json& one : waiting->as_array()) {
    const Json* message = one.find("message");
    const std::string way = one.string_or("way");
    // A way that the settings have no more.
    if (message == nullptr || std::find(known.begin(), known.end(), way) == known.end()) continue;
    waiting_.push_back({.message = message_of(*message),
                        .way = way,
                        .attempts = static_cast<int>(one.int_or("attempts")),
                        .next_ms = 0,
                        .queued_ms = one.int_or("queued")});
  }
  return ok_status();
}

/// With mutex_ held.
void Messages::save() {
  Json waiting = Json::array();
  for (const Waiting& one : waiting_)
    waiting.push(Json::object({{"message", message_json(one.message)},
                               {"way", one.way},
                               {"attempts", one.attempts},
                               {"queued", one.queued_ms}}));
  const Json state =
      Json::object({{"conditions", conditions_.save()}, {"waiting", std::move(waiting)}});
  const Status kept =
      os::replace_file(params_.files, params_.folder + "/state.json", state.dump() + "\n");
  if (!kept.ok())
    os::log(os::LogLevel::warn, "app", "what was told in messages was not kept",
            {{"reason", kept.error().message}});
}

void Messages::look_now(const os::Deadline& deadline) {
  const LookedAt looked = params_.look(deadline);
  const std::int64_t now = clock_.unix_ms();
  const std::lock_guard lock(mutex_);
  const auto told = conditions_.update(looked.faults, looked.kinds, now);
  if (told.empty()) return;
  for (const Message& message : told) {
    os::log(message.state == "over" ? os::LogLevel::info : os::LogLevel::warn, "app", "message",
            {{"kind", message.fault.kind},
             {"state", message.state},
             {"subject", message.fault.subject},
             {"text", message.fault.text}});
    for (const std::string& way : ways())
      waiting_.push_back({.message = message, .way = way, .next_ms = now, .queued_ms = now});
  }
  if (waiting_.size() > waiting_max) {
    const std::size_t over = waiting_.size() - waiting_max;
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(over));
    given_up_ += over;
    message_counter("given_up").add(over);
  }
  save();
}

std::optional<Undelivered> Messages::send_by(const std::string& way, const Message& message,
                                             const os::Deadline& deadline) {
  const os::Blocking blocking;
  const std::lock_guard sending(sending_);
  const auto until = deadline.sooner_ms(send_ms);
  if (way == "webhook")
    return call_webhook(params_.options, message, params_.node, clock_.unix_ms(), until);
  return send_mail(params_.options, message, params_.node, until);
}

/// The first that is due. Of one fault a way has them in their order: what is over does not come
/// before it began.
std::optional<Messages::Waiting> Messages::take_due(std::int64_t now_ms, std::int64_t& next_in_ms) {
  const std::lock_guard lock(mutex_);
  std::set<std::string> seen;
  for (Waiting& one : waiting_) {
    std::string of = one.way + " " + one.message.fault.key;
    if (!seen.insert(std::move(of)).second) continue;
    // A clock that was set back does not make it wait for longer than anything waits.
    if (one.next_ms <= now_ms || one.next_ms > now_ms + furthest_ms) return one;
    next_in_ms = std::min(next_in_ms, one.next_ms - now_ms);
  }
  return std::nullopt;
}

void Messages::settle(Waiting one, const std::optional<Undelivered>& failure) {
  const std::int64_t now = clock_.unix_ms();
  const std::lock_guard lock(mutex_);
  const auto at = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& other) {
    return other.message.id == one.message.id && other.way == one.way;
  });
  if (at == waiting_.end()) return;
  if (!failure) {
    waiting_.erase(at);
    ++sent_;
    message_counter("sent").add();
    save();
    return;
  }
  last_error_ = one.way + ": " + failure->reason;
  last_error_ms_ = now;
  message_counter("failed").add();
  const bool too_late = now - at->queued_ms >= tried_for_ms;
  if (at->attempts == 0 || too_late || failure->never)
    os::log(os::LogLevel::error, "app",
            too_late || failure->never ? "a message was given up" : "a message was not taken",
            {{"way", one.way}, {"kind", one.message.fault.kind}, {"reason", failure->reason}});
  if (too_late || failure->never) {
    waiting_.erase(at);
    ++given_up_;
    message_counter("given_up").add();
  } else {
    std::int64_t wait = first_wait_ms;
    for (int i = 0; i < at->attempts && wait < longest_wait_ms; ++i) wait *= 2;
    at->next_ms = now + std::max(std::min(wait, longest_wait_ms), failure->wait_ms);
    ++at->attempts;
  }
  save();
}

std::int64_t Messages::send_due(const os::Deadline& deadline) {
  for (;;) {
    std::int64_t next_in = INT64_MAX;
    if (deadline.passed()) return next_in;
    auto one = take_due(clock_.unix_ms(), next_in);
    if (!one) return next_in;
    const auto failure = send_by(one->way, one->message, deadline);
    if (failure && deadline.stopped()) return next_in;  // the stop ended it
    settle(*std::move(one), failure);
  }
}

void Messages::work(const std::stop_token& stop) {
  const auto until_stopped = os::Deadline::never(stop);
  std::int64_t next_look_ns = 0;
  do {
    const std::int64_t now_ns = clock_.steady_ns();
    if (now_ns >= next_look_ns) {
      look_now(until_stopped.sooner_ms(look_ms));
      next_look_ns = clock_.steady_ns() + params_.options.check_ms * 1'000'000;
    }
    const std::int64_t due_in = send_due(until_stopped);
    const std::int64_t look_in = (next_look_ns - clock_.steady_ns()) / 1'000'000;
    if (!os::sleep_ms(std::clamp<std::int64_t>(std::min(due_in, look_in), 1, look_ms),
                      until_stopped))
      return;
  } while (!stop.stop_requested());
}

Result<Json> Messages::test(const os::Deadline& deadline) {
  if (!params_.options.any())
    return Error{.kind = ErrorKind::unsupported,
                 .message =
                     "messages go nowhere: set messages.webhook.url or "
                     "messages.mail.command"};
  const std::int64_t now = clock_.unix_ms();
  const Message message{
      .id = "msg_" + to_hex(os::system_random().bytes(12)),
      .state = "test",
      .time_ms = now,
      .since_ms = now,
      .fault = {.key = "test",
                .kind = "test",
                .subject = params_.node,
                .text = "Somebody asked for this message, to see that it comes."}};
  Json out = Json::object();
  for (const std::string& way : ways()) {
    const auto failure = send_by(way, message, deadline);
    out.set(way, failure ? Json::object({{"sent", false}, {"reason", failure->reason}})
                         : Json::object({{"sent", true}}));
  }
  return Json::object({{"id", message.id}, {"ways", std::move(out)}});
}

api::MessageSender Messages::sender() {
  return {.state = [this] { return state(); },
          .test = [this](const os::Deadline& deadline) { return test(deadline); }};
}

Json Messages::state() const {
  const std::lock_guard lock(mutex_);
  Json error;
  if (!last_error_.empty())
    error = Json::object({{"time", format_iso8601(last_error_ms_)}, {"reason", last_error_}});
  return Json::object({{"ways", Json::array_of(ways())},
                       {"conditions", conditions_.shown()},
                       {"waiting", static_cast<std::int64_t>(waiting_.size())},
                       {"sent", sent_},
                       {"given_up", given_up_},
                       {"last_error", std::move(error)}});
}

}  // namespace cairn::app
