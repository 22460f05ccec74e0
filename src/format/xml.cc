// SPDX-License-Identifier: Apache-2.0
// XML out, and the look-ups of an element. Reading is in xml_parse.cc.
#include "format/xml.h"

#include <array>

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

XmlWriter& XmlWriter::raw(std::string_view xml) {
  out_ += xml;
  return *this;
}

XmlWriter& XmlWriter::text_element(std::string_view name, std::string_view text) {
  open(name);
  append_xml_escaped(out_, text);
  return close(name);
}

namespace {

/// Bytes that stand for themselves.
constexpr auto plain_bytes = [] {
  std::array<bool, 256> plain{};
  for (std::size_t byte = 0x20; byte < 0x80; ++byte) plain[byte] = true;
  for (const char c : {'&', '<', '>', '"'}) plain[static_cast<std::size_t>(c)] = false;
  plain['\n'] = plain['\t'] = true;
  return plain;
}();

void append_special(std::string& out, char c) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
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
    default:
      out += "&#x";
      if (byte >= 16) out += digits[byte >> 4];
      out += digits[byte & 15];
      out += ';';
  }
}

}  // namespace

// Characters that XML 1.0 cannot hold are written as references to them all the same, as S3 does:
// a listing must show every key, and readers of listings expect it.
void append_xml_escaped(std::string& out, std::string_view text) {
  constexpr std::size_t character_bytes_max = 4;
  while (!text.empty()) {
    std::size_t run = 0;
    while (run < text.size() && plain_bytes[static_cast<unsigned char>(text[run])]) ++run;
    out.append(text.data(), run);
    text.remove_prefix(run);
    if (text.empty()) return;
    std::size_t taken = 1;
    if (static_cast<unsigned char>(text.front()) < 0x80) {
      append_special(out, text.front());
    } else {
      const std::string_view next = text.substr(0, character_bytes_max);
      const std::size_t good = valid_utf8_prefix(next);
      if (good == 0) {
        out += "\xEF\xBF\xBD";
      } else {
        taken = 1;
        while (taken < good && static_cast<unsigned char>(next[taken]) >= 0x80) ++taken;
        out.append(next.data(), taken);
      }
    }
    text.remove_prefix(taken);
  }
}

}  // namespace cairn
