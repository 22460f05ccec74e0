// SPDX-License-Identifier: Apache-2.0
// Addresses, filters, types, keys as paths, amounts, progress: what is decided by names and
// numbers.
#include <doctest/doctest.h>

#include "cli/objects/amounts.h"
#include "cli/objects/places/address.h"
#include "cli/objects/places/key_path.h"
#include "cli/objects/places/media_type.h"
#include "cli/objects/places/name_filter.h"
#include "cli/objects/progress.h"
#include "cli/objects/transfer/transfer.h"
#include "os/clock.h"

using namespace cairn;
using namespace cairn::cli;

TEST_CASE("address: buckets, keys, access points, paths, streams") {
  struct Row {
    const char* text;
    const char* bucket;
    const char* key;
  };
  const char* const arn = "arn:aws:s3:eu-west-1:123456789012:accesspoint/mine";
  const std::string outpost =
      "arn:aws:s3-outposts:us-west-2:123456789012:outpost/op-1/accesspoint/mine";
  const std::string with_key = "s3://" + std::string(arn) + "/a/b";
  const std::string outpost_key = "s3://" + outpost + "/k";
  for (const Row& row : {Row{"s3://b", "b", ""}, Row{"s3://b/", "b", ""}, Row{"s3://b/k", "b", "k"},
                         Row{"s3://b//k", "b", "/k"}, Row{"s3://b/a%20b?x#y", "b", "a%20b?x#y"},
                         Row{"s3://b/../x", "b", "../x"}, Row{with_key.c_str(), arn, "a/b"},
                         Row{outpost_key.c_str(), outpost.c_str(), "k"}}) {
    CAPTURE(row.text);
    const auto address = parse_address(row.text);
    REQUIRE(address.ok());
    CHECK(address->is_object());
    CHECK(address->bucket == row.bucket);
    CHECK(address->key == row.key);
  }
  CHECK(parse_address("-")->is_stream());
  CHECK(parse_address("a/b")->path == "a/b");
  CHECK(parse_object_address("b/k")->bucket == "b");
  for (const char* bad : {"s3://", "s3:///k", "", "s3://arn:aws:sns:::topic"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_address(bad).ok());
  }
  CHECK(last_name("a/b") == "b");
  CHECK(as_folder("a") == "a/");
  CHECK(as_folder("").empty());
  CHECK(copy_source_of("b", "a b/ü+?") == "b/a%20b/%C3%BC%2B%3F");
  CHECK(copy_source_of(arn, "k") == std::string(arn) + "/object/k");
}

TEST_CASE("filter: the last rule that matches decides") {
  const NameFilter none;
  CHECK(none.takes("a"));
  const NameFilter only_text({{false, "*"}, {true, "*.txt"}, {false, "secret/*"}});
  CHECK(only_text.takes("a.txt"));
  CHECK(only_text.takes("deep/er/a.txt"));
  CHECK_FALSE(only_text.takes("a.png"));
  CHECK_FALSE(only_text.takes("secret/a.txt"));
}

TEST_CASE("filter: patterns") {
  struct Row {
    const char* pattern;
    const char* name;
    bool matches;
  };
  for (const Row& row :
       {Row{"*", "", true}, Row{"*", "a/b", true}, Row{"a*c", "abbc", true},
        Row{"a*c", "abbd", false}, Row{"*a*b*", "xxaxxb", true}, Row{"?", "a", true},
        Row{"?", "", false}, Row{"?", "ü", true}, Row{"??", "ü", false}, Row{"[a-c]x", "bx", true},
        Row{"[!a-c]x", "bx", false}, Row{"[!a-c]x", "dx", true}, Row{"[]]", "]", true},
        Row{"[ä-ü]", "ö", true}, Row{"[abc", "[abc", true}, Row{"a", "A", false},
        Row{"*.tar.gz", "x.tar.tar.gz", true}, Row{"", "", true}, Row{"", "a", false}}) {
    CAPTURE(row.pattern);
    CAPTURE(row.name);
    CHECK(matches_pattern(row.pattern, row.name) == row.matches);
  }
}

TEST_CASE("keys: what would leave the folder is no path") {
  for (const char* good : {"a", "a/b", "a b/ü", "..a/b..", ".hidden", "a/.../b", "-", "con"}) {
    CAPTURE(good);
    CHECK(why_no_path(good).empty());
  }
  const std::string nul("a\0b", 3);
  const std::string slashes = "a//b";
  for (const std::string& bad :
       {std::string("../../x"), std::string("/etc/passwd"), std::string("a/../b"),
        std::string("a/.."), std::string("./a"), std::string("a/."), std::string("a/"), slashes,
        std::string(), nul, std::string(256, 'x'), std::string("..")}) {
    CAPTURE(bad);
    CHECK_FALSE(why_no_path(bad).empty());
  }
  CHECK(why_no_key("ü").empty());
  CHECK_FALSE(why_no_key("\xff").empty());
  CHECK_FALSE(why_no_key(std::string(1025, 'x')).empty());
}

TEST_CASE("types: guessed by the ending") {
  CHECK(media_type_of("a/b.PNG") == "image/png");
  CHECK(media_type_of("x.tar.gz") == "application/gzip");
  CHECK(media_type_of("7z.7z") == "application/x-7z-compressed");
  CHECK(media_type_of("z.zst") == "application/zstd");
  CHECK(media_type_of("folder.txt/file").empty());
  CHECK(media_type_of("none").empty());
  CHECK(media_type_of("a.unknown").empty());
}

TEST_CASE("amounts: in and out") {
  CHECK(human_bytes(0) == "0 Bytes");
  CHECK(human_bytes(1) == "1 Byte");
  CHECK(human_bytes(1023) == "1023 Bytes");
  CHECK(human_bytes(1536) == "1.5 KiB");
  CHECK(human_bytes((1ull << 20) - 1) == "1.0 MiB");
  CHECK(human_bytes(UINT64_MAX) == "16.0 EiB");
  CHECK(human_seconds(5) == "0:05");
  CHECK(human_seconds(3723) == "1:02:03");
  CHECK(parse_bytes("5242880") == 5242880);
  CHECK(parse_bytes("8MB") == 8u << 20);
  CHECK(parse_bytes("16MiB") == 16u << 20);
  CHECK(parse_bytes("1g") == 1u << 30);
  CHECK(parse_bytes("7b") == 7);
  for (const char* bad : {"", "x", "8Q", "8MiBs", "-1", "99999999999999999999", "99999999999P"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_bytes(bad).has_value());
  }
}

TEST_CASE("progress: bytes, rate, time left, and nothing where nobody looks") {
  os::FakeClock clock;
  Progress bar(ProgressStyle::bar, 80, clock);
  bar.add_expected(100 << 20);
  bar.all_expected();
  CHECK(bar.next().empty());
  CHECK(bar.clear().empty());
  clock.advance_ms(2'000);
  bar.add_bytes(50 << 20);
  CHECK(bar.line() ==
        "[############------------] 50%  50.0 MiB of 100.0 MiB  25.0 MiB/s  0:02 left");
  CHECK(bar.next() == "\r\x1b[K" + bar.line().substr(0, 79));
  CHECK(bar.next().empty());  // not so soon again
  CHECK(bar.clear() == "\r\x1b[K");
  bar.add_bytes(-(60 << 20));
  CHECK(bar.line().find("0 Bytes of 100.0 MiB") != std::string::npos);

  Progress lines(ProgressStyle::lines, 80, clock);
  lines.add_expected(10);
  lines.add_expected(10);
  lines.file_done();
  lines.add_bytes(10);
  clock.advance_ms(9'999);
  CHECK(lines.next().empty());
  clock.advance_ms(1);
  CHECK(lines.next() == "10 Bytes of 20 Bytes+  1 Byte/s  1 of 2+ files\n");
  Progress none(ProgressStyle::none, 80, clock);
  clock.advance_ms(60'000);
  CHECK(none.next().empty());
}
