// SPDX-License-Identifier: Apache-2.0
#include "format/xml_walk.h"

#include <doctest/doctest.h>

namespace cairn::format::xml_walk_test {

namespace {

struct Trace final : XmlVisitor {
  bool open(const XmlTag& tag) override {
    seen += "<" + std::string(tag.name());
    if (!tag.attribute("id").empty()) seen += "#" + std::string(tag.attribute("id"));
    seen += ">";
    return tag.name() != "closed";
  }
  void text(std::string_view text) override { seen += text; }
  void close(std::string_view name) override { seen += "</" + std::string(name) + ">"; }
  std::string seen;
};

std::string traced(std::string text) {
  Trace trace;
  const Status status = walk_xml(std::move(text), trace);
  return status.ok() ? trace.seen : "malformed";
}

}  // namespace

TEST_CASE("walking XML: elements and text in their order, without prefixes") {
  CHECK(traced("<?xml version='1.0'?><!-- a --><w:a>one <b w:id='7'/>two<closed><c/>x</closed>"
               "<![CDATA[<3]]> &amp; &#233;</w:a>") ==
        "<a>one <b#7></b>two<closed></closed><3 & é</a>");
  CHECK(traced("<a> <b> </b> </a>") == "<a> <b> </b> </a>");
}

TEST_CASE("walking XML: entities that a document defines do not grow") {
  CHECK(traced("<!DOCTYPE a [<!ENTITY x 'xxxx'><!ENTITY y '&x;&x;'>]><a>&y;</a>") == "<a>&y;</a>");
}

TEST_CASE("walking XML: UTF-16 is read; what is cut off is malformed") {
  const std::string utf16("\xff\xfe<\0a\0>\0\xe9\0<\0/\0a\0>\0", 18);
  CHECK(traced(utf16) == "<a>é</a>");
  for (const char* text : {"", "<a>", "<a><b></a>", "<a", "plain"}) {
    CAPTURE(text);
    CHECK(traced(text) == "malformed");
  }
}

TEST_CASE("walking XML: a million elements within each other need no stack") {
  std::string text, end;
  for (int i = 0; i < 1'000'000; ++i) text += "<a>", end += "</a>";
  Trace trace;
  CHECK(walk_xml(text + "x" + end, trace).ok());
  CHECK(trace.seen.size() == text.size() + end.size() + 1);
}

}  // namespace cairn::format::xml_walk_test
