// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <unistd.h>

#include "base/compress.h"
#include "console/files.h"
#include "console/page.h"
#include "os/files/files.h"
#include "os/files/test_folder.h"

namespace cairn::console::console_test {
namespace {

struct Fixture {
  Fixture() {
    auto& files = os::system_files();
    REQUIRE(files.make_directories(folder.path + "/dist/assets").ok());
    REQUIRE(os::replace_file(folder.path + "/secret.txt", "not for browsers", 0644).ok());
    REQUIRE(os::replace_file(folder.path + "/dist/index.html", "<!doctype html>", 0644).ok());
    REQUIRE(os::replace_file(folder.path + "/dist/assets/main-AB12.js", "run();", 0644).ok());
    REQUIRE(os::replace_file(folder.path + "/dist/assets/main.css.gz", gzip("p {}"), 0644).ok());
    REQUIRE(::symlink("../../secret.txt", (folder.path + "/dist/assets/link.js").c_str()) == 0);
    auto opened = files_of_folder(folder.path + "/dist");
    REQUIRE(opened.ok());
    dist = std::move(*opened);
  }
  os::TestFolder folder;
  std::unique_ptr<Files> dist;
};

net::Headers asking(std::string_view name, std::string_view value) {
  net::Headers out;
  out.set(name, value);
  return out;
}

}  // namespace

TEST_CASE("console files: a folder gives its files, and nothing that lies outside") {
  const Fixture fixture;
  REQUIRE(fixture.dist->find("index.html").has_value());
  CHECK(fixture.dist->find("assets/main-AB12.js")->type == "text/javascript; charset=utf-8");
  CHECK(*gunzip(fixture.dist->find("assets/main.css")->gzipped, 1000) == "p {}");
  for (const char* path :
       {"", "/", "assets", "assets/", "../secret.txt", "assets/../index.html",
        "assets/../../secret.txt", "/etc/passwd", "assets/link.js", "assets/.hidden",
        "assets//main-AB12.js", "assets/main-AB12.js/", "assets\\main-AB12.js", "missing.js"})
    CHECK_FALSE_MESSAGE(fixture.dist->find(path).has_value(), path);
  CHECK_FALSE(fixture.dist->find(std::string_view("index.html\0", 11)).has_value());
}

TEST_CASE("console page: compressed for who takes it, plain for others, with a tag of each") {
  const Fixture fixture;
  const Answer packed = answer(*fixture.dist, "assets/main-AB12.js",
                               asking("Accept-Encoding", "gzip, br"), Keeping::forever, "p");
  CHECK(packed.headers.find("Content-Encoding") == "gzip");
  CHECK(*gunzip(packed.body, 1000) == "run();");
  const Answer plain = answer(*fixture.dist, "assets/main-AB12.js", {}, Keeping::forever, "p");
  CHECK_FALSE(plain.headers.has("Content-Encoding"));
  CHECK(plain.body == "run();");
  CHECK(plain.headers.find("ETag") != packed.headers.find("ETag"));
  CHECK(plain.headers.find("Cache-Control") == "public, max-age=31536000, immutable");
}

TEST_CASE("console page: 304 for who has it, 404 for what is not there") {
  const Fixture fixture;
  const auto ask = [&](std::string_view tag) {
    return answer(*fixture.dist, "index.html", asking("If-None-Match", tag), Keeping::never, "p")
        .status;
  };
  const Answer first = answer(*fixture.dist, "index.html", {}, Keeping::never, "p");
  const std::string tag(*first.headers.find("ETag"));
  CHECK(first.headers.find("Cache-Control") == "no-store");
  CHECK(ask(tag) == 304);
  CHECK(ask("\"other\", W/" + tag) == 304);
  CHECK(ask("\"other\"") == 200);
  CHECK(answer(*fixture.dist, "missing.js", {}, Keeping::forever, "p").status == 404);
}

}  // namespace cairn::console::console_test
