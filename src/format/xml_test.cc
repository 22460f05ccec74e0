// SPDX-License-Identifier: Apache-2.0
// Tests of xml.h.
#include "format/xml.h"

#include <doctest/doctest.h>

#include <random>

using namespace cairn;

TEST_CASE("xml: names lose their prefix, texts are joined, order is kept") {
  const auto root = parse_xml(
      "\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- a -- b is not here -->"
      "<!-- x --><s3:Delete xmlns:s3=\"http://x/\" a='1 &lt; 2'>\n"
      "<Object><Key>a&amp;b &#x20AC;&#65; <![CDATA[<raw> & ]]>c</Key><VersionId/></Object>"
      "<Object><Key> spaced </Key></Object><Quiet >true</Quiet ></s3:Delete>\n<!-- end -->");
  REQUIRE(!root.ok());  // '--' inside a comment
  const auto good = parse_xml(
      "\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- a -->"
      "<s3:Delete xmlns:s3=\"http://x/\" a='1 &lt; 2'>\n"
      "<Object><Key>a&amp;b &#x20AC;&#65; <![CDATA[<raw> & ]]>c</Key><VersionId/></Object>"
      "<Object><Key> spaced </Key></Object><Quiet >true</Quiet ></s3:Delete>\n<!-- end -->");
  REQUIRE(good.ok());
  CHECK(good->name == "Delete");
  REQUIRE(good->attributes.size() == 2);
  CHECK(good->attributes[1].second == "1 < 2");
  REQUIRE(good->children.size() == 3);
  CHECK(good->children[0].text_of("Key") ==
        "a&b \xE2\x82\xAC"
        "A <raw> & c");
  CHECK(good->children[0].child("VersionId") != nullptr);
  CHECK(good->children[0].text_of("VersionId").empty());
  CHECK(good->children[1].text_of("Key") == " spaced ");
  CHECK(good->text_of("Quiet") == "true");
  CHECK(good->child("quiet") == nullptr);
  CHECK(good->text_of("Nothing").empty());
}

TEST_CASE("xml: document types are refused, so nothing can be expanded") {
  const char* const bombs[] = {
      "<!DOCTYPE lolz [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;\">]><x>&b;</x>",
      "<!DOCTYPE x SYSTEM \"file:///etc/passwd\"><x/>",
      "<?xml version=\"1.0\"?><!DOCTYPE x [<!ENTITY f SYSTEM \"http://localhost/\">]><x>&f;</x>",
      "<x><!DOCTYPE y></x>",
      "<!doctype x><x/>",
      "<x>&b;</x>",
      "<x a=\"&b;\"/>"};
  for (const std::string text : bombs) {
    INFO(text);
    const auto result = parse_xml(text);
    REQUIRE(!result.ok());
    CHECK(result.error().kind == ErrorKind::invalid_argument);
    CHECK(result.error().code == "MalformedXML");
  }
}

TEST_CASE("xml: what is not well-formed is refused") {
  const std::string_view bad[] = {"",
                                  " ",
                                  "text",
                                  "<a>",
                                  "</a>",
                                  "<a></b>",
                                  "<a><b></a></b>",
                                  "<a/><b/>",
                                  "<a/>text",
                                  "text<a/>",
                                  "<a",
                                  "<a b>",
                                  "<a b=c/>",
                                  "<a b=\"c/>",
                                  "<a b=\"1\" b=\"2\"/>",
                                  "<a b=\"<\"/>",
                                  "<a b=\"1\"c=\"2\"/>",
                                  "<1a/>",
                                  "< a/>",
                                  "<a>&</a>",
                                  "<a>&amp</a>",
                                  "<a>&#;</a>",
                                  "<a>&#x;</a>",
                                  "<a>&#0;</a>",
                                  "<a>&#xD800;</a>",
                                  "<a>&#x110000;</a>",
                                  "<a>&nbsp;</a>",
                                  "<a>]]></a>",
                                  "<a><![CDATA[</a>",
                                  "<!-- <a/>",
                                  "<a><!-- -- --></a>",
                                  "<?x",
                                  "<a>\x01</a>",
                                  "<a>\xFF</a>",
                                  "<a></a",
                                  "<a></ a>",
                                  "<![CDATA[x]]><a/>",
                                  "<a/><![CDATA[x]]>",
                                  "<a><!ELEMENT b></a>",
                                  "\xFE\xFF\0<\0a\0/\0>"};
  for (const std::string_view text : bad) {
    INFO(text);
    CHECK(!parse_xml(text).ok());
  }
  CHECK(!parse_xml(std::string_view("<a>\0</a>", 8)).ok());
}

TEST_CASE("xml: limits on bytes, depth and elements") {
  const auto nested = [](std::size_t depth) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += "<a>";
    for (std::size_t i = 0; i < depth; ++i) text += "</a>";
    return text;
  };
  CHECK(parse_xml(nested(32)).ok());
  CHECK(!parse_xml(nested(33)).ok());
  CHECK(!parse_xml(nested(500'000)).ok());
  std::string wide = "<r>";
  for (int i = 0; i < 99; ++i) wide += "<a/>";
  wide += "</r>";
  CHECK(parse_xml(wide, {.elements = 100}).ok());
  CHECK(!parse_xml(wide, {.elements = 99}).ok());
  CHECK(parse_xml(wide, {.bytes = wide.size()}).ok());
  CHECK(!parse_xml(wide, {.bytes = wide.size() - 1}).ok());
  std::string attributes = "<a";
  for (int i = 0; i < 100'000; ++i) attributes += " b" + std::to_string(i) + "=\"\"";
  CHECK(!parse_xml(attributes + "/>").ok());
}

TEST_CASE("xml writer: what it writes is read back") {
  std::string out;
  XmlWriter writer(out);
  writer.declaration().open("ListBucketResult", "xmlns=\"http://s3/\"");
  writer.text_element("Key", "a<b>&\"c'\r\n\x01\xFF").open("Empty").close("Empty");
  writer.close("ListBucketResult");
  CHECK(out ==
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult xmlns=\"http://s3/\">"
        "<Key>a&lt;b&gt;&amp;&quot;c'&#xD;\n&#x1;\xEF\xBF\xBD</Key><Empty></Empty>"
        "</ListBucketResult>");
  const auto root = parse_xml(out);
  REQUIRE(root.ok());
  CHECK(root->text_of("Key") == "a<b>&\"c'\r\n\x01\xEF\xBF\xBD");
}

TEST_CASE("xml: random texts come back, random damage never crashes") {
  const unsigned seed = std::random_device{}();
  INFO("seed ", seed);
  std::mt19937 random(seed);
  constexpr std::string_view alphabet = "<>/=\"'&;#x![]-? ab\n\xC3\xA4";
  for (int i = 0; i < 5000; ++i) {
    std::string text;
    for (auto n = random() % 20; n > 0; --n) {
      constexpr const char* pieces[] = {"<",   ">",  "&",  "a",  "\xC3\xA4",
                                        "]]>", "\r", "\n", "\"", "'"};
      text += pieces[random() % std::size(pieces)];
    }
    std::string out;
    XmlWriter(out).open("r").text_element("t", text).close("r");
    const auto root = parse_xml(out);
    INFO(out);
    REQUIRE(root.ok());
    REQUIRE(root->text_of("t") == text);
    for (auto n = random() % 3 + 1; n > 0; --n) {
      out[random() % out.size()] = alphabet[random() % alphabet.size()];
    }
    (void)parse_xml(out);
  }
}
