// SPDX-License-Identifier: Apache-2.0
#include "api/events/event_publisher.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/assert.h"
#include "net/http/sse.h"

namespace cairn::api {
namespace {

constexpr std::int64_t comment_every_ms = 15'000;  // so that proxies keep the connection
constexpr std::int64_t ask_again_every_ms = 2'000;
constexpr std::int64_t look_every_ms = 1'000;  // for who has gone
constexpr std::int64_t rest_ms_min = 4, rest_ms_max = 1'000;

}  // namespace

std::string event_text(std::string_view event, std::uint64_t id, std::string_view json) {
  net::SseEvent out{.event = std::string(event), .data = std::string(json)};
  if (id > 0) out.id = std::to_string(id);
  return net::format_sse(out);
}

EventPublisher::EventPublisher(std::vector<Topic> topics, EventOptions options,
                               const os::Clock& clock)
    : topics_(std::move(topics)), options_(options), clock_(clock), values_(topics_.size()) {
  CAIRN_ASSERT(topics_.size() <= topics_max);
}
EventPublisher::~EventPublisher() { stop(); }

Status EventPublisher::start() {
  CAIRN_TRY(thread_, os::Thread::start_stoppable({.name = "cairn-events"},
                                                 [this](std::stop_token stop) { work(stop); }));
  return ok_status();
}

void EventPublisher::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  woken_.notify_all();
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

EventPublisher::Place& EventPublisher::Place::operator=(Place&& other) noexcept {
  if (this == &other) return *this;
  leave();
  counts_ = std::move(other.counts_);
  key_ = std::move(other.key_);
  return *this;
}

void EventPublisher::Place::leave() {
  if (counts_ == nullptr) return;
  const std::lock_guard lock(counts_->mutex);
  --counts_->all;
  const auto mine = counts_->of_one.find(key_);
  if (--mine->second == 0) counts_->of_one.erase(mine);
}

Result<EventPublisher::Place> EventPublisher::enter(const std::string& key) {
  const std::lock_guard lock(counts_->mutex);
  const auto refuse = [](std::string what) {
    return Error{ErrorKind::rate_limited, "es_rejected_execution_exception", std::move(what)};
  };
  if (counts_->all >= options_.streams_max)
    return refuse("[events.streams_max] allows " + std::to_string(options_.streams_max) +
                  " streams of events, which are all in use; ask GET /_cairn/history meanwhile");
  std::size_t& mine = counts_->of_one[key];
  if (mine >= options_.streams_of_one_max)
    return refuse("[events.streams_per_key] allows " + std::to_string(options_.streams_of_one_max) +
                  " streams of events with one API key; close one");
  ++mine;
  ++counts_->all;
  Place place;
  place.counts_ = counts_;
  place.key_ = key;
  return place;
}

void EventPublisher::add(Place place, std::shared_ptr<net::ParkedStream> stream, Topics topics,
                         StillAllowed still_allowed) {
  Listener listener{.place = std::move(place),
                    .stream = std::move(stream),
                    .topics = topics,
                    .still_allowed = std::move(still_allowed),
                    .seen = std::vector<std::uint64_t>(topics_.size())};
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;  // and the stream, which nobody keeps, is closed
    arrivals_.push_back(std::move(listener));
  }
  woken_.notify_all();
}

void EventPublisher::work(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const std::int64_t now = clock_.steady_ns() / 1'000'000;
    take_arrivals(now);
    drop_gone(now);
    read_values(now);
    for (Listener& each : listeners_) deliver(each, now);
    const std::int64_t rest = next_ms(now) - clock_.steady_ns() / 1'000'000;
    std::unique_lock lock(mutex_);
    const auto woken = [this] { return !arrivals_.empty() || stopped_; };
    if (listeners_.empty())
      woken_.wait(lock, stop, woken);
    else if (rest > 0)
      woken_.wait_for(lock, stop, std::chrono::milliseconds(rest), woken);
  }
  take_arrivals(0);
  for (Listener& each : listeners_) each.stream->end();  // the server's drain ends what is busy
  listeners_.clear();
}

void EventPublisher::take_arrivals(std::int64_t now_ms) {
  std::vector<Listener> came;
  {
    const std::lock_guard lock(mutex_);
    came.swap(arrivals_);
  }
  for (Listener& each : came) {
    each.asked_ms = each.sent_ms = now_ms;
    listeners_.push_back(std::move(each));
  }
}

void EventPublisher::drop_gone(std::int64_t now_ms) {
  for (Listener& each : listeners_)
    if (now_ms - each.asked_ms >= ask_again_every_ms) ask_again(each, now_ms);
  std::erase_if(listeners_, [](const Listener& each) { return !each.stream->is_open(); });
}

void EventPublisher::ask_again(Listener& listener, std::int64_t now_ms) {
  listener.asked_ms = now_ms;
  const auto allowed = listener.still_allowed();
  const Topics left = allowed ? listener.topics & *allowed : Topics();
  for (std::size_t i = 0; allowed && i < topics_.size(); ++i)
    if (listener.topics[i] && !left[i])
      listener.notice += event_text("refused", 0,
                                    R"({"topics":[{"topic":")" + topics_[i].name +
                                        R"(","reason":"the key may not hear it any more"}]})");
  listener.topics = left;
  if (left.any()) return;
  listener.ends = true;
  listener.notice +=
      event_text("ended", 0, R"({"reason":"the credentials may not listen any more"})");
}

// Topics that nobody listens to are not read; one that somebody begins to listen to is read at
// once.
void EventPublisher::read_values(std::int64_t now_ms) {
  Topics wanted;
  for (const Listener& each : listeners_) wanted |= each.topics;
  for (std::size_t i = 0; i < topics_.size(); ++i) {
    Value& value = values_[i];
    const Topic& topic = topics_[i];
    const bool begins = wanted[i] && !value.listened;
    value.listened = wanted[i];
    if (!wanted[i] || (!begins && now_ms < value.next_ms)) continue;
    // In step with the clock, so that values that are read together leave together.
    value.next_ms = (now_ms / topic.period_ms + 1) * topic.period_ms;
    if (!topic.read) continue;
    std::string text = topic.read();
    if (topic.on_change && value.id > 0 && text == value.text) continue;
    value.id = ++last_id_;
    value.event = event_text(topic.name, value.id, text);
    value.text = std::move(text);
  }
}

/// What the listener has not seen, in the order of the ids; `seen` is what it will have seen.
std::string EventPublisher::batch_for(Listener& listener, std::vector<std::uint64_t>& seen) {
  std::string out = listener.notice;
  std::vector<std::size_t> fresh;
  for (std::size_t i = 0; i < topics_.size(); ++i)
    if (listener.topics[i] && topics_[i].read && values_[i].id > seen[i]) fresh.push_back(i);
  std::sort(fresh.begin(), fresh.end(),
            [this](std::size_t a, std::size_t b) { return values_[a].id < values_[b].id; });
  for (const std::size_t i : fresh) {
    out += values_[i].event;
    seen[i] = values_[i].id;
  }
  for (std::size_t i = 0; i < topics_.size(); ++i) {
    if (!listener.topics[i] || !topics_[i].read_after) continue;
    const auto news = topics_[i].read_after(seen[i]);
    if (!news) continue;
    out += event_text(topics_[i].name, ++last_id_, news->text);
    seen[i] = news->until;
  }
  return out;
}

void EventPublisher::deliver(Listener& listener, std::int64_t now_ms) {
  if (now_ms < listener.rests_until_ms) return;
  std::vector<std::uint64_t> seen = listener.seen;
  std::string batch = batch_for(listener, seen);
  if (batch.empty() && now_ms - listener.sent_ms >= comment_every_ms) batch = ":\n\n";
  const bool taken = batch.empty() || listener.stream->offer(batch);
  if (taken) {
    if (!batch.empty()) listener.sent_ms = now_ms;
    listener.seen = std::move(seen);
    listener.notice.clear();
    listener.rest_ms = 0;
  }
  if (taken && (!listener.ends || listener.stream->end())) return;
  listener.rest_ms = std::clamp(2 * listener.rest_ms, rest_ms_min, rest_ms_max);
  listener.rests_until_ms = now_ms + listener.rest_ms;
}

std::int64_t EventPublisher::next_ms(std::int64_t now_ms) const {
  std::int64_t out = now_ms + look_every_ms;
  for (const Value& value : values_)
    if (value.listened) out = std::min(out, value.next_ms);
  for (const Listener& each : listeners_)
    if (each.rest_ms > 0) out = std::min(out, each.rests_until_ms);
  return out;
}

}  // namespace cairn::api
