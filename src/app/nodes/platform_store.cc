// SPDX-License-Identifier: Apache-2.0
#include "app/nodes/platform_store.h"

#include "objectstore/engine_store.h"

namespace cairn::app {
Result<std::unique_ptr<PlatformStore>> PlatformStore::open(ClusterNode* node,
                                                           objectstore::Engine& engine,
                                                           const os::Deadline& deadline) {
  std::unique_ptr<PlatformStore> out(new PlatformStore(engine, node));
  if (node == nullptr) return out;
  // It is alone here now: whoever began these is gone.
  const Status aborted = node->cluster().abort_uploads(deadline);
  if (!aborted.ok()) return with_context(aborted.error(), "store.url");
  return out;
}

Result<std::unique_ptr<store::Store>> PlatformStore::reserved(std::string_view bucket) {
  if (node_ == nullptr) return objectstore::reserved_store(engine_, bucket);
  return node_->cluster().store(std::string(bucket) + "/", {.guard = node_});
}

std::string PlatformStore::fault() const {
  if (node_ == nullptr) return {};
  const auto allowed = node_->check(os::Deadline::never());
  return allowed.ok() ? std::string() : allowed.error().message;
}

}  // namespace cairn::app
