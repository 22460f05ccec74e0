// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/web/page_url.h"

#include <doctest/doctest.h>

#include <utility>

namespace cairn::connectors::page_url_test {

TEST_CASE("page addresses: references resolve as in RFC 3986, 5.4") {
  constexpr std::pair<std::string_view, std::string_view> examples[] = {
      {"g:h", "g:h"},
      {"g", "http://a/b/c/g"},
      {"./g", "http://a/b/c/g"},
      {"g/", "http://a/b/c/g/"},
      {"/g", "http://a/g"},
      {"//g", "http://g"},
      {"?y", "http://a/b/c/d;p?y"},
      {"g?y", "http://a/b/c/g?y"},
      {"#s", "http://a/b/c/d;p?q#s"},
      {"g#s", "http://a/b/c/g#s"},
      {"g?y#s", "http://a/b/c/g?y#s"},
      {";x", "http://a/b/c/;x"},
      {"g;x", "http://a/b/c/g;x"},
      {"g;x?y#s", "http://a/b/c/g;x?y#s"},
      {"", "http://a/b/c/d;p?q"},
      {".", "http://a/b/c/"},
      {"./", "http://a/b/c/"},
      {"..", "http://a/b/"},
      {"../", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../..", "http://a/"},
      {"../../", "http://a/"},
      {"../../g", "http://a/g"},
      {"../../../g", "http://a/g"},
      {"../../../../g", "http://a/g"},
      {"/./g", "http://a/g"},
      {"/../g", "http://a/g"},
      {"g.", "http://a/b/c/g."},
      {".g", "http://a/b/c/.g"},
      {"g..", "http://a/b/c/g.."},
      {"..g", "http://a/b/c/..g"},
      {"./../g", "http://a/b/g"},
      {"./g/.", "http://a/b/c/g/"},
      {"g/./h", "http://a/b/c/g/h"},
      {"g/../h", "http://a/b/c/h"},
      {"g;x=1/./y", "http://a/b/c/g;x=1/y"},
      {"g;x=1/../y", "http://a/b/c/y"},
      {"g?y/./x", "http://a/b/c/g?y/./x"},
      {"g?y/../x", "http://a/b/c/g?y/../x"},
      {"g#s/./x", "http://a/b/c/g#s/./x"},
      {"g#s/../x", "http://a/b/c/g#s/../x"},
      {"http:g", "http:g"},
  };
  for (const auto& [reference, wanted] : examples) {
    CAPTURE(reference);
    CHECK(resolve_reference("http://a/b/c/d;p?q", reference) == wanted);
  }
  CHECK(resolve_reference("http://a", "g") == "http://a/g");
}

TEST_CASE("page addresses: one spelling for one address") {
  constexpr std::string_view same[] = {
      "http://example.com/a/b?q=~x", "HTTP://Example.COM:80/a/b?q=~x#part",
      "http://example.com:/a/./c/../b?q=%7ex", "http://example.com/%61/b?q=%7Ex"};
  for (const auto text : same) {
    CAPTURE(text);
    CHECK(normal_page_url(text) == std::string(same[0]));
  }
  CHECK(normal_page_url("https://a") == "https://a/");
  CHECK(normal_page_url("https://a:443?x") == "https://a/?x");
  CHECK(normal_page_url("http://a:443") == "http://a:443/");
  CHECK(normal_page_url("http://[::1]:8080/") == "http://[::1]:8080/");
  CHECK(normal_page_url("http://a/%2f%c3%a9/ü b%") == "http://a/%2F%C3%A9/%C3%BC%20b%25");
  for (const auto* text :
       {"", "a", "/a", "mailto:a@b", "ftp://a/", "javascript:x", "http:a", "http://",
        "http://user@a/", "http://a:0/", "http://a:x/", "http://a b/", "http://a:99999/"})
    CHECK_FALSE(normal_page_url(text));
  CHECK_FALSE(normal_page_url("http://a/" + std::string(3000, 'x')));
}

TEST_CASE("page addresses: host and target") {
  CHECK(page_host("http://a:8080/b?c") == "a:8080");
  CHECK(page_host("https://a/") == "a");
  CHECK(page_target("http://a:8080/b?c") == "/b?c");
}

}  // namespace cairn::connectors::page_url_test
