// SPDX-License-Identifier: Apache-2.0
#include "objectstore/metadata/row_numbers.h"

#include <string>
#include <utility>

#include "base/bytes.h"
#include "objectstore/metadata/rocks_kv.h"
#include "objectstore/metadata/row_keys.h"

namespace cairn::objectstore {

Status RowNumbers::open() {
  std::string value;
  CAIRN_TRY(const bool found, kv_.get(Table::system, numbers_row, value));
  if (!found) return ok_status();
  const auto spent = ByteReader(value).u64le();
  if (!spent)
    return Error{.kind = ErrorKind::corrupt, .message = "the row of numbers of rows is broken"};
  next_ = *spent;
  limit_ = *spent;
  return ok_status();
}

// Half of what is reserved is more than all threads together can take before one of them comes
// here again.
Status RowNumbers::make_room() {
  const auto enough = [&] { return limit_.load() >= next_.load() + reserved_at_once / 2; };
  if (enough()) return ok_status();
  const std::lock_guard lock(mutex_);
  if (enough()) return ok_status();
  const std::uint64_t limit = next_.load() + reserved_at_once;
  std::string value;
  put_u64le(value, limit);
  KvBatch batch;
  batch.put(Table::system, std::string(numbers_row), std::move(value));
  CAIRN_CHECK(kv_.write(batch));
  limit_ = limit;
  return ok_status();
}

}  // namespace cairn::objectstore
