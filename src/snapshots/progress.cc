// SPDX-License-Identifier: Apache-2.0
#include "snapshots/progress.h"

#include <algorithm>
#include <utility>

namespace cairn::snapshots {
namespace {

std::int64_t time_since(std::int64_t start_ms, std::int64_t now_ms) {
  return std::max<std::int64_t>(0, now_ms - start_ms);
}

Json pair_of(const BlobCount& count) { return Json(Json::Array{count.blobs, count.bytes}); }

std::optional<BlobCount> count_of(const Json* pair) {
  if (pair == nullptr || !pair->is_array() || pair->as_array().size() != 2) return std::nullopt;
  for (const Json& one : pair->as_array())
    if (!one.is_integer() || one.as_int() < 0) return std::nullopt;
  return BlobCount{.blobs = static_cast<std::uint64_t>(pair->as_array()[0].as_int()),
                   .bytes = static_cast<std::uint64_t>(pair->as_array()[1].as_int())};
}

}  // namespace

void Progress::plan(const std::string& index, const BlobCount& total) {
  const MutexLock lock(mutex_);
  indices_[index].total = total;
}

void Progress::begin(const std::string& index, std::int64_t now_ms) {
  const MutexLock lock(mutex_);
  current_ = index;
  IndexStatus& status = indices_[index];
  status = {.stage = IndexStatus::Stage::copying, .total = status.total, .start_ms = now_ms};
}

bool Progress::wrote(const std::string& index, const std::string& blob) const {
  const MutexLock lock(mutex_);
  const auto found = written_.find(index);
  return found != written_.end() && found->second.contains(blob);
}

void Progress::need(const BlobCount& incremental, const BlobCount& written) {
  const MutexLock lock(mutex_);
  indices_[current_].incremental = incremental;
  indices_[current_].processed = written;
}

void Progress::moved(std::uint64_t bytes) {
  const MutexLock lock(mutex_);
  indices_[current_].processed.bytes += bytes;
}

void Progress::finished(const std::string& blob) {
  const MutexLock lock(mutex_);
  ++indices_[current_].processed.blobs;
  written_[current_].insert(blob);
}

void Progress::end(std::int64_t now_ms) {
  const MutexLock lock(mutex_);
  IndexStatus& status = indices_[current_];
  status.stage = IndexStatus::Stage::done;
  status.took_ms = time_since(status.start_ms, now_ms);
}

IndexStatuses Progress::at(std::int64_t now_ms) const {
  const MutexLock lock(mutex_);
  IndexStatuses out = indices_;
  for (auto& [name, status] : out)
    if (status.stage == IndexStatus::Stage::copying)
      status.took_ms = time_since(status.start_ms, now_ms);
  return out;
}

Json to_json(const IndexStatuses& indices) {
  Json out = Json::object();
  for (const auto& [name, status] : indices) {
    Json one = Json::object({{"total", pair_of(status.total)},
                             {"start_ms", status.start_ms},
                             {"took_ms", status.took_ms}});
    if (status.incremental) one.set("incremental", pair_of(*status.incremental));
    out.set(name, std::move(one));
  }
  return out;
}

std::optional<IndexStatuses> statuses_of(const Json& manifest) {
  const Json* kept = manifest.find(statuses_member);
  if (kept == nullptr || !kept->is_object()) return std::nullopt;
  IndexStatuses out;
  for (const auto& [name, one] : kept->as_object()) {
    const auto total = count_of(one.find("total")), incremental = count_of(one.find("incremental"));
    if (!total || !incremental) return std::nullopt;
    out[name] = {.stage = IndexStatus::Stage::done,
                 .total = *total,
                 .incremental = *incremental,
                 .processed = *incremental,
                 .start_ms = one.int_or("start_ms"),
                 .took_ms = one.int_or("took_ms")};
  }
  return out;
}

}  // namespace cairn::snapshots
