// SPDX-License-Identifier: Apache-2.0
#include "cli/search/printable.h"

#include <doctest/doctest.h>

#include "cli/search/search_request.h"

namespace cairn::cli::printable_test {

TEST_CASE("printable: one line without control characters, whatever a document holds") {
  CHECK(on_one_line("  a\n\tb \r\n c ") == "a b c");
  CHECK(on_one_line("red\x1b[31m") == "red [31m");
  CHECK(on_one_line("c1 \xc2\x9b"
                    "31m \x7f.") == "c1 31m .");
  CHECK(on_one_line("gr\xc3\xbc\xc3\x9f"
                    "e \xe2\x82\xac \xf0\x9f\x98\x80") ==
        "gr\xc3\xbc\xc3\x9f"
        "e \xe2\x82\xac \xf0\x9f\x98\x80");
  CHECK(on_one_line("\xff"
                    "a\xc3") ==
        "\xef\xbf\xbd"
        "a\xef\xbf\xbd");
  CHECK(on_one_line("a\n\x02"
                    "b\x03\nc") ==
        "a \x02"
        "b\x03 c");
}

TEST_CASE("printable: a cut is between words, and ends a mark") {
  CHECK(cut_to("one two three", 20) == "one two three");
  CHECK(cut_to("one two three", 9) == "one two\xe2\x80\xa6");
  CHECK(cut_to("onetwothree", 4) == "onet\xe2\x80\xa6");
  CHECK(cut_to("\xc3\xa4\xc3\xb6\xc3\xbc", 3) == "\xc3\xa4\xc3\xb6\xc3\xbc");
  CHECK(cut_to("one \x02two three\x03", 9) == "one \x02two\x03\xe2\x80\xa6");
  CHECK(with_marks("a \x02"
                   "b\x03",
                   "<", ">") == "a <b>");
}

TEST_CASE(
    "search: what cairn add makes is asked as measures best, anything else by all of its texts") {
  const Json usual = *parse_json(
      R"({"books":{"mappings":{"properties":{"title":{"type":"text"},"body":{"type":"text"},
          "meaning":{"type":"semantic_text"}}}}})");
  const Json request = hybrid_request("free memory", usual, 3);
  CHECK(request.find_path("retriever.linear")->dump() ==
        R"({"normalizer":"minmax","rank_window_size":100,"retrievers":[)"
        R"({"retriever":{"standard":{"query":{"multi_match":{"query":"free memory",)"
        R"("fields":["title","body"]}}}}},)"
        R"({"retriever":{"standard":{"query":{"semantic":{"field":"meaning",)"
        R"("query":"free memory"}}}}}]})");
  const Json other =
      *parse_json(R"({"logs":{"mappings":{"properties":{"message":{"type":"text"}}}}})");
  CHECK(hybrid_request("free memory", other, 3).find_path("retriever.linear")->dump() ==
        R"({"query":"free memory","rank_window_size":100})");
  CHECK(index_path({"a b", "c*"}, "/_search") == "/a%20b,c*/_search");
}

}  // namespace cairn::cli::printable_test
