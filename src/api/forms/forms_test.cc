// SPDX-License-Identifier: Apache-2.0
// The forms of requests and replies: fields, positions, filter_path, YAML, media types, errors.
#include <doctest/doctest.h>

#include "api/forms/error_json.h"
#include "api/forms/fields.h"
#include "api/forms/filter_path.h"
#include "api/forms/locate.h"
#include "api/forms/media.h"
#include "api/forms/yaml.h"
#include "api/server_error.h"

namespace cairn::api::forms_test {
namespace {

Json json(std::string_view text) {
  auto parsed = parse_json(text);
  REQUIRE_MESSAGE(parsed.ok(), text);
  return std::move(*parsed);
}

std::string filtered(std::string_view list, std::string_view text) {
  return FilterPath(list).apply(json(text)).dump();
}

net::Headers headers(std::string_view content_type, std::string_view accept) {
  net::Headers out;
  if (!content_type.empty()) out.add("Content-Type", content_type);
  if (!accept.empty()) out.add("Accept", accept);
  return out;
}

}  // namespace

TEST_CASE("fields: types are strict, with the leniency of the platform for strings of numbers") {
  const Json body =
      json(R"({"s":"x","b":"true","i":"12","f":3.0,"t":"30s","l":["a","b"],"n":null})");
  Fields fields(body, "p");
  CHECK(fields.string("s").value() == "x");
  CHECK(fields.boolean("b").value() == true);
  CHECK(fields.integer("i").value() == 12);
  CHECK(fields.integer("f").value() == 3);
  CHECK(fields.time_ms("t").value() == 30'000);
  CHECK(fields.strings("l").value()->size() == 2);
  CHECK(fields.strings("s").value()->size() == 1);
  CHECK(fields.is_null("n"));
  CHECK_FALSE(fields.string("absent").value().has_value());
  CHECK(fields.integer_or("absent", 7).value() == 7);
  CHECK(fields.finish().ok());
  CHECK(fields.string("n").error().message == "[p] n doesn't support values of type: VALUE_NULL");
  CHECK(fields.string("l").error().message == "[p] l doesn't support values of type: START_ARRAY");
  CHECK(fields.required_string("absent").error().message == "Required [absent]");
  CHECK_FALSE(fields.integer("s").ok());
  CHECK_FALSE(fields.boolean("s").ok());
}

TEST_CASE("fields: an unknown name is refused with the nearest known one") {
  const Json body = json(R"({"service_setings":{}})");
  Fields fields(body, "inference_endpoint");
  CHECK(fields.object("service_settings").value() == nullptr);
  const auto refused = fields.finish();
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == "x_content_parse_exception");
  CHECK(refused.error().message ==
        "[inference_endpoint] unknown field [service_setings] did you mean [service_settings]?");
}

TEST_CASE("locate: line and column of names and values, through objects and arrays") {
  const std::string text = "{\"a\": 1,\n  \"b\\u0063\": {\"x.y\": [10, {\"z\" : \"}\"}]}}";
  const auto at = [&](std::string path, bool value) {
    for (auto& c : path)
      if (c == '/') c = path_separator;
    const auto found = locate(text, path, value);
    return found ? std::to_string(found->line) + ":" + std::to_string(found->column) : "none";
  };
  CHECK(at("a", false) == "1:2");
  CHECK(at("a", true) == "1:7");
  CHECK(at("bc", false) == "2:3");
  CHECK(at("bc/x.y/1/z", false) == "2:28");
  CHECK(at("bc/x.y/1/z", true) == "2:34");
  CHECK(at("bc/x.y/0", true) == "2:23");
  CHECK(at("bc/x.y/2", true) == "none");
  CHECK(at("nothing", false) == "none");
}

TEST_CASE("filter_path: paths, stars, double stars, and what is left out") {
  constexpr std::string_view reply =
      R"({"took":1,"hits":{"total":{"value":2},"hits":[{"_id":"1","_source":{"a":1,"b":2}},{"_id":"2","_source":{"a":3}}]},"_shards":{"total":1}})";
  CHECK(filtered("took", reply) == R"({"took":1})");
  CHECK(filtered("hits.hits._id", reply) == R"({"hits":{"hits":[{"_id":"1"},{"_id":"2"}]}})");
  CHECK(filtered("t*k,_sh*.total", reply) == R"({"took":1,"_shards":{"total":1}})");
  CHECK(filtered("**.total", reply) == R"({"hits":{"total":{"value":2}},"_shards":{"total":1}})");
  CHECK(filtered("**.value", reply) == R"({"hits":{"total":{"value":2}}})");
  CHECK(filtered("hits.**.a", reply) ==
        R"({"hits":{"hits":[{"_source":{"a":1}},{"_source":{"a":3}}]}})");
  CHECK(filtered("-hits,-_shards", reply) == R"({"took":1})");
  CHECK(filtered("hits.hits,-**._source", reply) ==
        R"({"hits":{"hits":[{"_id":"1"},{"_id":"2"}]}})");
  CHECK(filtered("hits.hits._source.*,-**.b", reply) ==
        R"({"hits":{"hits":[{"_source":{"a":1}},{"_source":{"a":3}}]}})");
  CHECK(filtered("nothing", reply) == "{}");
  CHECK(filtered("*", reply) == reply);
  CHECK(filtered("**", reply) == reply);
}

TEST_CASE("yaml: block style that reads back as the same values") {
  CHECK(to_yaml(json(R"({"a":1,"b":{"c":[1,{"d":"x","e":[]}]},"true":"no","f g":null})")) ==
        "---\n"
        "a: 1\n"
        "b:\n"
        "  c:\n"
        "  - 1\n"
        "  - d: \"x\"\n"
        "    e: []\n"
        "\"true\": \"no\"\n"
        "\"f g\": null\n");
  CHECK(to_yaml(Json::object()) == "--- {}\n");
}

TEST_CASE("media: what the official clients send is understood and answered in kind") {
  const std::string nine = "application/vnd.elasticsearch+json; compatible-with=9";
  auto media = negotiate(headers(nine, nine), true, false);
  REQUIRE(media.ok());
  CHECK(media->reply_type == "application/vnd.elasticsearch+json;compatible-with=9");
  media = negotiate(headers("", "application/vnd.elasticsearch+json; compatible-with=8,text/plain"),
                    false, false);
  REQUIRE(media.ok());
  CHECK(media->reply_type == "application/vnd.elasticsearch+json;compatible-with=8");
  CHECK(negotiate(headers("application/vnd.elasticsearch+x-ndjson; compatible-with=9", nine), true,
                  true)
            .ok());
  CHECK(negotiate(headers(nine, ""), false, false).ok());
  for (const auto* accept : {"", "*/*", "application/json", "text/html, */*;q=0.8"})
    CHECK(negotiate(headers("application/json; charset=utf-8", accept), true, false)->reply_type ==
          "application/json");
  CHECK(negotiate(headers("", "application/yaml"), false, false)->yaml);
}

TEST_CASE("media: what is not spoken is 406, versions that disagree are 400") {
  const auto status = [](const Result<Media>& media) {
    REQUIRE_FALSE(media.ok());
    CHECK(media.error().code == "media_type_header_exception");
    return status_of(media.error());
  };
  CHECK(status(negotiate(headers("text/plain", ""), true, false)) == 406);
  CHECK(status(negotiate(headers("", ""), true, false)) == 406);
  CHECK(status(negotiate(headers("application/x-ndjson", ""), true, false)) == 406);
  CHECK(status(negotiate(headers("", "image/png"), false, false)) == 406);
  const auto vendor = [](int version) {
    return "application/vnd.elasticsearch+json; compatible-with=" + std::to_string(version);
  };
  CHECK(status(negotiate(headers(vendor(7), ""), false, false)) == 400);
  CHECK(status(negotiate(headers("", vendor(10)), false, false)) == 400);
  CHECK(status(negotiate(headers(vendor(8), vendor(9)), true, false)) == 400);
}

TEST_CASE("errors: root cause, details, causes and statuses") {
  Error inner{ErrorKind::not_found, "index_not_found_exception", "no such index [x]"};
  inner.details = {{"index", "x"}};
  CHECK(
      error_body(inner).dump() ==
      R"({"error":{"root_cause":[{"type":"index_not_found_exception","reason":"no such index [x]","index":"x"}],"type":"index_not_found_exception","reason":"no such index [x]","index":"x"},"status":404})");
  Error outer{ErrorKind::internal, "snapshot_restore_exception", "failed"};
  outer.cause = std::make_shared<const Error>(inner);
  const Json body = error_body(outer);
  CHECK(body.find_path("error.root_cause")->as_array()[0].string_or("type") ==
        "index_not_found_exception");
  CHECK(body.find_path("error.caused_by.reason")->as_string() == "no such index [x]");
  CHECK(body.int_or("status") == 500);
  CHECK(error_body(outer, true).find_path("error.stack_trace") != nullptr);
  // An argument is the root of shards that failed by it, and of nothing else that it caused.
  const Error argument{ErrorKind::invalid_argument, "illegal_argument_exception", "too far"};
  const auto root_type = [&](std::string code) {
    Error error{ErrorKind::invalid_argument, std::move(code), "failed"};
    error.cause = std::make_shared<const Error>(argument);
    return error_body(error).find_path("error.root_cause")->as_array()[0].string_or("type");
  };
  CHECK(root_type("search_phase_execution_exception") == "illegal_argument_exception");
  CHECK(root_type("document_parsing_exception") == "document_parsing_exception");
  CHECK(error_object({ErrorKind::invalid_argument, {}, "m", {{"line", "3"}, {"_x", "y"}}}).dump() ==
        R"({"type":"illegal_argument_exception","reason":"m","line":3})");
  CHECK(error_object({ErrorKind::internal, {}, "m", {{"failed_shards:json", "[1]"}}})
            .find("failed_shards")
            ->is_array());
  CHECK(status_of({ErrorKind::timeout, "status_exception", "m", {{"_status", "502"}}}) == 502);
  CHECK(status_of({ErrorKind::storage_full, {}, "m"}) == 507);
  CHECK(status_of({ErrorKind::rate_limited, {}, "m"}) == 429);
  CHECK(status_of({ErrorKind::too_large, {}, "m"}) == 413);
}

TEST_CASE("errors: what the server refuses by itself has the platform's form too") {
  net::Headers sent;
  const Json body = json(render_server_error(431, "the head is too large", "r1", sent));
  CHECK(body.int_or("status") == 431);
  CHECK(body.find_path("error.type")->as_string() == "content_too_long_exception");
  CHECK(sent.find("x-elastic-product") == "Elasticsearch");
  CHECK(json(render_server_error(503, "busy", "r1", sent)).find_path("error.request_id") !=
        nullptr);
  CHECK(json(render_server_error(400, "bad", "r1", sent)).find_path("error.request_id") == nullptr);
}

}  // namespace cairn::api::forms_test
