// SPDX-License-Identifier: Apache-2.0
#include "app/objects/large_files.h"

#include "lfs/repository.h"
#include "lfs/rows.h"
#include "objectstore/engine_store.h"

namespace cairn::app {
namespace {

constexpr std::string_view account_user = "admin";  // whose account owns the bucket

Status make_bucket(objectstore::Engine& engine, const auth::ObjectKey& key,
                   const os::Deadline& deadline) {
  s3::Bucket bucket{.name = std::string(lfs::bucket)};
  bucket.owner = {.id = key.canonical_id, .account_id = key.account_id};
  const auto made = engine.create_bucket(bucket, deadline);
  // Somebody else was first.
  if (made.ok() || made.error().kind == ErrorKind::already_exists) return ok_status();
  return made.error();
}

}  // namespace

auth::ObjectKey large_files_key(const auth::ObjectKeys& keys) {
  auth::ObjectKey key = keys.draw(account_user);
  key.user.clear();  // the batch was charged, and the transfers are not
  return key;
}

s3api::FindKey with_key(s3api::FindKey find, const auth::ObjectKey& key) {
  auto own = std::make_shared<const auth::ObjectKey>(key);
  return [find = std::move(find), own](std::string_view id) {
    return id == own->access_key_id ? own : find(id);
  };
}

lfs::OpenBucket large_files_bucket(objectstore::Engine& engine, const auth::ObjectKey& key) {
  return [&engine, key](bool make,
                        const os::Deadline& deadline) -> Result<std::shared_ptr<store::Store>> {
    auto bucket = engine.head_bucket(lfs::bucket);
    if (!bucket.ok() && bucket.error().kind == ErrorKind::not_found && make) {
      CAIRN_CHECK(make_bucket(engine, key, deadline));
      bucket = engine.head_bucket(lfs::bucket);
    }
    if (bucket.ok() && bucket->owner.id != key.canonical_id)
      return Error{.kind = ErrorKind::conflict,
                   .message =
                       "bucket [lfs] belongs to another account than the administrator's; "
                       "large files need it"};
    if (!bucket.ok()) return bucket.error();
    CAIRN_TRY(auto store, objectstore::bucket_store(engine, lfs::bucket));
    return std::shared_ptr<store::Store>(std::move(store));
  };
}

void add_large_file_routes(api::Router& router, api::ServiceRef<const lfs::Service> service) {
  for (lfs::Row& row : lfs::rows()) {
    if (row.action == &lfs::Service::verify)
      row.route.paid = [service](const net::RequestHead& head) {
        return service->takes_announced(head);
      };
    router.add(row.route, [service, action = row.action](api::Call& call) -> Result<api::Reply> {
      CAIRN_TRY(const auto body, call.raw_body());
      CAIRN_TRY(const lfs::Answer answer, ((*service).*action)({.head = call.exchange().head,
                                                                .caller = call.caller(),
                                                                .owner = call.path("owner"),
                                                                .repository = call.path("repo"),
                                                                .id = call.path("id"),
                                                                .body = body,
                                                                .deadline = call.deadline()}));
      return api::Reply::plain(answer.body.dump(), std::string(lfs::media_type), answer.status);
    });
  }
}

}  // namespace cairn::app
