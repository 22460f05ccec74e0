// SPDX-License-Identifier: Apache-2.0
#include "app/objects/object_rights.h"

#include <utility>

#include "s3api/access/table_rights.h"

namespace cairn::app {

gate::ObjectRights object_rights(const auth::Principals& principals,
                                 const objectstore::Engine& engine, std::string region,
                                 const os::Clock& clock) {
  const auto may_read = [&engine, &clock, of = std::move(region)](
                            const auth::ObjectCaller& holder, std::string_view index) {
    const auto named = s3api::table_of_index(index);
    if (!named) return false;
    const auto bucket = engine.head_bucket(named->bucket);
    return bucket.ok() &&
           s3api::may_read_table(holder, *bucket, named->table, of, clock.unix_ms());
  };
  return {.holder_of = [&principals](const auth::Key& key) { return principals.holder_of(key); },
          .may_read = may_read};
}

}  // namespace cairn::app
