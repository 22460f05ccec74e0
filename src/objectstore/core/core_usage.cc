// SPDX-License-Identifier: Apache-2.0
// Counting what a bucket holds, of core.h. The walk begins with the bucket's gate taken alone: the
// changes before it are in the rows that the cursors show, and those after it are told one by one.
#include "objectstore/core/core.h"
#include "os/steps.h"
#include "store/folding.h"

namespace cairn::objectstore {
namespace {

constexpr std::size_t rows_between_rests = 1000;

}  // namespace

// A cursor keeps the metadata from being opened again after a failed write, so a walk ends there.
Status Core::walk_usage(KvCursor& rows, std::string_view first, BucketUsage& out,
                        const WalkRest& rest, const os::Deadline& deadline) {
  os::Steps steps(deadline, "count a bucket");
  std::size_t seen = 0;
  ListedObject object;
  for (rows.seek(first); rows.valid(); rows.next()) {
    CAIRN_CHECK(steps.take(store::steps_of_a_row));
    CAIRN_CHECK(decode_summary(rows.value(), {}, object));
    ++out.versions;
    out.bytes += object.size_bytes;
    if (++seen % rows_between_rests != 0) continue;
    if (!kv_->healthy())
      return Error{.kind = ErrorKind::unavailable, .message = "the metadata are being recovered"};
    if (rest) CAIRN_CHECK(rest());
  }
  return rows.status();
}

Status Core::count_usage(Bucket& bucket, const WalkRest& rest, const os::Deadline& deadline) {
  const std::string objects = object_row(bucket.record.id, {});
  const std::string versions = version_prefix(bucket.record.id, {});
  std::unique_ptr<KvCursor> live, others;
  UsageCount::Begin begin;
  {
    const std::unique_lock gate(bucket.gate);
    if (bucket.gone) return no_bucket(bucket);
    CAIRN_TRY(live, kv_->cursor(Table::objects, store::after_prefix(objects)));
    CAIRN_TRY(others, kv_->cursor(Table::versions, store::after_prefix(versions)));
    begin = bucket.usage.begin();
  }
  BucketUsage walked;
  CAIRN_CHECK(walk_usage(*live, objects, walked, rest, deadline));
  live.reset();
  CAIRN_CHECK(walk_usage(*others, versions, walked, rest, deadline));
  if (bucket.usage.end(begin, walked)) return ok_status();
  return Error{.kind = ErrorKind::unavailable,
               .message = "a change of the bucket failed while it was counted"};
}

std::optional<BucketUsage> Engine::usage(std::string_view bucket) const {
  const auto found = core_->find_bucket(bucket);
  return found.ok() ? (*found)->usage.read() : std::nullopt;
}

Status Engine::count_usage(std::string_view bucket, const std::function<Status()>& rest,
                           const os::Deadline& deadline) {
  CAIRN_TRY(const BucketPointer found, user_bucket(*core_, bucket));
  return core_->count_usage(*found, rest, deadline);
}

}  // namespace cairn::objectstore
