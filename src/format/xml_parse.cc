// SPDX-License-Identifier: Apache-2.0
// XML in. A walk over the markup refuses what pugixml would let through (document types, unknown
// entities, bad names and characters) and what is over the limits; then pugixml builds the tree.
#include <fmt/core.h>

#include <pugixml.hpp>

#include "base/strings.h"
#include "format/xml.h"

namespace cairn {
namespace {

Error malformed(std::string_view why) {
  return {.kind = ErrorKind::invalid_argument,
          .code = "MalformedXML",
          .message =
              "The XML you provided was not well-formed or did not validate against our "
              "published schema: " +
              std::string(why)};
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool in_name(char c) { return starts_name(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; }

class Walk {
 public:
  Walk(std::string_view text, const XmlLimits& limits) : rest_(text), limits_(limits) {}

  Status check() {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
    while (!rest_.empty()) {
      const std::size_t markup = std::min(rest_.find('<'), rest_.size());
      CAIRN_CHECK(check_text(rest_.substr(0, markup)));
      rest_.remove_prefix(markup);
      if (!rest_.empty()) CAIRN_CHECK(check_markup());
    }
    if (!open_.empty()) return malformed(fmt::format("element '{}' is not closed", open_.back()));
    if (!had_root_) return malformed("there is no root element");
    return ok_status();
  }

 private:
  Status check_text(std::string_view text) {
    if (open_.empty() && !trim(text).empty()) return malformed("text outside the root element");
    if (text.find("]]>") != std::string_view::npos) return malformed("']]>' in text");
    return check_references(text);
  }

  Status check_markup() {
    if (rest_.starts_with("<!--")) return check_comment();
    if (rest_.starts_with("<![CDATA[")) {
      if (open_.empty()) return malformed("text outside the root element");
      return skip_past(9, "]]>", "a CDATA section is not closed");
    }
    if (rest_.starts_with("<!")) return malformed("document types are not allowed");
    if (rest_.starts_with("<?"))
      return skip_past(2, "?>", "a processing instruction is not closed");
    if (rest_.starts_with("</")) return check_end();
    return check_start();
  }

  Status skip_past(std::size_t from, std::string_view end, std::string_view complaint) {
    const std::size_t at = rest_.find(end, from);
    if (at == std::string_view::npos) return malformed(complaint);
    rest_.remove_prefix(at + end.size());
    return ok_status();
  }

  Status check_comment() {
    const std::size_t dashes = rest_.find("--", 4);
    if (dashes == std::string_view::npos) return malformed("a comment is not closed");
    if (rest_.substr(dashes + 2, 1) != ">") return malformed("'--' in a comment");
    rest_.remove_prefix(dashes + 3);
    return ok_status();
  }

  Status check_end() {
    rest_.remove_prefix(2);
    CAIRN_TRY(const std::string_view name, take_name());
    skip_space();
    if (!rest_.starts_with('>')) return malformed("an end tag is not closed");
    rest_.remove_prefix(1);
    if (open_.empty() || open_.back() != name) {
      return malformed(fmt::format("end tag '{}' has no start tag of its own", name));
    }
    open_.pop_back();
    return ok_status();
  }

  Status check_start() {
    rest_.remove_prefix(1);
    CAIRN_TRY(const std::string_view name, take_name());
    if (open_.empty() && had_root_) return malformed("there is more than one root element");
    had_root_ = true;
    if (++elements_ > limits_.elements) {
      return malformed(fmt::format("there are more than {} elements", limits_.elements));
    }
    if (open_.size() >= limits_.depth) {
      return malformed(fmt::format("elements are nested deeper than {}", limits_.depth));
    }
    std::vector<std::string_view> seen;
    for (;;) {
      const bool spaced = skip_space();
      if (rest_.starts_with("/>")) {
        rest_.remove_prefix(2);
        return ok_status();
      }
      if (rest_.starts_with('>')) {
        rest_.remove_prefix(1);
        open_.push_back(name);
        return ok_status();
      }
      if (!spaced) return malformed(fmt::format("the start tag of '{}' is not closed", name));
      CAIRN_CHECK(check_attribute(seen));
    }
  }

  Status check_attribute(std::vector<std::string_view>& seen) {
    constexpr std::size_t most = 64;
    CAIRN_TRY(const std::string_view name, take_name());
    for (const std::string_view earlier : seen) {
      if (earlier == name) return malformed(fmt::format("attribute '{}' is repeated", name));
    }
    seen.push_back(name);
    if (seen.size() > most) return malformed("an element has too many attributes");
    skip_space();
    if (!rest_.starts_with('=')) return malformed(fmt::format("attribute '{}' has no value", name));
    rest_.remove_prefix(1);
    skip_space();
    if (rest_.empty() || (rest_[0] != '"' && rest_[0] != '\'')) {
      return malformed(fmt::format("the value of attribute '{}' is not quoted", name));
    }
    const std::size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) {
      return malformed(fmt::format("the value of attribute '{}' is not closed", name));
    }
    const std::string_view value = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    if (value.find('<') != std::string_view::npos) return malformed("'<' in an attribute");
    return check_references(value);
  }

  // Every & must begin one of the five names of XML or a character's number.
  static Status check_references(std::string_view text) {
    for (std::size_t at = 0; (at = text.find('&', at)) != std::string_view::npos; ++at) {
      const std::string_view rest = text.substr(at + 1, 10);
      const std::string_view name = rest.substr(0, rest.find(';'));
      if (name.size() == rest.size()) return malformed("'&' does not begin a reference");
      const bool known = name == "amp" || name == "lt" || name == "gt" || name == "quot" ||
                         name == "apos" || is_character_number(name);
      if (!known) return malformed(fmt::format("entity '&{};' is not known", name));
    }
    return ok_status();
  }

  static bool is_character_number(std::string_view name) {
    if (!name.starts_with('#')) return false;
    const bool hex = name.starts_with("#x");
    name.remove_prefix(hex ? 2 : 1);
    std::uint32_t v = 0;
    const auto [end, fault] =
        std::from_chars(name.data(), name.data() + name.size(), v, hex ? 16 : 10);
    return fault == std::errc{} && end == name.data() + name.size() && v > 0 && v <= 0x10FFFF &&
           !(v >= 0xD800 && v <= 0xDFFF);
  }

  bool skip_space() {
    const std::size_t before = rest_.size();
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    return rest_.size() < before;
  }

  Result<std::string_view> take_name() {
    std::size_t length = 0;
    while (length < rest_.size() && in_name(rest_[length])) ++length;
    if (length == 0 || !starts_name(rest_[0])) return malformed("a name was expected after '<'");
    const std::string_view name = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return name;
  }

  std::string_view rest_;
  const XmlLimits& limits_;
  std::vector<std::string_view> open_;
  std::size_t elements_ = 0;
  bool had_root_ = false;
};

std::string without_prefix(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  return std::string(colon == std::string_view::npos ? name : name.substr(colon + 1));
}

// Depth is bounded by the walk.
void convert(const pugi::xml_node& from, XmlElement& to) {
  to.name = without_prefix(from.name());
  for (const pugi::xml_attribute& a : from.attributes())
    to.attributes.emplace_back(a.name(), a.value());
  for (const pugi::xml_node& node : from.children()) {
    if (node.type() == pugi::node_element) {
      convert(node, to.children.emplace_back());
    } else if (node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata) {
      to.text += node.value();
    }
  }
}

}  // namespace

Result<XmlElement> parse_xml(std::string_view text, XmlLimits limits) {
  if (text.size() > limits.bytes) {
    return malformed(fmt::format("the text is longer than {} bytes", limits.bytes));
  }
  if (!is_utf8(text)) return malformed("the text is not UTF-8");
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 && !is_space(c)) {
      return malformed("a control character is not allowed");
    }
  }
  CAIRN_CHECK(Walk(text, limits).check());
  pugi::xml_document document;
  const unsigned flags = pugi::parse_cdata | pugi::parse_escapes | pugi::parse_eol |
                         pugi::parse_wconv_attribute | pugi::parse_ws_pcdata;
  const pugi::xml_parse_result parsed =
      document.load_buffer(text.data(), text.size(), flags, pugi::encoding_utf8);
  if (!parsed) return malformed(parsed.description());
  XmlElement root;
  convert(document.document_element(), root);
  return root;
}

}  // namespace cairn
