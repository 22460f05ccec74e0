// SPDX-License-Identifier: Apache-2.0
#include "cli/bulk/load.h"

#include <algorithm>
#include <utility>

#include "base/encode.h"
#include "base/strings.h"
#include "format/time.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/random.h"

namespace cairn::cli {
namespace {

constexpr std::int64_t batch_wait_ms = 300'000;
constexpr std::int64_t first_pause_ms = 500, longest_pause_ms = 30'000;
constexpr std::int64_t told_wait_ms = 2'000;  // shorter ones are not worth a word

/// Tells of long waits.
class ToldWaits final : public ratelimit::Waits {
 public:
  explicit ToldWaits(std::function<void(const std::string&)> tell) : tell_(std::move(tell)) {}
  bool sleep_ms(std::int64_t ms, const os::Deadline& deadline) override {
    if (ms >= told_wait_ms)
      tell_("the server's limit is used up: goes on in " + format_time_value(ms / 1000 * 1000));
    return Waits::sleep_ms(ms, deadline);
  }

 private:
  const std::function<void(const std::string&)> tell_;
};

bool may_pass(const Error& error) {
  return error.kind == ErrorKind::unavailable || error.kind == ErrorKind::timeout;
}

}  // namespace

Load::Load(Connection& connection, LineSource source, LoadCheckpoint at, LoadParams params,
           std::stop_token stop)
    : connection_(connection),
      source_(std::move(source)),
      at_(std::move(at)),
      params_(std::move(params)),
      stop_(std::move(stop)) {
  waits_ = std::make_unique<ToldWaits>([this](const std::string& why) {
    if (params_.on_progress) params_.on_progress(at_, why);
  });
  // One request at a time, as fast as they are answered: what holds is what the server says.
  rules_ = std::make_unique<ratelimit::RetryRules>(
      ratelimit::RetryOptions{.retries = 1'000, .pacing = {.at_once = 1, .between_writes_ms = 0}},
      os::system_clock(), os::system_random(), waits_.get());
}

Result<std::unique_ptr<Load>> Load::open(Connection& connection, LineSource source,
                                         LoadCheckpoint at, LoadParams params,
                                         std::stop_token stop) {
  if (at.bytes > 0) CAIRN_CHECK(source.skip(at.bytes, at.lines, at.mark));
  if (at.load.empty()) at.load = to_hex(os::system_random().bytes(8));
  if (!params.checkpoint_file.empty()) CAIRN_CHECK(at.write(params.checkpoint_file));
  std::unique_ptr<Load> out(
      new Load(connection, std::move(source), std::move(at), std::move(params), std::move(stop)));
  if (out->params_.rejects_file.empty()) return out;
  auto& files = os::system_files();
  CAIRN_TRY(out->rejects_, files.open(out->params_.rejects_file, os::OpenMode::create));
  CAIRN_TRY(const std::uint64_t size, out->rejects_->size());
  if (size < out->at_.rejects_bytes)
    return Error{.kind = ErrorKind::corrupt,
                 .message = out->params_.rejects_file + " is shorter than what was rejected"};
  // Those of a batch that was cut come again with it.
  CAIRN_CHECK(out->rejects_->truncate(out->at_.rejects_bytes));
  CAIRN_TRY(out->rejects_, files.open(out->params_.rejects_file, os::OpenMode::append));
  return out;
}

/// Fills a batch. False where the input is at its end, and nothing is left to send.
Result<bool> Load::read_batch() {
  items_.clear();
  rejected_.clear();
  loaded_ = 0;
  std::size_t size = 0;
  bool any = false;
  for (;;) {
    if (!ahead_) {
      CAIRN_TRY(ahead_, source_.next());
    }
    if (!ahead_) return any;
    const bool full = items_.size() + rejected_.size() >= params_.batch_lines ||
                      (size > 0 && size + ahead_->text.size() > params_.batch_bytes);
    if (full) return true;
    InputLine line = *std::exchange(ahead_, std::nullopt);
    any = true;
    lines_ = line.number;
    bytes_ = line.end;
    tail_ = source_.tail();
    if (trim(line.text).empty() && !line.too_long) continue;
    size += line.text.size();
    auto id = id_of_line(line, at_.id_field, at_.load);
    if (id.ok())
      items_.push_back({std::move(line), *std::move(id)});
    else
      rejected_.push_back(
          {std::move(line), 400,
           Json::object({{"type", id.error().code}, {"reason", id.error().message}})});
  }
}

Result<Answer> Load::ask(const std::string& body) {
  const std::string path = "/" + percent_encode(at_.index) + "/_bulk";
  net::ClientReply reply;
  const auto deadline = os::Deadline::never(stop_);
  CAIRN_CHECK(rules_->send(
      {.identity = "load", .writes = true},
      [&](ratelimit::SeenResponse& seen) -> Status {
        CAIRN_TRY(reply,
                  connection_.fetch("POST", path, body, "application/x-ndjson", batch_wait_ms));
        seen.status = reply.status;
        seen.header = [&reply](std::string_view name) -> std::optional<std::string> {
          const auto value = reply.headers.find(name);
          return value ? std::optional<std::string>(*value) : std::nullopt;
        };
        seen.body = reply.body.substr(0, 4096);
        return ok_status();
      },
      deadline));
  return connection_.read(reply);
}

Status Load::wait(std::int64_t ms, const std::string& why) {
  if (params_.on_progress && ms >= told_wait_ms) params_.on_progress(at_, why);
  const auto deadline = os::Deadline::never(stop_);
  if (os::sleep_ms(ms, deadline)) return ok_status();
  return deadline.check("load");
}

/// What the server takes no whole of, it may take in halves.
Status Load::send_smaller(std::vector<BatchItem> items) {
  if (items.size() == 1) {
    rejected_.push_back({std::move(items[0].line), 413,
                         Json::object({{"type", "too_large"},
                                       {"reason", "the server takes no body of this size"}})});
    return ok_status();
  }
  const auto middle = items.begin() + static_cast<std::ptrdiff_t>(items.size() / 2);
  std::vector<BatchItem> second(std::make_move_iterator(middle),
                                std::make_move_iterator(items.end()));
  items.erase(middle, items.end());
  CAIRN_CHECK(send(std::move(items)));
  return send(std::move(second));
}

Status Load::send(std::vector<BatchItem> items) {
  std::int64_t pause_ms = first_pause_ms, waited_ms = 0;
  std::string why;
  while (!items.empty()) {
    CAIRN_CHECK(os::Deadline::never(stop_).check("load"));
    const auto answer = ask(bulk_text(items));
    if (!answer.ok() && !may_pass(answer.error())) return answer.error();
    if (answer.ok() && answer->status == 413) return send_smaller(std::move(items));
    if (answer.ok() && (answer->status == 401 || answer->status == 403))
      return Error{.kind = ErrorKind::permission_denied, .message = reason_of(*answer)};
    if (answer.ok() && answer->status == 200) {
      const std::size_t sent = items.size();
      CAIRN_TRY(BatchOutcome outcome, judge_answer(std::move(items), answer->body));
      if (outcome.all_forbidden)
        return Error{.kind = ErrorKind::permission_denied,
                     .message = "the key may not write to the index: " +
                                outcome.rejected.front().error.string_or("reason")};
      loaded_ += outcome.loaded;
      std::move(outcome.rejected.begin(), outcome.rejected.end(), std::back_inserter(rejected_));
      if (outcome.again.size() < sent) pause_ms = first_pause_ms;
      items = std::move(outcome.again);
      if (items.empty()) return ok_status();
      why = "the server has no room";
    } else if (answer.ok() && answer->status != 429 && answer->status < 500) {
      return Error{.kind = ErrorKind::invalid_argument, .message = reason_of(*answer)};
    } else {
      why = answer.ok() ? reason_of(*answer) : answer.error().message;
    }
    if (waited_ms >= params_.give_up_ms)
      return Error{.kind = answer.ok() ? ErrorKind::rate_limited : ErrorKind::unavailable,
                   .message = why + "; given up after " + format_time_value(params_.give_up_ms)};
    pause_ms = std::min(pause_ms, std::max<std::int64_t>(1, params_.give_up_ms - waited_ms));
    CAIRN_CHECK(wait(pause_ms, why + "; asks again in " + format_time_value(pause_ms)));
    waited_ms += pause_ms;
    pause_ms = std::min(2 * pause_ms, longest_pause_ms);
  }
  return ok_status();
}

Status Load::finish_batch(bool done) {
  std::sort(rejected_.begin(), rejected_.end(), [](const RejectedLine& a, const RejectedLine& b) {
    return a.line.number < b.line.number;
  });
  std::string text;
  for (const RejectedLine& one : rejected_) text += one.encode();
  if (rejects_ && !text.empty()) {
    CAIRN_CHECK(rejects_->append(text));
    CAIRN_CHECK(rejects_->sync_data());
  }
  at_.lines = lines_;
  at_.bytes = bytes_;
  at_.mark = LineSource::mark_of(tail_);
  at_.loaded += loaded_;
  at_.rejected += rejected_.size();
  at_.rejects_bytes += text.size();
  at_.done = done;
  if (!params_.checkpoint_file.empty()) CAIRN_CHECK(at_.write(params_.checkpoint_file));
  if (params_.on_progress) params_.on_progress(at_, "");
  return ok_status();
}

Status Load::run() {
  lines_ = at_.lines;
  bytes_ = at_.bytes;
  tail_ = source_.tail();
  for (;;) {
    CAIRN_TRY(const bool any, read_batch());
    if (!any) break;
    CAIRN_CHECK(send(std::move(items_)));
    CAIRN_CHECK(finish_batch(false));
  }
  rejected_.clear();
  loaded_ = 0;
  return finish_batch(true);
}

}  // namespace cairn::cli
