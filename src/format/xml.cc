// SPDX-License-Identifier: Apache-2.0
// XML out, and the look-ups of an element. Reading is in xml_parse.cc.
#include "format/xml.h"

#include "base/strings.h"

namespace cairn {

const XmlElement* XmlElement::child(std::string_view child_name) const {
  for (const XmlElement& c : children) {
    if (c.name == child_name) return &c;
  }
  return nullptr;
}

std::string_view XmlElement::text_of(std::string_view child_name) const {
  const XmlElement* c = child(child_name);
  return c == nullptr ? std::string_view() : c->text;
}

XmlWriter& XmlWriter::declaration() {
  out_ += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  return *this;
}

XmlWriter& XmlWriter::open(std::string_view name, std::string_view raw_attributes) {
  (out_ += '<') += name;
  if (!raw_attributes.empty()) (out_ += ' ') += raw_attributes;
  out_ += '>';
  return *this;
}

XmlWriter& XmlWriter::close(std::string_view name) {
  ((out_ += "</") += name) += '>';
  return *this;
}

XmlWriter& XmlWriter::text_element(std::string_view name, std::string_view text) {
  open(name);
  append_xml_escaped(out_, text);
  return close(name);
}

// Characters that XML 1.0 cannot hold are written as references to them all the same, as S3 does:
// a listing must show every key, and readers of listings expect it.
void append_xml_escaped(std::string& out, std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  while (!text.empty()) {
    const std::size_t good = valid_utf8_prefix(text);
    for (const char c : text.substr(0, good)) {
      switch (c) {
        case '&':
          out += "&amp;";
          break;
        case '<':
          out += "&lt;";
          break;
        case '>':
          out += "&gt;";
          break;
        case '"':
          out += "&quot;";
          break;
        default: {
          const auto byte = static_cast<unsigned char>(c);
          if (byte >= 0x20 || c == '\n' || c == '\t') {
            out += c;
          } else {
            out += "&#x";
            if (byte >= 16) out += digits[byte >> 4];
            out += digits[byte & 15];
            out += ';';
          }
        }
      }
    }
    if (good == text.size()) break;
    out += "\xEF\xBF\xBD";
    text.remove_prefix(good + 1);
  }
}

}  // namespace cairn
