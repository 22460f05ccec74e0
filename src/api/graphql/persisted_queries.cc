// SPDX-License-Identifier: Apache-2.0
#include "api/graphql/persisted_queries.h"

#include "base/encode.h"
#include "base/hash.h"

namespace cairn::api {
namespace {

constexpr std::size_t entry_overhead = 256;  // of a short query, about

}  // namespace

std::optional<std::string> PersistedQueries::find(std::string_view sha256) {
  const MutexLock lock(mutex_);
  const auto at = by_hash_.find(std::string(sha256));
  if (at == by_hash_.end()) return std::nullopt;
  newest_first_.splice(newest_first_.begin(), newest_first_, at->second);
  return at->second->query;
}

bool PersistedQueries::keep(std::string_view sha256, std::string_view query) {
  if (to_hex(cairn::sha256(query)) != sha256) return false;
  const MutexLock lock(mutex_);
  if (by_hash_.contains(std::string(sha256))) return true;
  newest_first_.push_front({std::string(sha256), std::string(query)});
  by_hash_.emplace(std::string(sha256), newest_first_.begin());
  bytes_ += query.size() + entry_overhead;
  while (bytes_ > bytes_max_ && newest_first_.size() > 1) {
    bytes_ -= newest_first_.back().query.size() + entry_overhead;
    by_hash_.erase(newest_first_.back().hash);
    newest_first_.pop_back();
  }
  return true;
}

}  // namespace cairn::api
