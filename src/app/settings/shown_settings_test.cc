// SPDX-License-Identifier: Apache-2.0
#include "app/settings/shown_settings.h"

#include <doctest/doctest.h>

#include "os/files/test_folder.h"

namespace shown_settings_test {

using namespace cairn;
using namespace cairn::app;

namespace {

Json row(const Json& shown, std::string_view name) {
  for (const Json& one : shown.find("settings")->as_array())
    if (one.string_or("name") == name) return one;
  FAIL("there is no setting of this name");
  return {};
}

}  // namespace

TEST_CASE("shown settings: addresses are shown without what opens them") {
  CHECK(without_secrets("").empty());
  CHECK(without_secrets("127.0.0.1:9200") == "127.0.0.1:9200");
  CHECK(without_secrets("https://a.example/x") == "https://a.example/x");
  CHECK(without_secrets("https://u:p@a.example/x") == "https://***@a.example/x");
  CHECK(without_secrets("https://token@a.example") == "https://***@a.example");
  CHECK(without_secrets("https://u:p@ss@a.example/@x") == "https://***@a.example/@x");
  CHECK(without_secrets("http://a.example/x?sig=1&b=2") == "http://a.example/x?***");
  CHECK(without_secrets("http://a.example?k@l") == "http://a.example?***");
  CHECK(without_secrets("s3://far@bucket/prefix") == "s3://far@bucket/prefix");
  CHECK(without_secrets("s3://u:p@bucket/prefix") == "s3://u:***@bucket/prefix");
  CHECK(without_secrets("s3://b/p?endpoint=http://u:p@h:9&region=r") ==
        "s3://b/p?endpoint=http://***@h:9&region=r");
  CHECK(without_secrets("/srv/models,https://u:p@a/m,s3://b") ==
        "/srv/models,https://***@a/m,s3://b");
  CHECK(without_secrets("eu=https://u:p@a, us=https://b") == "eu=https://***@a, us=https://b");
  CHECK(without_secrets(R"(["redis://u:p@h:1","redis://h"])") ==
        R"(["redis://u:***@h:1","redis://h"])");
}

TEST_CASE("shown settings: each with its value, default, origin and place") {
  os::TestFolder folder;
  const std::string file =
      folder.write("cairn.yaml", "log:\n  level: warn\nrate_limit: { plans: { user: 7 } }\n");
  const auto loaded =
      load_settings({.file = file,
                     .environment = {"CAIRN_NODE__NAME=n1"},
                     .flags = {{.key = "cluster.name", .text = "house", .origin = "--set"}}});
  REQUIRE(loaded.ok());
  index::ClusterValues cluster;
  const Json shown = shown_settings(*loaded, cluster);
  CHECK(shown.find("files")->dump() == Json::array_of(std::vector{file}).dump());
  CHECK(shown.find("settings")->as_array().size() > setting_table().size());
  const Json level = row(shown, "log.level");
  CHECK(level.string_or("value") == "warn");
  CHECK(level.string_or("default") == "info");
  CHECK(level.string_or("origin") == "file");
  CHECK(level.string_or("where") == file + ":2");
  CHECK_FALSE(level.bool_or("needs_restart", true));
  CHECK(row(shown, "node.name").string_or("origin") == "environment");
  CHECK(row(shown, "node.name").string_or("where") == "CAIRN_NODE__NAME");
  CHECK(row(shown, "cluster.name").string_or("origin") == "flag");
  CHECK(row(shown, "listen.api").string_or("origin") == "default");
  CHECK(row(shown, "listen.api").bool_or("needs_restart", false));
  CHECK(row(shown, "rate_limit.plans.user").string_or("value") == "7");
  CHECK(row(shown, "rate_limit.plans.user").string_or("origin") == "file");
  // What the cluster keeps goes before the file, what ends with the process before both.
  cluster.persistent["log.level"] = "error";
  CHECK(row(shown_settings(*loaded, cluster), "log.level").string_or("value") == "error");
  cluster.transient["log.level"] = "debug";
  const Json kept = row(shown_settings(*loaded, cluster), "log.level");
  CHECK(kept.string_or("value") == "debug");
  CHECK(kept.string_or("origin") == "cluster");
  CHECK(kept.string_or("where") == "transient");
}

TEST_CASE("shown settings: a secret says whether it is set, and nothing else") {
  os::TestFolder folder;
  const std::string file = folder.write("cairn.yaml", "");
  const auto loaded =
      load_settings({.file = file,
                     .environment = {"CAIRN_S3__CLIENT__DEFAULT__ACCESS_KEY=AK",
                                     "CAIRN_S3__CLIENT__DEFAULT__SECRET_KEY=hidden"},
                     .flags = {{.key = "messages.webhook.url",
                                .text = "https://hooks.example/hidden",
                                .origin = "--set"}}});
  REQUIRE(loaded.ok());
  const Json shown = shown_settings(*loaded, {});
  CHECK(shown.dump().find("hidden") == std::string::npos);
  CHECK(row(shown, "messages.webhook.url").string_or("value") == "(set)");
  CHECK(row(shown, "messages.webhook.url").bool_or("secret", false));
  CHECK(row(shown, "s3.client.default.secret_key").string_or("value") == "(set)");
  CHECK(row(shown, "messages.mail.command").string_or("value").empty());
  CHECK(row(shown, "messages.mail.command").bool_or("secret", false));
}

}  // namespace shown_settings_test
