// SPDX-License-Identifier: Apache-2.0
#include "cli/add/watch_upload.h"

#include <algorithm>

#include "os/clock.h"

namespace cairn::cli {
namespace {

constexpr std::int64_t upload_look_ms = 200;
constexpr std::int64_t upload_quiet_ms = 400;           // after the last change
constexpr std::int64_t upload_changing_ms_max = 2'000;  // after the first one
constexpr std::int64_t upload_again_first_ms = 1'000;
constexpr std::int64_t upload_again_ms_max = 30'000;

class UploadWatch {
 public:
  UploadWatch(FolderUpload& upload, const WatchUploadParams& params, const os::Deadline& deadline)
      : upload_(upload), params_(params), deadline_(deadline) {}

  Status run() {
    while (!deadline_.stopped()) {
      CAIRN_CHECK(look());
      if (is_due()) CAIRN_CHECK(send());
      os::sleep_ms(upload_look_ms, deadline_);
    }
    return ok_status();
  }

 private:
  static std::int64_t now_ms() { return os::system_clock().steady_ns() / 1'000'000 + 1; }

  Status look() {
    const auto changed = upload_.changed(deadline_);
    if (deadline_.stopped()) return ok_status();
    if (!changed.ok()) {
      if (changed.error().kind == ErrorKind::not_found) return changed.error();
      notice(changed.error().message);
      return ok_status();
    }
    notice(upload_.watch_limit());
    if (*changed) {
      last_ms_ = now_ms();
      if (first_ms_ == 0) first_ms_ = last_ms_;
    }
    return ok_status();
  }

  bool is_due() const {
    if (first_ms_ == 0 || now_ms() < not_before_ms_) return false;
    return now_ms() - last_ms_ >= upload_quiet_ms || now_ms() - first_ms_ >= upload_changing_ms_max;
  }

  Status send() {
    const std::int64_t begun = now_ms();
    const auto sent = upload_.run(deadline_, false);
    if (deadline_.stopped()) return ok_status();
    if (!sent.ok()) {
      if (sent.error().kind == ErrorKind::permission_denied) return sent.error();
      if (again_ms_ == 0) params_.on_notice(sent.error().message + "; tried again until it works");
      again_ms_ = std::clamp(2 * again_ms_, upload_again_first_ms, upload_again_ms_max);
      not_before_ms_ = now_ms() + again_ms_;
      return ok_status();
    }
    again_ms_ = first_ms_ = last_ms_ = 0;
    not_before_ms_ = now_ms() + std::min(now_ms() - begun, upload_again_ms_max);
    if (sent->sent > 0 || sent->removed > 0 || sent->problems != problems_) params_.on_sent(*sent);
    problems_ = sent->problems;
    return ok_status();
  }

  void notice(const std::string& text) {
    if (text != noticed_ && !text.empty()) params_.on_notice(text);
    noticed_ = text;
  }

  FolderUpload& upload_;
  const WatchUploadParams& params_;
  const os::Deadline& deadline_;
  std::int64_t first_ms_ = 0, last_ms_ = 0;  // changes that were not sent; 0: none
  std::int64_t not_before_ms_ = 0, again_ms_ = 0;
  std::string noticed_;
  std::vector<std::string> problems_;
};

}  // namespace

Status watch_upload(FolderUpload& upload, const WatchUploadParams& params,
                    const os::Deadline& deadline) {
  return UploadWatch(upload, params, deadline).run();
}

}  // namespace cairn::cli
