// SPDX-License-Identifier: Apache-2.0
// Metadata tables of buckets by the client library, against `cairn serve`.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "format/json.h"
#include "objectclient/client.h"
#include "objectclient/service_errors.h"
#include "os/clock.h"
#include "own_service.h"

namespace tables_e2e {
namespace {

using namespace cairn;
using namespace cairn::objectclient;
using namespace cairn::objectclient_e2e;

bool is_own() { return std::getenv("CAIRN_E2E_ENDPOINT") == nullptr; }

ClientOptions by_path() {
  ClientOptions given = options();
  given.endpoint = service().endpoint;
  given.force_path_style = true;
  return given;
}

std::size_t lines_of(const std::string& rows) {
  return static_cast<std::size_t>(std::count(rows.begin(), rows.end(), '\n'));
}

TEST_CASE("e2e tables: made, filled, read, changed and removed") {
  if (!is_own()) return;
  const Client client(by_path());
  const std::string bucket = "lib-tables";
  client.create_bucket({.bucket = bucket}).or_throw();
  client.put_object({.bucket = bucket, .key = "before"}, "bytes").or_throw();
  s3::CreateBucketMetadataConfigurationInput made{.bucket = bucket};
  auto& tables = made.metadata_configuration;
  tables.journal_table_configuration.record_expiration = {.expiration = "ENABLED", .days = 7};
  tables.inventory_table_configuration = {.configuration_state = "ENABLED"};
  client.create_bucket_metadata_configuration(made).or_throw();
  client.put_object({.bucket = bucket, .key = "after"}, "bytes").or_throw();

  const auto shown = [&] {
    return *client.get_bucket_metadata_configuration({.bucket = bucket})
                ->get_bucket_metadata_configuration_result->metadata_configuration_result;
  };
  CHECK(shown().journal_table_configuration_result->table_status == "ACTIVE");
  CHECK(shown().journal_table_configuration_result->record_expiration->days == 7);
  const auto read = [&](const std::string& table) {
    return client.list_bucket_metadata_table_rows({.bucket = bucket, .table = table})->rows;
  };
  CHECK(lines_of(read("journal")) == 1);
  CHECK(read("journal").find("\"after\"") != std::string::npos);
  const auto patience = os::Deadline::in_ms(60'000);
  while (lines_of(read("inventory")) < 2 && os::sleep_ms(50, patience)) {
  }
  CHECK(lines_of(read("inventory")) == 2);

  s3::UpdateBucketMetadataJournalTableConfigurationInput journal{.bucket = bucket};
  journal.journal_table_configuration.record_expiration = {.expiration = "DISABLED"};
  client.update_bucket_metadata_journal_table_configuration(journal).or_throw();
  s3::UpdateBucketMetadataInventoryTableConfigurationInput inventory{.bucket = bucket};
  inventory.inventory_table_configuration = {.configuration_state = "DISABLED"};
  client.update_bucket_metadata_inventory_table_configuration(inventory).or_throw();
  CHECK(shown().journal_table_configuration_result->record_expiration->expiration == "DISABLED");
  CHECK(shown().inventory_table_configuration_result->configuration_state == "DISABLED");
  client.delete_bucket_metadata_configuration({.bucket = bucket}).or_throw();
  CHECK_THROWS_AS(client.get_bucket_metadata_configuration({.bucket = bucket}).or_throw(),
                  errors::MetadataConfigurationNotFound);
}

}  // namespace
}  // namespace tables_e2e
