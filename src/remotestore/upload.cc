// SPDX-License-Identifier: Apache-2.0
// A large object on its way to a cluster: in one put while it is small, in parts from then on.
#include <algorithm>

#include "base/encode.h"
#include "os/log.h"
#include "remotestore/changes.h"
#include "remotestore/remote_store.h"

namespace cairn::remotestore {
namespace {

using store::Condition;
using store::ObjectInfo;

constexpr std::int64_t abort_wait_ms = 15'000;
constexpr std::size_t parts_of_one_size =
    1000;  // then they double: 10,000 reach the largest object
constexpr std::size_t part_bytes_max = 1u << 30;

class RemoteStoreUpload final : public store::Upload {
 public:
  RemoteStoreUpload(const Where& where, std::string_view key, std::string name,
                    const Abilities& abilities, const os::Deadline& deadline)
      : where_(where),
        key_(key),
        name_(std::move(name)),
        abilities_(abilities),
        deadline_(deadline),
        mark_(new_mark(where.shared.clock, where.shared.random)) {}

  ~RemoteStoreUpload() override {
    if (!upload_) return;
    const Status aborted = where_.wire().abort(*upload_, os::Deadline::in_ms(abort_wait_ms));
    if (!aborted.ok())
      os::log(os::LogLevel::warn, "remotestore", "an upload could not be aborted",
              {{"name", name_}, {"error", aborted.error().message}});
  }

  Status write(std::string_view bytes) override {
    CAIRN_CHECK(deadline_.check("write an object"));
    while (!bytes.empty()) {
      // A full buffer is sent when more comes, so that something is left for the end.
      if (buffer_.size() == part_bytes()) CAIRN_CHECK(send());
      const std::size_t count = std::min(part_bytes() - buffer_.size(), bytes.size());
      buffer_ += bytes.substr(0, count);
      bytes.remove_prefix(count);
      written_ += count;
    }
    return ok_status();
  }

  Result<ObjectInfo> finish(const Condition& condition) override {
    if (finished_)
      return Error{.kind = ErrorKind::conflict, .message = "the upload was finished before"};
    finished_ = true;
    CAIRN_CHECK(deadline_.check("finish an upload"));
    if (where_.options.marked) buffer_ += mark_;
    if (upload_) CAIRN_CHECK(send());
    CAIRN_TRY(const os::Deadline until, where_.allowed(deadline_));
    const Turn turn(where_, abilities_, name_);
    Condition asked = condition;
    const bool conditional = condition.if_none_match || condition.if_match;
    if (upload_ && conditional && !abilities_.conditional_complete) {
      CAIRN_CHECK(judge_here(where_, name_, condition, until));
      asked = {};
    }
    const Change change{.name = name_, .mark = to_hex(mark_), .condition = asked};
    CAIRN_TRY(std::string etag,
              make_change(
                  where_.wire(), change,
                  [&](bool retries) { return attempt(asked, retries, until); }, until));
    upload_.reset();
    return ObjectInfo{.key = key_,
                      .size_bytes = written_,
                      .etag = std::move(etag),
                      .modified_ms = time_of_mark(to_hex(mark_)).value_or(0)};
  }

 private:
  std::size_t part_bytes() const {
    const std::size_t doublings = std::min<std::size_t>(sent_ / parts_of_one_size, 10);
    return std::min(where_.options.part_bytes << doublings, part_bytes_max);
  }

  Status send() {
    // A part changes nothing that anybody sees: it may take longer than a lease is sure.
    CAIRN_CHECK(where_.allowed(deadline_));
    if (!upload_) {
      const PutMetadata metadata = where_.metadata(key_, name_, mark_);
      CAIRN_TRY(upload_, where_.wire().begin(name_, metadata, deadline_));
    }
    CAIRN_CHECK(where_.wire().send_part(*upload_, buffer_, deadline_));
    ++sent_;
    buffer_.clear();
    return ok_status();
  }

  Answer attempt(const Condition& condition, bool retries, const os::Deadline& until) {
    if (upload_) return where_.wire().complete(*upload_, condition, until);
    return where_.wire().put(name_, buffer_, where_.metadata(key_, name_, mark_), condition,
                             retries, until);
  }

  const Where where_;
  const std::string key_;
  const std::string name_;
  const Abilities abilities_;
  const os::Deadline deadline_;
  const std::string mark_;
  std::string buffer_;
  std::size_t sent_ = 0;
  std::uint64_t written_ = 0;
  std::optional<RemoteUpload> upload_;
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<store::Upload> begin_remote_upload(const Where& where, std::string_view key,
                                                   std::string name, const Abilities& abilities,
                                                   const os::Deadline& deadline) {
  return std::make_unique<RemoteStoreUpload>(where, key, std::move(name), abilities, deadline);
}

}  // namespace cairn::remotestore
