// SPDX-License-Identifier: Apache-2.0
#include "cli/exit_codes.h"
#include "cli/objects/testing.h"

namespace cairn::cli::access_point_command_test {
namespace {

using objectclient::Stub;
using objectclient::Value;

std::string text(const Value& value) { return value.text() == nullptr ? "-" : *value.text(); }

}  // namespace

TEST_CASE("objects access-point: each verb is one operation of the control API") {
  StubbedObjects objects;
  CHECK(objects({"access-point", "create", "readers", "s3://photos", "--account", "111111111111",
                 "--bucket-account", "222222222222"}) == success);
  const auto made = objects.calls("create_access_point");
  REQUIRE(made.size() == 1);
  CHECK(text(made[0]["name"]) == "readers");
  CHECK(text(made[0]["account_id"]) == "111111111111");
  CHECK(text(made[0]["create_access_point_request"]["bucket"]) == "photos");
  CHECK(text(made[0]["create_access_point_request"]["bucket_account_id"]) == "222222222222");
  CHECK(objects({"access-point", "set-policy", "readers", "{}", "--account", "111111111111"}) ==
        success);
  CHECK(text(objects.calls("put_access_point_policy")[0]["put_access_point_policy_request"]
                                                     ["policy"]) == "{}");
  CHECK(objects({"access-point", "set-scope", "readers", R"({"prefixes":["a/"]})", "--account",
                 "111111111111"}) == success);
  const Value scope = objects.calls("put_access_point_scope")[0]["put_access_point_scope_request"];
  CHECK(text((*scope["scope"]["prefixes"].elements())[0]) == "a/");
  CHECK(objects({"access-point", "list", "--account", "1", "--outpost", "op-1"}) != success);
  CHECK(text(objects.calls("list_access_points")[0]["outpost_id"]) == "op-1");
  CHECK(objects({"access-point", "set-scope", "readers", "{", "--account", "1"}) != success);
  CHECK(objects({"access-point", "create", "of-zone", "s3://photos", "--account", "111111111111",
                 "--scope", R"({"permissions":["GetObject"]})"}) == success);
  CHECK(objects.calls("create_access_point")[1]["create_access_point_request"]["scope"]
            ["permissions"].elements()->size() == 1);
  for (const auto& [verb, operation] : {std::pair("show", "get_access_point"),
                                        std::pair("scope", "get_access_point_scope"),
                                        std::pair("delete-scope", "delete_access_point_scope"),
                                        std::pair("policy", "get_access_point_policy"),
                                        std::pair("delete-policy", "delete_access_point_policy"),
                                        std::pair("delete", "delete_access_point")}) {
    CHECK(objects({"access-point", verb, "readers", "--account", "111111111111"}) == success);
    REQUIRE(objects.calls(operation).size() == 1);
    CHECK(text(objects.calls(operation)[0]["name"]) == "readers");
  }
}

TEST_CASE("objects access-point: lists all pages, of the account that the environment names") {
  StubbedObjects objects;
  objects.run.environment = [](std::string_view name) {
    return name == "AWS_ACCOUNT_ID" ? std::optional<std::string>("111111111111") : std::nullopt;
  };
  const auto page = [](const std::string& name, const std::string& next) {
    objectclient::Params members = {
        {"access_point_list", Value::list({Value::map({{"name", name}})})}};
    members.emplace_back("next_token", next);
    return Stub::data(std::move(members));
  };
  objects.client.stub("list_access_points", {page("aaa", "more"), page("bbb", "")});
  CHECK(objects({"access-point", "list", "--bucket", "photos", "--json"}) == success);
  CHECK(contains(objects.out, "aaa"));
  CHECK(contains(objects.out, "bbb"));
  const auto calls = objects.calls("list_access_points");
  REQUIRE(calls.size() == 2);
  CHECK(text(calls[1]["next_token"]) == "more");
  CHECK(text(calls[1]["bucket"]) == "photos");
  const std::string directory = "list_access_points_for_directory_buckets";
  objects.client.stub(directory, {page("ccc", ""), page("ddd", "")});
  CHECK(objects({"access-point", "list", "--bucket", "photos--z--x-s3"}) == success);
  CHECK(text(objects.calls(directory)[0]["directory_bucket"]) == "photos--z--x-s3");
  CHECK(objects({"access-point", "list", "--directory"}) == success);
  CHECK(objects.calls(directory).size() == 2);
}

TEST_CASE("objects access-point: a listing that does not go on ends with an error") {
  StubbedObjects objects;
  objects.client.stub("list_access_points", {Stub::data({{"next_token", "more"}})});
  CHECK(objects({"access-point", "list", "--account", "111111111111"}) != success);
  CHECK(objects.calls("list_access_points").size() == 2);
}

TEST_CASE("objects access-point: what is missing or unknown is said before anything is sent") {
  StubbedObjects objects;
  CHECK(objects({"access-point", "show", "readers"}) != success);
  CHECK(contains(objects.err, "--account"));
  CHECK(objects({"access-point", "create", "readers", "--account", "1"}) != success);
  CHECK(contains(objects.err, "create NAME s3://BUCKET"));
  CHECK(objects({"access-point", "paint", "readers", "--account", "1"}) != success);
  CHECK(objects({"access-point", "create", "readers", "s3://photos/k", "--account", "1"}) !=
        success);
  CHECK(objects.client.stubbed_calls().empty());
}

}  // namespace cairn::cli::access_point_command_test
