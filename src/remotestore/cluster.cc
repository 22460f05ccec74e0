// SPDX-License-Identifier: Apache-2.0
#include "remotestore/cluster.h"

#include "os/log.h"
#include "remotestore/remote_store.h"
#include "remotestore/shared.h"

namespace cairn::remotestore {

Cluster::Cluster(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Cluster::~Cluster() = default;

Result<std::unique_ptr<Cluster>> Cluster::open(const ClusterParams& params) {
  CAIRN_TRY(auto wire, Wire::open(params.place, params.access, params.settings));
  return std::unique_ptr<Cluster>(new Cluster(std::unique_ptr<Impl>(
      new Impl{.shared = Shared(std::move(wire), *params.clock, *params.random)})));
}

const Place& Cluster::place() const { return impl_->shared.wire->place(); }

Result<Abilities> Cluster::check(const os::Deadline& deadline) {
  return impl_->shared.abilities(deadline);
}

Status Cluster::abort_uploads(const os::Deadline& deadline) {
  Wire& wire = *impl_->shared.wire;
  CAIRN_TRY(const auto uploads, wire.open_uploads(place().prefix, deadline));
  for (const RemoteUpload& upload : uploads) {
    CAIRN_CHECK(wire.abort(upload, deadline));
    os::log(os::LogLevel::info, "remotestore", "an upload that nobody completed was aborted",
            {{"name", upload.name}});
  }
  return ok_status();
}

std::unique_ptr<store::Store> Cluster::store(std::string prefix, StoreOptions options) {
  return make_store(
      {.shared = impl_->shared, .prefix = place().prefix + std::move(prefix), .options = options},
      nullptr);
}

Result<std::unique_ptr<store::Store>> open_store(const ClusterParams& params) {
  CAIRN_TRY(auto wire, Wire::open(params.place, params.access, params.settings));
  auto shared = std::make_shared<Shared>(std::move(wire), *params.clock, *params.random);
  Where where{.shared = *shared, .prefix = params.place.prefix, .options = {.marked = false}};
  return make_store(std::move(where), std::move(shared));
}

}  // namespace cairn::remotestore
