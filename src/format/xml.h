// SPDX-License-Identifier: Apache-2.0
// XML in (pugixml, no DTD, bounded) and out (an escaping writer).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cairn {

/// An element: its name without prefix, its text, its attributes and children in order.
struct XmlElement {
  std::string name;
  std::string text;  // all character data directly inside, joined
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<XmlElement> children;

  const XmlElement* child(std::string_view child_name) const;   // the first, or null
  std::string_view text_of(std::string_view child_name) const;  // empty where there is none
};

struct XmlLimits {
  std::size_t bytes = 8u << 20;
  std::size_t depth = 32;
  std::size_t elements = 200'000;
};

/// The root element. Errors: invalid_argument, code MalformedXML: not well-formed, a DTD, or over
/// a limit.
Result<XmlElement> parse_xml(std::string_view text, XmlLimits limits = {});

/// Appends XML. `open`/`close` pair up; `text_element` is one element with escaped text.
class XmlWriter {
 public:
  explicit XmlWriter(std::string& out) : out_(out) {}
  XmlWriter& declaration();
  XmlWriter& open(std::string_view name, std::string_view raw_attributes = {});
  XmlWriter& close(std::string_view name);
  XmlWriter& text_element(std::string_view name, std::string_view text);
  /// What is XML already.
  XmlWriter& raw(std::string_view xml);

 private:
  std::string& out_;
};

void append_xml_escaped(std::string& out, std::string_view text);

}  // namespace cairn
