// SPDX-License-Identifier: Apache-2.0
// Lines as the platform's audit logs have them, and the turning of files.
#include "gate/audit.h"

#include <algorithm>
#include <vector>

#include "base/encode.h"
#include "base/strings.h"
#include "format/json.h"
#include "format/time.h"
#include "gate/audit_verify.h"
#include "os/files/secret_file.h"
#include "os/log.h"
#include "os/metrics.h"
#include "os/threads/blocking.h"
#include "os/trace.h"

namespace cairn::gate {
namespace {

std::string object_of(const AuditEvent& event, std::int64_t now_ms) {
  std::string out;
  JsonWriter line(out);
  const auto field = [&line](std::string_view name, std::string_view value) {
    if (!value.empty()) line.key(name).string(value);
  };
  line.begin_object();
  field("@timestamp", format_iso8601(now_ms));
  field("type", "audit");
  field("event.action", event.action);
  field("event.outcome", event.action == "access_granted" ? "success" : "failure");
  field("user.name", event.username);
  field("user.principal", event.principal);
  field("apikey.id", event.key_id);
  field("apikey.name", event.key_name);
  field("session.id", event.session_id);
  field("origin.address", event.origin);
  field("request.method", event.method);
  field("url.path", event.path);
  field("action", event.operation);
  field("request.id", event.request_id);
  field("trace.id", event.trace_id);
  field("reason", event.reason);
  if (event.status != 0) line.key("http.status").integer(event.status);
  line.end_object();
  return out;
}

constexpr std::string_view current_name = "audit.jsonl";
constexpr std::size_t chain_bytes_max = 160;  // that chain_line adds

struct Tail {
  std::string line;        // the last whole one, without its end; empty: there is none
  std::uint64_t size = 0;  // of the file up to the end of that line
};

/// Reads from the end, further back until a whole line is found.
Result<Tail> tail_of(os::File& file) {
  CAIRN_TRY(const std::uint64_t size, file.size());
  for (std::uint64_t length = std::min<std::uint64_t>(size, 64 << 10);;
       length = std::min(size, 2 * length)) {
    std::string text(length, '\0');
    CAIRN_TRY(const std::size_t got, file.read_at(size - length, text.data(), length));
    text.resize(got);
    const std::size_t end = text.rfind('\n');
    const std::size_t before = end == 0 || end == std::string::npos ? std::string::npos
                                                                    : text.rfind('\n', end - 1);
    const bool whole = end != std::string::npos && (before != std::string::npos || length == size);
    if (whole) {
      const std::size_t begin = before == std::string::npos ? 0 : before + 1;
      return Tail{text.substr(begin, end - begin), size - length + end + 1};
    }
    if (length == size) return Tail{};
  }
}

/// The first line's number; 0 where the file has no line, or one without a chain.
Result<std::uint64_t> first_number(os::File& file) {
  std::string text(64 << 10, '\0');
  for (;;) {
    CAIRN_TRY(const std::size_t got, file.read_at(0, text.data(), text.size()));
    const std::size_t end = std::string_view(text.data(), got).find('\n');
    if (end != std::string_view::npos) {
      const auto line = read_chained_line(std::string_view(text.data(), end));
      return line ? line->link.number : 0;
    }
    if (got < text.size()) return 0;
    text.resize(2 * text.size());
  }
}

}  // namespace

Result<std::string> audit_key(const std::string& path, os::Random* random) {
  CAIRN_TRY(const auto text, os::read_secret_file(path));
  if (!text && random == nullptr)
    return Error{ErrorKind::not_found, {}, "there is no key of an audit log at " + path};
  if (!text) {
    std::string key = random->bytes(32);
    CAIRN_CHECK(os::write_secret_file(path, to_hex(key) + "\n"));
    return key;
  }
  auto key = from_hex(trim(*text));
  if (!key || key->size() != 32)
    return Error{ErrorKind::corrupt,
                 {},
                 path + " holds no key of an audit log; move it away, and a new one is made: "
                        "lines from before can then not be verified"};
  return *std::move(key);
}

Status AuditOptions::validate() const {
  if (file_bytes_max < 4096)
    return Error{ErrorKind::invalid_argument, {}, "audit.file_size must be at least 4kb"};
  if (files_max < 1)
    return Error{ErrorKind::invalid_argument, {}, "audit.files must be at least 1"};
  return ok_status();
}

Result<std::unique_ptr<AuditLog>> AuditLog::open(os::Files& files, const os::Clock& clock,
                                                 AuditOptions options) {
  CAIRN_CHECK(options.validate());
  std::unique_ptr<AuditLog> log(new AuditLog(files, clock, std::move(options)));
  if (log->options_.folder.empty()) return log;
  CAIRN_CHECK(files.make_directories(log->options_.folder));
  CAIRN_CHECK(log->find_newest());
  CAIRN_CHECK(log->go_on_after_head());
  CAIRN_TRY(log->file_, files.open(log->current(), os::OpenMode::append));
  CAIRN_TRY(log->size_, log->file_->size());
  CAIRN_CHECK(log->file_->sync_data());
  log->keep_head();
  return log;
}

AuditLog::~AuditLog() {
  if (file_ && file_->sync_data().ok()) keep_head(true);
}

/// The newest line of the newest file that has one. What a crash left of a line behind it goes.
Status AuditLog::find_newest() {
  CAIRN_TRY(const auto names, audit_files(files_, options_.folder));
  for (auto name = names.rbegin(); name != names.rend() && newest_.number == 0; ++name) {
    const std::string path = options_.folder + "/" + *name;
    CAIRN_TRY(const auto file, files_.open(path, os::OpenMode::read_write));
    CAIRN_TRY(const Tail tail, tail_of(*file));
    CAIRN_TRY(const std::uint64_t size, file->size());
    if (tail.size < size) {
      os::log(os::LogLevel::warn, "gate", "the last line of the audit log was cut by a crash",
              {{"file", path}, {"bytes", static_cast<std::int64_t>(size - tail.size)}});
      CAIRN_CHECK(file->truncate(tail.size));
    }
    if (const auto line = read_chained_line(tail.line)) newest_ = line->link;
    else if (!tail.line.empty()) break;  // from before there was a chain
  }
  if (names.empty()) return ok_status();
  CAIRN_TRY(const auto oldest, files_.open(options_.folder + "/" + names[0], os::OpenMode::read));
  CAIRN_TRY(oldest_, first_number(*oldest));
  return ok_status();
}

/// Lines that were there at a clean end and are gone leave a gap in the numbers, which stays.
Status AuditLog::go_on_after_head() {
  if (options_.head_file.empty()) return ok_status();
  CAIRN_TRY(const auto text, os::read_secret_file(options_.head_file));
  if (!text) return ok_status();
  auto head = ChainHead::decode(*text);
  if (!head.ok())
    return with_context(std::move(head).error(), options_.head_file + ": move it away, and it is "
                                                                      "made anew");
  if (head->oldest != 0 && oldest_ > head->oldest) {
    os::log(os::LogLevel::error, "gate", "lines of the audit log are missing at its beginning",
            {{"from", static_cast<std::int64_t>(head->oldest)},
             {"before", static_cast<std::int64_t>(oldest_)}});
    oldest_ = head->oldest;
  }
  if (head->newest.number <= newest_.number) return ok_status();
  os::log(os::LogLevel::error, "gate", "lines of the audit log are missing at its end",
          {{"after", static_cast<std::int64_t>(newest_.number)},
           {"up_to", static_cast<std::int64_t>(head->newest.number)}});
  newest_ = head->newest;
  return ok_status();
}

void AuditLog::keep_head(bool is_end) {
  if (options_.folder.empty() || options_.head_file.empty()) return;
  const ChainHead head{.newest = newest_, .oldest = oldest_, .is_end = is_end};
  const auto kept = os::write_secret_file(options_.head_file, head.encode());
  if (!kept.ok())
    os::log(os::LogLevel::warn, "gate", "the head of the audit log was not kept",
            {{"reason", kept.error().message}});
}

void AuditLog::write(const AuditEvent& event) {
  if (options_.folder.empty()) return;
  std::string object = object_of(event, clock_.unix_ms());
  const os::Blocking blocking;
  const std::lock_guard lock(mutex_);
  const auto written = append(std::move(object));
  if (written.ok()) {
    failing_ = false;
    return;
  }
  os::metrics().counter("cairn_audit_lost_total", "Audit lines that could not be written").add();
  if (!failing_)
    os::log(os::LogLevel::error, "gate", "audit lines are being lost",
            {{"reason", written.error().message}});
  failing_ = true;
}

void AuditLog::record(const Outcome& outcome) {
  const Error* error = outcome.error;
  const os::TraceContext* const trace = os::current_trace();
  const std::string trace_id = trace == nullptr ? std::string() : os::trace_id_of(*trace);
  AuditEvent event{.action = {},
                   .method = outcome.exchange.head.method,
                   .path = outcome.exchange.head.path(),
                   .operation = outcome.operation,
                   .origin = outcome.exchange.head.peer_address,
                   .request_id = outcome.exchange.request_id,
                   .trace_id = trace_id,
                   .username = outcome.username,
                   .principal = outcome.principal,
                   .key_id = outcome.key_id,
                   .key_name = outcome.key_name,
                   .session_id = outcome.session_id,
                   .status = outcome.status};
  if (error != nullptr && error->kind == ErrorKind::unauthenticated)
    event.action = "authentication_failed";
  else if (error != nullptr && error->kind == ErrorKind::permission_denied)
    event.action = "access_denied";
  else if (error == nullptr && outcome.is_change)
    event.action = "access_granted";
  else
    return;
  if (error != nullptr) {
    event.reason = error->message;
    for (const auto& [name, value] : error->details)
      if (name == "additional_unsuccessful_credentials") event.reason = value;
  }
  write(event);
}

Result<AuditSnapshot> AuditLog::snapshot(bool durable) {
  if (options_.folder.empty())
    return Error{ErrorKind::unsupported, {}, "the audit log is switched off (audit.enabled)"};
  const os::Blocking blocking;
  const std::lock_guard lock(mutex_);
  AuditSnapshot out{.folder = options_.folder, .newest = newest_};
  if (file_ && durable) CAIRN_CHECK(file_->sync_data());
  CAIRN_TRY(out.old_files, audit_files(files_, options_.folder));
  if (out.old_files.empty() || out.old_files.back() != current_name) return out;
  out.old_files.pop_back();
  CAIRN_TRY(out.current, files_.open(current(), os::OpenMode::read));
  out.current_bytes = size_;
  return out;
}

Status AuditLog::append(std::string object) {
  if (file_ && size_ > 0 && size_ + object.size() + chain_bytes_max > options_.file_bytes_max)
    CAIRN_CHECK(rotate());
  if (!file_) {
    CAIRN_TRY(file_, files_.open(current(), os::OpenMode::append));
    CAIRN_TRY(size_, file_->size());
  }
  ChainLink next = newest_;
  const std::string line =
      chain_line(std::move(object), size_ == 0 || next.number == 0, options_.key, next);
  if (auto written = file_->append(line); !written.ok()) {
    (void)file_->truncate(size_);  // half a line would hide the next one
    file_.reset();
    return written;
  }
  size_ += line.size();
  newest_ = std::move(next);
  if (oldest_ == 0) oldest_ = newest_.number;
  return ok_status();
}

Status AuditLog::rotate() {
  CAIRN_CHECK(file_->sync_data());
  file_.reset();
  std::string time = format_iso8601(clock_.unix_ms());
  std::replace(time.begin(), time.end(), ':', '-');
  std::string name = options_.folder + "/audit-" + time + ".jsonl";
  for (int i = 1; files_.info(name).ok(); ++i)
    name = options_.folder + "/audit-" + time + "-" + std::to_string(i) + ".jsonl";
  CAIRN_CHECK(files_.rename(current(), name));
  size_ = 0;
  return drop_old();
}

/// The head first: lines that it still named would seem to be missing after a crash.
Status AuditLog::drop_old() {
  CAIRN_TRY(const auto names, audit_files(files_, options_.folder));
  std::size_t old = 0;
  while (old + options_.files_max <= names.size()) ++old;
  if (old < names.size()) {
    CAIRN_TRY(const auto oldest,
              files_.open(options_.folder + "/" + names[old], os::OpenMode::read));
    CAIRN_TRY(oldest_, first_number(*oldest));
  } else {
    oldest_ = newest_.number + 1;
  }
  keep_head();
  for (std::size_t i = 0; i < old; ++i)
    CAIRN_CHECK(files_.remove(options_.folder + "/" + names[i]));
  return ok_status();
}

}  // namespace cairn::gate
