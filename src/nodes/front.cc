// SPDX-License-Identifier: Apache-2.0
#include "nodes/front.h"

#include <algorithm>
#include <utility>

#include "format/time.h"
#include "nodes/linked_deadline.h"
#include "os/threads/blocking.h"

namespace cairn::nodes {
namespace {

constexpr std::int64_t longest_wait_ms = 600'000;  // each holds a worker

os::Counter& requests_counter(const char* result) {
  return os::metrics().counter(
      "cairn_node_forwarded_requests_total",
      "Requests to this node while another one serves: passed on, lost on the way, or read here.",
      {{"result", result}});
}

int status_of(const Error& fault) {
  if (fault.kind == ErrorKind::too_large) return 413;
  return fault.kind == ErrorKind::timeout ? 408 : 400;
}

}  // namespace

/// A request that is answered here, counted until it has been.
class Front::Running {
 public:
  Running(Front& front, Target target, std::stop_token end)
      : front_(front), target_(std::move(target)), end_(std::move(end)) {}
  ~Running() {
    {
      const std::lock_guard lock(front_.mutex_);
      --front_.running_;
    }
    front_.changed_.notify_all();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  void answer(net::Exchange& exchange, net::BodyReader& body) const {
    const LinkedDeadline until(exchange.deadline, end_);
    net::Exchange here{exchange.head, body, exchange.reply, until.deadline(), exchange.request_id};
    target_.here->handler(here);
  }
  Result<std::string> tell(std::string_view question) const { return target_.here->tell(question); }

 private:
  Front& front_;
  const Target target_;
  const std::stop_token end_;
};

Front::Front(Forwarder& forwarder, net::ErrorRenderer render, FrontOptions options)
    : forwarder_(forwarder),
      render_(std::move(render)),
      options_(std::move(options)),
      passed_on_(requests_counter("answered")),
      lost_(requests_counter("unknown")),
      read_here_(requests_counter("read_here")) {}

void Front::serve(net::Handler handler, std::function<bool()> may_answer, Tell tell) {
  {
    const std::lock_guard lock(mutex_);
    end_ = std::stop_source();
    if (target_.owner) former_.push_back(std::move(target_.owner));
    target_ = {.here = std::make_shared<const Here>(
                   Here{std::move(handler), std::move(may_answer), std::move(tell)}),
               .owner = {}};
  }
  changed_.notify_all();
}

void Front::stop_serving(std::int64_t grace_ms) {
  std::unique_lock lock(mutex_);
  target_.here.reset();
  const auto ended = [this] { return running_ == 0; };
  if (os::wait(changed_, lock, os::Deadline::in_ms(grace_ms), ended)) return;
  end_.request_stop();
  os::wait(changed_, lock, os::Deadline::never(), ended);
}

void Front::set_owner(const std::string& address, const std::vector<std::string>& living) {
  Owners gone;
  {
    const std::lock_guard lock(mutex_);
    const std::string now = target_.owner ? target_.owner->address : std::string();
    if (!target_.here && now != address) {
      if (target_.owner) former_.push_back(std::move(target_.owner));
      target_.owner = nullptr;
      if (!address.empty()) target_.owner = std::make_shared<const Owner>(Owner{address, {}, {}});
    }
    gone = take_gone(former_, living);
  }
  for (const auto& owner : gone) owner->gone.request_stop();
  changed_.notify_all();
}

/// Those that live no more. Whom nobody waits for is forgotten besides.
Front::Owners Front::take_gone(Owners& former, const std::vector<std::string>& living) {
  Owners gone;
  std::erase_if(former, [&](const std::shared_ptr<const Owner>& owner) {
    if (owner.use_count() == 1) return true;
    if (std::find(living.begin(), living.end(), owner->address) != living.end()) return false;
    gone.push_back(owner);
    return true;
  });
  return gone;
}

void Front::set_reader(std::shared_ptr<Reader> reader) {
  const std::lock_guard lock(mutex_);
  reader_.swap(reader);  // the last one goes once the lock is open
}

void Front::look_at_owner(const std::stop_token& stop) {
  std::shared_ptr<const Owner> owner;
  {
    const std::lock_guard lock(mutex_);
    owner = target_.owner;
  }
  if (owner == nullptr) return;
  const bool is_there =
      forwarder_.is_there(owner->address, os::Deadline::in_ms(options_.silence_ms, stop));
  if (stop.stop_requested()) return;
  if (!is_there) {
    auto silent = owner->silent;
    silent.request_stop();
    return;
  }
  if (!owner->silent.stop_requested()) return;
  const std::lock_guard lock(mutex_);
  if (target_.owner != owner) return;
  former_.push_back(std::move(target_.owner));
  target_.owner = std::make_shared<const Owner>(Owner{owner->address, {}, {}});
}

Result<std::string> Front::ask_owner(const std::string& question, const os::Deadline& deadline) {
  std::shared_ptr<const Owner> owner;
  {
    const std::lock_guard lock(mutex_);
    owner = target_.owner;
  }
  if (owner == nullptr || owner->silent.stop_requested())
    return Error{.kind = ErrorKind::unavailable, .message = options_.nobody};
  return forwarder_.ask_told(owner->address, question, deadline.sooner_ms(options_.silence_ms));
}

/// Only while it may answer: what it tells is what was acknowledged.
void Front::tell(net::Exchange& exchange) {
  const auto question = net::read_all(exchange.body, forwarder_.kept_body_bytes());
  std::unique_lock lock(mutex_);
  if (!question.ok() || !target_.here || !target_.here->tell || !target_.here->may_answer()) {
    lock.unlock();
    (void)exchange.reply.reply(421, {}, "it does not serve the store now").ok();
    return;
  }
  ++running_;
  Target here{.here = target_.here, .owner = {}};
  auto end = end_.get_token();
  lock.unlock();
  const auto told = Running(*this, std::move(here), std::move(end)).tell(*question);
  (void)exchange.reply.reply(told.ok() ? 200 : 400, {}, told.ok() ? *told : std::string()).ok();
}

std::shared_ptr<Reader> Front::reader_for(const net::RequestHead& head) const {
  std::shared_ptr<Reader> reader;
  {
    const std::lock_guard lock(mutex_);
    reader = reader_;
  }
  return reader != nullptr && reader->takes(head) ? reader : nullptr;
}

std::string Front::target() const {
  const std::lock_guard lock(mutex_);
  if (target_.here) return "here";
  return target_.owner ? target_.owner->address : std::string();
}

std::optional<Front::Target> Front::wait_for_target(const os::Deadline& deadline) {
  const auto found = [this] { return target_.here != nullptr || target_.owner != nullptr; };
  {
    // Nearly always there is one, and nobody needs this worker's place meanwhile.
    const std::lock_guard lock(mutex_);
    if (found()) return target_;
  }
  const os::Blocking blocking;
  std::unique_lock lock(mutex_);
  if (!os::wait(changed_, lock, deadline, found)) return std::nullopt;
  return target_;
}

bool Front::answer_here(net::Exchange& exchange, net::BodyReader& body, bool asks_whether) {
  std::unique_lock lock(mutex_);
  if (!target_.here || (asks_whether && !target_.here->may_answer())) return false;
  ++running_;
  Target here{.here = target_.here, .owner = {}};
  auto end = end_.get_token();
  lock.unlock();
  Running(*this, std::move(here), std::move(end)).answer(exchange, body);
  return true;
}

bool Front::answer_as_process(net::Exchange& exchange) {
  return answer_here(exchange, exchange.body, false);
}

void Front::answer(net::Exchange& exchange) {
  if (answer_here(exchange, exchange.body)) return;
  PassedRequest request(exchange, forwarder_.kept_body_bytes());
  const auto deadline = exchange.deadline.sooner_ms(wait_ms_of(exchange.head));
  auto reader = reader_for(exchange.head);
  if (reader != nullptr && reader->is_preferred(exchange.head)) {
    if (read_here(request, *reader)) return;
    reader.reset();
  }
  const auto patience = deadline.sooner_ms(options_.silence_ms);
  std::string why = options_.nobody;
  for (;;) {
    const auto target = wait_for_target(reader != nullptr ? patience : deadline);
    const bool is_silent = !target || (target->owner && target->owner->silent.stop_requested());
    if (reader != nullptr && (is_silent || patience.passed())) {
      if (read_here(request, *reader)) return;
      reader.reset();  // whoever serves knows more
      continue;
    }
    if (!target) break;
    if (target->here) {
      if (answer_here(exchange, request.body())) return;
      why = "this node has lost touch with the store, which another one may serve by now";
    } else if (pass(request, *target->owner, reader != nullptr, why)) {
      return;
    }
    const os::Blocking blocking;
    if (!os::sleep_ms(options_.again_ms, deadline)) break;
  }
  if (!exchange.deadline.stopped()) refuse_for_nobody(exchange, why);
}

/// Only what is in memory can be given to somebody else afterwards.
bool Front::read_here(PassedRequest& request, Reader& reader) {
  net::Exchange& exchange = request.exchange();
  if (!request.prepare().ok() || !request.is_kept()) return false;
  net::Exchange again{exchange.head, request.body(), exchange.reply, exchange.deadline,
                      exchange.request_id};
  if (!reader.answer(again)) return false;
  read_here_.add();
  return true;
}

/// A value that cannot be read is for whoever serves to refuse.
std::int64_t Front::wait_ms_of(const net::RequestHead& head) const {
  const auto given = net::parse_query(head.query());
  if (!given.ok()) return options_.wait_ms;
  for (const auto& [name, value] : *given)
    if (name == "master_timeout")
      if (const auto ms = parse_time_value(value, name); ms.ok())
        return *ms < 0 ? longest_wait_ms : std::min(*ms, longest_wait_ms);
  return options_.wait_ms;
}

/// False where another node, or this one, may have it.
bool Front::pass(PassedRequest& request, const Owner& owner, bool only_reads, std::string& why) {
  if (const Status read = request.prepare(); !read.ok()) {
    refuse(request.exchange(), status_of(read.error()), read.error().message);
    return true;
  }
  const bool gives_up = only_reads && request.is_kept();
  const PassedUntil until{.gone = owner.gone.get_token(),
                          .silent = gives_up ? owner.silent.get_token() : std::stop_token(),
                          .only_reads = only_reads};
  switch (forwarder_.pass(request, owner.address, until, why)) {
    case Forwarder::Outcome::answered:
      passed_on_.add();
      return true;
    case Forwarder::Outcome::unknown:
      lost_.add();
      refuse(request, owner.address, why);
      return true;
    case Forwarder::Outcome::not_taken:
      why = "the node at " + owner.address + " did not answer: " + why;
  }
  return false;
}

void Front::answer_forwarded(net::Exchange& exchange) {
  if (!exchange.head.headers.has(forwarded_field)) {
    if (exchange.head.path() == told_path) return tell(exchange);
    if (exchange.head.path() == there_path) {
      (void)exchange.reply.reply(204, {}, {}).ok();  // the other node sees what fails
      return;
    }
  }
  ForwardedHead forwarded;
  const auto head = original_head(exchange.head, forwarded);
  if (!head.ok()) return refuse(exchange, 400, head.error().message);
  net::Exchange original{*head, exchange.body, exchange.reply, exchange.deadline,
                         forwarded.request_id};
  if (answer_here(original, original.body)) return;
  net::Headers headers;
  headers.add(not_serving_field, "true");
  const std::string text =
      render_(421, "this node does not serve the store now", exchange.request_id, headers);
  (void)exchange.reply.reply(421, headers, text).ok();  // the other node sees what fails
}

void Front::refuse(PassedRequest& request, const std::string& address, const std::string& why) {
  if (const auto& fault = request.fault())
    return refuse(request.exchange(), status_of(*fault), fault->message);
  refuse(request.exchange(), 503,
         "the node at " + address +
             " was asked and did not answer, so this may have been done: " + why);
}

void Front::refuse_for_nobody(net::Exchange& exchange, const std::string& why) {
  net::Headers headers;
  headers.add("Retry-After", "1");
  const auto& render = options_.render_nobody ? options_.render_nobody : render_;
  const std::string text = render(503, why, exchange.request_id, headers);
  (void)exchange.reply.reply(503, headers, text).ok();  // a client that has gone needs none
}

void Front::refuse(net::Exchange& exchange, int status, const std::string& why) {
  net::Headers headers;
  if (status == 503) headers.add("Retry-After", "1");
  const std::string text = render_(status, why, exchange.request_id, headers);
  (void)exchange.reply.reply(status, headers, text).ok();  // a client that has gone needs none
}

}  // namespace cairn::nodes
