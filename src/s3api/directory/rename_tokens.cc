// SPDX-License-Identifier: Apache-2.0
#include "s3api/directory/rename_tokens.h"

#include <algorithm>

#include "s3/errors.h"

namespace cairn::s3api {
namespace {

constexpr std::size_t token_bytes_max = 64;

std::string place_of(const std::string& token, const RenameTokens::Rename& rename) {
  return rename.bucket + "/" + token;
}

}  // namespace

Result<bool> RenameTokens::is_done(const std::string& token, const Rename& rename) const {
  const bool printable = std::all_of(token.begin(), token.end(),
                                     [](char c) { return c >= 33 && c <= 126; });
  if (token.empty() || token.size() > token_bytes_max || !printable)
    return s3::error("InvalidArgument", "A client token is of 1 to 64 printable ASCII characters.")
        .with_detail("ArgumentName", "x-amz-client-token")
        .with_detail("ArgumentValue", token);
  const MutexLock lock(mutex_);
  const auto found = known_.find(place_of(token, rename));
  if (found == known_.end()) return false;
  if (found->second == rename) return true;
  return s3::error("IdempotencyParameterMismatch");
}

void RenameTokens::done(const std::string& token, const Rename& rename) {
  const MutexLock lock(mutex_);
  if (!known_.emplace(place_of(token, rename), rename).second) return;
  order_.push_back(place_of(token, rename));
  if (order_.size() <= most_) return;
  known_.erase(order_.front());
  order_.pop_front();
}

}  // namespace cairn::s3api
