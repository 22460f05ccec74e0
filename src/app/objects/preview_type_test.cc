// SPDX-License-Identifier: Apache-2.0
#include "app/objects/preview_type.h"

#include <doctest/doctest.h>

#include <string>

namespace cairn::app::preview_type_test {

TEST_CASE("preview: files are known by their first bytes") {
  CHECK(preview_type("\x89PNG\r\n\x1a\n....") == "image/png");
  CHECK(preview_type("\xff\xd8\xff\xe0") == "image/jpeg");
  CHECK(preview_type("RIFF....WEBPVP8 ") == "image/webp");
  CHECK(preview_type("%PDF-1.7") == "application/pdf");
  CHECK(preview_type("words, and \xc3\xa4\n") == "text/plain; charset=utf-8");
  CHECK(preview_type(std::string(1023, 'a') + "\xc3") == "text/plain; charset=utf-8");
}

TEST_CASE("preview: what could run, or is not known, is for saving") {
  for (const char* text : {"<!doctype html><script>", " \n<svg xmlns=", "<?xml version=", "",
                           "\x7f"
                           "ELF",
                           "PK\x03\x04", "\xff\xfe<\x01", "GIF"})
    CHECK_MESSAGE(preview_type(text) != "text/html", text);
  CHECK(preview_type("<!doctype html>").empty());
  CHECK(preview_type("  <svg>").empty());
  CHECK(preview_type("\xef\xbb\xbf<html>") != "text/html");
  CHECK(preview_type(std::string("a\0b", 3)).empty());
  CHECK(preview_type("\xff\xfe\xff\xfe\xff\xfe").empty());
  CHECK(preview_type("").empty());
}

}  // namespace cairn::app::preview_type_test
