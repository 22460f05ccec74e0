// SPDX-License-Identifier: Apache-2.0
// Listings that a service gives wrongly: who syncs with --delete would delete what they leave out.
#include <doctest/doctest.h>

#include <string>

#include "cli/exit_codes.h"
#include "cli/objects/testing.h"
#include "objectclient/testing.h"

namespace cairn::cli::wrong_listing_test {
namespace {

using objectclient::Answer;
using objectclient::Seen;
using objectclient::Stub;
using objectclient::Value;

std::string page(const std::string& keys, const std::string& token) {
  return "<ListBucketResult><IsTruncated>true</IsTruncated>" + keys +
         (token.empty() ? "" : "<NextContinuationToken>" + token + "</NextContinuationToken>") +
         "</ListBucketResult>";
}

const std::string kept_key = "<Contents><Key>kept</Key><Size>4</Size></Contents>";

}  // namespace

TEST_CASE("sync --delete: a listing that is none, or not whole, deletes nothing") {
  int asked = 0;
  const struct {
    const char* name;
    std::function<std::string()> body;
  } rows[] = {
      {"a foreign root element",
       [] { return std::string("<ListAllMyBucketsResult></ListAllMyBucketsResult>"); }},
      {"a page that goes on, without a token", [] { return page(kept_key, ""); }},
      {"a page that leads to itself", [] { return page(kept_key, "T"); }},
      {"pages that come round", [&] { return page(kept_key, std::to_string(asked++ % 3)); }},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    asked = 0;
    int deletions = 0;
    objectclient::ScriptedService service([&](const Seen& seen) -> Answer {
      if (seen.method == "GET") return {.body = row.body()};
      ++deletions;
      return {.status = 204};
    });
    objectclient::MadeUp environment;
    StubbedObjects objects;
    objectclient::ClientOptions options = objectclient::at(service);
    options.raise_response_errors = false;
    options.retry_limit = 0;
    objects.client = environment.client(options);
    const ScratchFolder folder;
    folder.write("kept", "text");
    folder.write("mine", "text");
    // Towards the folder: files that the listing does not name would go.
    CHECK(objects({"sync", "s3://b/", folder.path, "--delete", "--size-only"}) != success);
    CHECK(folder.read("mine") == "text");
    CHECK(folder.read("kept") == "text");
    // Towards the bucket: objects would go, or be written again for ever.
    CHECK(objects({"sync", folder.path, "s3://b/", "--delete", "--size-only", "--dry-run"}) !=
          success);
    CHECK(objects({"ls", "s3://b/"}) != success);
    CHECK(objects({"rm", "--recursive", "s3://b/", "--dry-run"}) != success);
    CHECK(deletions == 0);
  }
}

TEST_CASE("listing by stubs: one that goes on without a token is an error here as well") {
  StubbedObjects objects;
  objects.client.stub("list_objects_v2",
                      {Stub::data({{"is_truncated", true}, {"next_continuation_token", ""}})});
  objects.client.stub("list_object_versions",
                      {Stub::data({{"is_truncated", true}, {"next_key_marker", ""}})});
  CHECK(objects({"ls", "s3://b/"}) != success);
  CHECK(contains(objects.err, "not where"));
  CHECK(objects({"rb", "--force", "s3://b"}) != success);
}

}  // namespace cairn::cli::wrong_listing_test
