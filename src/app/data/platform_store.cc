// SPDX-License-Identifier: Apache-2.0
#include "app/data/platform_store.h"

#include "objectstore/engine_store.h"

namespace cairn::app {
namespace {

/// A third of a lease: a connection that hangs leaves time to renew it by another one.
constexpr std::int64_t silence_ms = 5'000;

template <class T>
Result<T> of_store_url(Result<T> result) {
  if (result.ok()) return result;
  return with_context(std::move(result).error(), "store.url");
}

}  // namespace

Result<std::unique_ptr<PlatformStore>> PlatformStore::open(const std::string& url,
                                                           objectstore::Engine& engine,
                                                           const os::Deadline& deadline) {
  std::unique_ptr<PlatformStore> out(new PlatformStore(engine));
  if (url.empty()) return out;
  CAIRN_TRY(auto place, of_store_url(remotestore::parse_place(url)));
  CAIRN_TRY(out->cluster_,
            of_store_url(remotestore::Cluster::open(
                {.place = std::move(place), .access = {.read_timeout_ms = silence_ms}})));
  CAIRN_TRY(out->lease_, of_store_url(remotestore::Lease::acquire(*out->cluster_, {}, deadline)));
  CAIRN_CHECK(of_store_url(out->cluster_->abort_uploads(deadline)));
  return out;
}

Result<std::unique_ptr<store::Store>> PlatformStore::reserved(std::string_view bucket) {
  if (cluster_ == nullptr) return objectstore::reserved_store(engine_, bucket);
  return cluster_->store(std::string(bucket) + "/", {.guard = lease_.get()});
}

std::string PlatformStore::fault() const {
  if (lease_ == nullptr) return {};
  const auto allowed = lease_->check(os::Deadline::never());
  return allowed.ok() ? std::string() : allowed.error().message;
}

}  // namespace cairn::app
