// SPDX-License-Identifier: Apache-2.0
// The table of routes, and the same table without a server for `cairn routes`.
#include "app/routes.h"

#include "api/routes/analyze_routes.h"
#include "api/routes/bulk_routes.h"
#include "api/routes/cat_routes.h"
#include "api/routes/catalogue_routes.h"
#include "api/routes/connector_routes.h"
#include "api/routes/document_routes.h"
#include "api/routes/encryption_key_routes.h"
#include "api/routes/index_routes.h"
#include "api/routes/inference_routes.h"
#include "api/routes/limit_routes.h"
#include "api/routes/ml_routes.h"
#include "api/routes/object_key_routes.h"
#include "api/routes/search_routes.h"
#include "api/routes/security_routes.h"
#include "api/routes/snapshot_routes.h"
#include "api/routes/test_routes.h"
#include "app/large_files.h"
#include "app/version.h"
#include "inference/model/stored_models.h"
#include "os/pool.h"
#include "ratelimit/memory/memory_limiter.h"
#include "store/memory_store.h"

namespace cairn::app {

void add_all_routes(api::Router& router, const RouteServices& services) {
  api::add_system_routes(router, services.facts, services.sources, os::metrics(),
                         os::system_clock(), services.options);
  api::add_security_routes(router, services.keys);
  api::add_object_key_routes(router, services.accounts, services.object_keys);
  api::add_encryption_key_routes(router, services.accounts, services.encryption_keys);
  api::add_index_routes(router, services.indices);
  api::add_document_routes(router, services.indices, services.ingest);
  api::add_bulk_routes(router, services.indices, services.ingest, os::system_clock());
  api::add_search_routes(router, services.indices, services.search, os::system_clock());
  api::add_cat_routes(router, services.indices, os::system_clock());
  api::add_analyze_routes(router, services.indices);
  api::add_inference_routes(router, services.inference);
  api::add_ml_routes(router, services.inference);
  api::add_snapshot_routes(router, services.snapshots);
  api::add_connector_routes(router, services.connectors);
  add_large_file_routes(router, services.large_files);
  api::add_limit_routes(router, services.limiter, services.keys);
  if (services.test_routes) api::add_test_routes(router);
  api::add_catalogue_routes(router, version, services.options);  // last: it shows the others
}

namespace {

/// Services in memory that nobody calls: the rows are what counts.
struct Silent {
  std::unique_ptr<store::Store> store = store::memory_store();
  os::Pool pool{{.name = "routes", .threads = 1, .queue = 1}};
  std::unique_ptr<auth::Keys> keys;
  std::unique_ptr<auth::ObjectKeys> object_keys;
  std::unique_ptr<auth::Accounts> accounts;
  std::unique_ptr<auth::EncryptionKeys> encryption_keys;
  std::unique_ptr<index::Indices> indices;
  inference::StoredModels models{*store};
  std::unique_ptr<inference::Service> inference;

  Status open() {
    const auto deadline = os::Deadline::in_ms(10'000);
    index::Options index_options;
    index_options.background = false;
    inference::Options inference_options;
    inference_options.background = false;
    auto& random = os::system_random();
    const auto& clock = os::system_clock();
    CAIRN_TRY(keys, auth::Keys::open(*store, clock, random, {}, deadline));
    CAIRN_TRY(object_keys, auth::ObjectKeys::open(*store, auth::Seal(std::string(32, '\0')), clock,
                                                  random, deadline));
    CAIRN_TRY(accounts, auth::Accounts::open(*store, *object_keys, clock, random, deadline));
    CAIRN_TRY(encryption_keys,
              auth::EncryptionKeys::open({.store = *store,
                                          .seal = auth::Seal(std::string(32, '\0')),
                                          .region = "",
                                          .clock = clock,
                                          .random = random},
                                         deadline));
    CAIRN_TRY(indices, index::Indices::open(*store, pool, clock, random, index_options, deadline));
    CAIRN_TRY(inference,
              inference::Service::open(*store, models, pool, clock, inference_options, deadline));
    return ok_status();
  }
};

class NoTarget final : public connectors::Target {
 public:
  Result<std::string> identity(const std::string&, const std::string&,
                               const os::Deadline&) override {
    return none();
  }
  Result<std::vector<std::optional<Error>>> write(const std::string&,
                                                  std::span<const connectors::TargetDocument>,
                                                  const os::Deadline&) override {
    return none();
  }
  Status remove(const std::string&, std::span<const std::string>, const os::Deadline&) override {
    return none();
  }
  Status refresh(const std::string&, const os::Deadline&) override { return none(); }

 private:
  static Error none() { return {.kind = ErrorKind::unavailable, .message = "there is no index"}; }
};

}  // namespace

Result<std::vector<gate::Route>> all_routes(bool with_test_routes) {
  Silent rooms;
  CAIRN_CHECK(rooms.open());
  const auto& clock = os::system_clock();
  auto& random = os::system_random();
  ingest::Ingest ingest(*rooms.indices, *rooms.inference);
  search::Service search(*rooms.inference, clock);
  snapshots::Service snapshots(
      *rooms.store, *rooms.indices,
      [](const snapshots::RepositorySettings&, snapshots::PlaceIs)
          -> Result<std::unique_ptr<store::Store>> { return store::memory_store(); },
      {}, clock, random);
  NoTarget target;
  connectors::Service connectors(*rooms.store, target, {}, {}, clock, random);
  const api::ServerFacts facts{};
  const api::ServerSources sources{};
  const api::Options options{};
  const lfs::Service large_files({});
  const auto limiter = ratelimit::memory_limiter(
      std::make_shared<const ratelimit::Policy>(ratelimit::default_policy()), clock, random,
      os::metrics());
  api::Router router;
  add_all_routes(router, {facts, sources, options, *rooms.keys, *rooms.accounts, *rooms.object_keys,
                          *rooms.encryption_keys, *rooms.indices, ingest, search, *rooms.inference,
                          snapshots, connectors, large_files, *limiter});
  if (with_test_routes) api::add_test_routes(router);
  return router.routes();
}

}  // namespace cairn::app
