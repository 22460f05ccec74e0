// SPDX-License-Identifier: Apache-2.0
// Counting pages.
#include "inference/decoder/kv_pages.h"

#include <new>
#include <string>

namespace cairn::inference {

Result<std::shared_ptr<KvPage>> KvPool::take() {
  std::size_t taken = taken_->load();
  do {
    if (taken < most_) continue;
    return Error{.kind = ErrorKind::rate_limited,
                 .message = "all [" + std::to_string(most_) +
                            "] pages for keys and values are taken; ask again when other texts "
                            "are done"};
  } while (taken >= most_ || !taken_->compare_exchange_weak(taken, taken + 1));
  try {
    return std::make_shared<KvPage>(shape_, taken_);
  } catch (const std::bad_alloc&) {
    taken_->fetch_sub(1);
    return Error{.kind = ErrorKind::rate_limited,
                 .message = "there is not enough memory for a page of keys and values"};
  }
}

Status KvSequence::reserve(KvPool& pool, std::size_t more) {
  const std::size_t wanted = (tokens_ + more + kernels::page_tokens - 1) / kernels::page_tokens;
  while (pages_.size() < wanted) {
    CAIRN_TRY(std::shared_ptr<KvPage> page, pool.take());
    pages_.push_back(std::move(page));
  }
  return ok_status();
}

}  // namespace cairn::inference
