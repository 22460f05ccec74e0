// SPDX-License-Identifier: Apache-2.0
// The object service of the other port, and the same for requests that come by GraphQL or by the
// console.
#include "app/rooms.h"

#include "app/objects/large_files.h"

namespace cairn::app {

void App::Rooms::build_objects() {
  // In no store, as that of large files; what it signs counts as the administrator's.
  const auth::ObjectKey root_key = object_keys->draw("admin");
  s3api::ServiceParams object_params{
      .engine = *engine,
      .find_key = with_key(with_key(s3api::find_in(*principals), large_files_key), root_key),
      .find_caller = [this](const auth::ObjectKey& key) { return accounts->caller_of(key); },
      .options = settings.objects,
      .key_names = &key_service,
      .table_copy = [this](std::string_view bucket,
                           std::string_view table) -> std::optional<s3api::TableCopy> {
        auto copy = tables->state(bucket, table);
        if (!copy) return std::nullopt;
        return s3api::TableCopy{.filled = copy->filled, .fault = std::move(copy->fault)};
      },
      .accounts = s3api::book_of(*accounts),
      .audit = audit.get(),
      .gate = gate.get(),
      .console_url = [this](const net::RequestHead& head) { return console_url(head); },
      .seal = master_seal,
      .grants = {.grants = access_grants.get(),
                 .find_user =
                     [this](std::string_view account, std::string_view user) {
                       return accounts->caller_of(account, user);
                     }},
      .random = random};
  objects = std::make_unique<s3api::Service>(object_params);
  // What comes through GraphQL was counted there.
  object_params.gate = nullptr;
  uncounted_objects = std::make_shared<s3api::Service>(object_params);
  object_callers =
      std::make_shared<const ObjectCaller>(*principals, root_key, settings.objects.region, clock);
}

}  // namespace cairn::app
