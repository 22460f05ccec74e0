// SPDX-License-Identifier: Apache-2.0
#include "objectstore/hash/body_hash.h"

#include <utility>

namespace cairn::objectstore {
namespace {

constexpr std::uint64_t large_from = 256 << 10;
constexpr std::size_t piece_min = 32 << 10;  // less is hashed sooner than handed over

}  // namespace

BodyHash::BodyHash(std::function<Md5Scheduler&()> scheduler) : scheduler_(std::move(scheduler)) {}

void BodyHash::begin(std::string_view bytes) {
  settle();
  size_ += bytes.size();
  if (size_ <= large_from || bytes.size() < piece_min) return digest_.update(bytes);
  hashing_.emplace(digest_.state(), digest_.blocks_of(bytes));
  scheduler_().offer(*hashing_, last_offer_);
}

void BodyHash::settle() {
  if (!hashing_) return;
  scheduler_().finish(*hashing_);
  hashing_.reset();
}

Status BodyHash::update(std::string_view bytes, const std::function<Status()>& work) {
  begin(bytes);
  Status done = work();
  settle();
  return done;
}

const std::string& BodyHash::finish() {
  settle();
  if (md5_.empty()) md5_ = digest_.finish();
  return md5_;
}

}  // namespace cairn::objectstore
