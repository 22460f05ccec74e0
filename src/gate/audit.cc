// SPDX-License-Identifier: Apache-2.0
// Lines as the platform's audit logs have them, and the turning of files.
#include "gate/audit.h"

#include <algorithm>
#include <vector>

#include "format/json.h"
#include "format/time.h"
#include "os/blocking.h"
#include "os/log.h"
#include "os/metrics.h"

namespace cairn::gate {
namespace {

std::string line_of(const AuditEvent& event, std::int64_t now_ms) {
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
  field("apikey.id", event.key_id);
  field("apikey.name", event.key_name);
  field("origin.address", event.origin);
  field("request.method", event.method);
  field("url.path", event.path);
  field("action", event.operation);
  field("request.id", event.request_id);
  field("reason", event.reason);
  if (event.status != 0) line.key("http.status").integer(event.status);
  line.end_object();
  out += '\n';
  return out;
}

}  // namespace

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
  CAIRN_TRY(log->file_, files.open(log->current(), os::OpenMode::append));
  CAIRN_TRY(log->size_, log->file_->size());
  return log;
}

void AuditLog::write(const AuditEvent& event) {
  if (options_.folder.empty()) return;
  const std::string line = line_of(event, clock_.unix_ms());
  const os::Blocking blocking;
  const std::lock_guard lock(mutex_);
  const auto written = append(line);
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

Status AuditLog::append(std::string_view line) {
  if (file_ && size_ > 0 && size_ + line.size() > options_.file_bytes_max) CAIRN_CHECK(rotate());
  if (!file_) {
    CAIRN_TRY(file_, files_.open(current(), os::OpenMode::append));
    CAIRN_TRY(size_, file_->size());
  }
  CAIRN_CHECK(file_->append(line));
  size_ += line.size();
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
  return drop_old();
}

Status AuditLog::drop_old() {
  CAIRN_TRY(auto names, files_.list(options_.folder));
  std::erase_if(names, [](const std::string& name) {
    return !name.starts_with("audit-") || !name.ends_with(".jsonl");
  });
  std::sort(names.begin(), names.end());
  for (std::size_t i = 0; i + options_.files_max <= names.size(); ++i)
    CAIRN_CHECK(files_.remove(options_.folder + "/" + names[i]));
  return ok_status();
}

}  // namespace cairn::gate
