// SPDX-License-Identifier: Apache-2.0
#include "lfs/batch.h"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "lfs/options.h"
#include "lfs/repository.h"
#include "s3/errors.h"

namespace cairn::lfs::batch_test {
namespace {

int status_of(const Error& error) {
  for (const auto& [name, value] : error.details)
    if (name == "_status") return std::stoi(value);
  return s3::status_of(error);
}

}  // namespace

TEST_CASE("lfs: bodies that are not what the protocol says are refused by name") {
  const auto message = [](const std::string& text) {
    const auto got = read_batch(text, 100);
    REQUIRE_FALSE(got.ok());
    CHECK(status_of(got.error()) == 422);
    return got.error().message;
  };
  CHECK(message("") == "the request has no body");
  CHECK(message("{").starts_with("the body is no JSON: "));
  CHECK(message("[]") == "the body must be a JSON object");
  CHECK(message("{}") == "[operation] must be download or upload");
  CHECK(message(R"({"operation":"copy"})") == "[operation] must be download or upload");
  CHECK(message(R"({"operation":1})") == "[operation] must be download or upload");
  CHECK(message(R"({"operation":"upload"})") == "[objects] must be an array");
  CHECK(message(R"({"operation":"upload","objects":{}})") == "[objects] must be an array");
  CHECK(message(R"({"operation":"upload","objects":[1]})") == "[objects.0] must be an object");
  CHECK(message(R"({"operation":"upload","objects":[{"size":1}]})") ==
        "[objects.0.oid] must be a string");
  for (const auto* size : {"-1", "1.5", "\"1\"", "null", "18446744073709551616"})
    CHECK(message(std::string(R"({"operation":"upload","objects":[{"oid":"x","size":)") + size +
                  "}]}") == "[objects.0.size] must be a whole number of bytes from 0");
  CHECK(message(R"({"operation":"upload","transfers":["tus"],"objects":[]})")
            .starts_with("[transfers] must name basic"));
  CHECK(message(R"({"operation":"upload","transfers":"basic","objects":[]})") ==
        "[transfers] must be an array of names");
  CHECK(message(R"({"operation":"upload","hash_algo":1,"objects":[]})") ==
        "[hash_algo] must be a string");
}

TEST_CASE("lfs: what is optional may be absent, null or new") {
  for (const auto* text :
       {R"({"operation":"download","objects":[]})",
        R"({"operation":"download","transfers":null,"ref":null,"hash_algo":null,"objects":[]})",
        R"({"operation":"download","transfers":[],"objects":[]})",
        R"({"operation":"download","transfers":["lfs-standalone-file","basic","ssh"],
            "ref":{"name":"refs/heads/main"},"hash_algo":"sha256","new":[1],"objects":[]})"}) {
    const auto got = read_batch(text, 100);
    REQUIRE_MESSAGE(got.ok(), text);
    CHECK(got->hash_algo == "sha256");
    CHECK(got->objects.empty());
  }
}

TEST_CASE("lfs: names of repositories, with and without .git") {
  CHECK(Repository::parse("acme", "models.git")->key("x") == "acme/models/x");
  CHECK(Repository::parse("acme", "models")->resource() == "lfs/acme/models");
  CHECK(Repository::parse("A-1_b.c", "x.git.git")->path() == "A-1_b.c/x.git");
  const std::string longest(100, 'a');
  CHECK(Repository::parse(longest, longest + ".git").ok());
  for (const auto& [owner, name] :
       std::vector<std::pair<std::string, std::string>>{{"acme", ".git"},
                                                        {"acme", ""},
                                                        {"", "models"},
                                                        {"..", "models"},
                                                        {"acme", ".."},
                                                        {"acme", "a/b"},
                                                        {"acme", "a*"},
                                                        {"_all", "models"},
                                                        {"ümlaut", "models"},
                                                        {"acme", longest + "a"}}) {
    const auto refused = Repository::parse(owner, name);
    REQUIRE_MESSAGE(!refused.ok(), owner << "/" << name);
    CHECK(refused.error().kind == ErrorKind::not_found);
  }
}

TEST_CASE("lfs: options that cannot work are refused") {
  CHECK(Options{}.validate().ok());
  CHECK(Options{.public_url = "https://a/b", .objects_public_url = "http://c:1"}.validate().ok());
  CHECK_FALSE(Options{.public_url = "cairn.example"}.validate().ok());
  CHECK_FALSE(Options{.objects_public_url = "https://a/?x"}.validate().ok());
  CHECK_FALSE(Options{.batch_objects_max = 0}.validate().ok());
  CHECK_FALSE(Options{.url_lifetime_ms = 59'999}.validate().ok());
  CHECK_FALSE(Options{.url_lifetime_ms = 8ll * 86'400'000}.validate().ok());
  CHECK_FALSE(Options{.object_bytes_max = (5ull << 30) + 1}.validate().ok());
}

}  // namespace cairn::lfs::batch_test
