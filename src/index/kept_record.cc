// SPDX-License-Identifier: Apache-2.0
#include "index/kept_record.h"

namespace cairn::index {
namespace {

// A lost answer is settled even where the request that asked has no time left.
constexpr std::int64_t settle_ms = 5'000;

}  // namespace

Result<std::optional<std::string>> KeptRecord::load(const os::Deadline& deadline) {
  auto found = store_.get(key_, deadline);
  if (!found.ok() && found.error().kind != ErrorKind::not_found) return std::move(found).error();
  unknown_ = false;
  etag_.clear();
  if (!found.ok()) return std::optional<std::string>();
  etag_ = found->info.etag;
  return std::optional<std::string>(std::move(found->bytes));
}

Status KeptRecord::put(const std::string& bytes, const os::Deadline& deadline) {
  store::Condition condition;
  if (etag_.empty())
    condition.if_none_match = true;
  else
    condition.if_match = etag_;
  auto put = store_.put(key_, bytes, deadline, condition);
  if (put.ok()) {
    etag_ = put->etag;
    return ok_status();
  }
  // Lost answer: what is there decides.
  const auto found = store_.get(key_, os::Deadline::in_ms(settle_ms));
  if (found.ok() && found->bytes == bytes) {
    etag_ = found->info.etag;
    return ok_status();
  }
  unknown_ = true;
  if (put.error().kind == ErrorKind::precondition_failed)
    return Error{.kind = ErrorKind::unavailable,
                 .message = "the " + what_ +
                            " in the store were changed by another process; only one may use a "
                            "store at a time"};
  return std::move(put).error();
}

}  // namespace cairn::index
