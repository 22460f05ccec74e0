// SPDX-License-Identifier: Apache-2.0
// RTF. Source of the words: Rich Text Format specification 1.9.1.
#include <algorithm>
#include <iterator>

#include "base/strings.h"
#include "connectors/extract/office.h"
#include "connectors/extract/readers.h"
#include "text/encoding.h"

namespace cairn::connectors {
namespace {

/// What holds no text of the document.
constexpr std::string_view unread_groups[] = {"fonttbl",
                                              "colortbl",
                                              "stylesheet",
                                              "listtable",
                                              "listoverridetable",
                                              "rsidtbl",
                                              "generator",
                                              "pict",
                                              "object",
                                              "objdata",
                                              "themedata",
                                              "colorschememapping",
                                              "datastore",
                                              "latentstyles",
                                              "xmlnstbl",
                                              "fldinst",
                                              "bkmkstart",
                                              "bkmkend",
                                              "filetbl",
                                              "revtbl",
                                              "userprops",
                                              "mmathPr",
                                              "info",
                                              "nonshppict",
                                              "sp",
                                              "template",
                                              "wgrffmtfilter",
                                              "falt",
                                              "panose",
                                              "listpicture"};

struct Special {
  std::string_view word;
  std::string_view text;
};

constexpr Special specials[] = {
    {"par", "\n"},    {"line", "\n"},     {"sect", "\n"},     {"page", "\n"},     {"row", "\n"},
    {"cell", "\t"},   {"tab", "\t"},      {"emdash", "—"},    {"endash", "–"},    {"bullet", "•"},
    {"lquote", "‘"},  {"rquote", "’"},    {"ldblquote", "“"}, {"rdblquote", "”"}, {"emspace", " "},
    {"enspace", " "}, {"nestcell", "\t"}, {"nestrow", "\n"}};

/// What holds until the group ends.
struct Group {
  bool unread = false;
  bool title = false;
  unsigned substitutes = 1;  // characters after a \u that stand for it
};

class RtfText {
 public:
  explicit RtfText(std::string_view bytes) : rest_(bytes) {}

  Status run() {
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '{') {
        flush();
        CAIRN_CHECK(open());
      } else if (c == '}') {
        flush();
        if (groups_.size() > 1) groups_.pop_back();
        star_ = false;
      } else if (c == '\\') {
        control();
      } else if (c != '\n' && c != '\r') {
        byte(c);
      }
    }
    flush();
    return ok_status();
  }

  std::string out;
  std::string title;

 private:
  Group& group() { return groups_.back(); }

  Status open() {
    constexpr std::size_t depth_max = 10'000;
    if (groups_.size() > depth_max)
      return Error{.kind = ErrorKind::invalid_argument,
                   .message = "its groups are nested deeper than 10000"};
    groups_.push_back(groups_.back());
    star_ = false;
    return ok_status();
  }

  /// A byte in the code page of the document; several may be one character.
  void byte(char c) {
    if (skip_ > 0) return void(--skip_);
    if (!group().unread || group().title) pending_ += c;
  }

  void flush() {
    if (pending_.empty()) return;
    const bool ascii = std::all_of(pending_.begin(), pending_.end(), [](char c) { return c >= 0; });
    if (ascii) {
      (group().title ? title : out) += pending_;
      return pending_.clear();
    }
    auto text = text::from_encoding(pending_, code_page_);
    if (!text) text = text::from_encoding(pending_, "windows-1252");
    pending_.clear();
    if (text) (group().title ? title : out) += *text;
  }

  void append(std::string_view text) {
    flush();
    if (group().title)
      title += text;
    else if (!group().unread)
      out += text;
  }

  void control() {
    if (rest_.empty()) return;
    const char c = rest_.front();
    if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z')) return symbol();
    std::size_t length = 0;
    while (length < rest_.size() && length < 32 &&
           ((rest_[length] | 0x20) >= 'a' && (rest_[length] | 0x20) <= 'z'))
      ++length;
    const std::string_view name = rest_.substr(0, length);
    rest_.remove_prefix(length);
    std::size_t digits = rest_.starts_with('-') ? 1 : 0;
    while (digits < rest_.size() && digits < 11 && rest_[digits] >= '0' && rest_[digits] <= '9')
      ++digits;
    const auto number = parse_number<int>(rest_.substr(0, digits));
    rest_.remove_prefix(number ? digits : 0);
    if (rest_.starts_with(' ')) rest_.remove_prefix(1);
    flush();
    word(name, number.value_or(0));
  }

  void symbol() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    if (c == '\'') return hex();
    if (c == '*') return void(star_ = true);
    if (c == '~') return append(" ");
    if (c == '_') return append("-");
    if (c == '\n' || c == '\r') return append("\n");
    if (c == '\\' || c == '{' || c == '}') byte(c);
  }

  void hex() {
    unsigned value = 0;
    const std::string_view digits = rest_.substr(0, 2);
    for (const char c : digits) {
      const char lower = static_cast<char>(c | 0x20);
      const bool letter = lower >= 'a' && lower <= 'f';
      if (!letter && (c < '0' || c > '9')) return;
      value = value * 16 + static_cast<unsigned>(letter ? lower - 'a' + 10 : c - '0');
    }
    rest_.remove_prefix(digits.size());
    byte(static_cast<char>(value));
  }

  void word(std::string_view name, int number) {
    const bool unread = std::find(std::begin(unread_groups), std::end(unread_groups), name) !=
                        std::end(unread_groups);
    // A group that begins with \* may be passed over by who does not know its word.
    if (unread || (std::exchange(star_, false) && name != "shptxt" && name != "fldrslt"))
      group().unread = true;
    if (name == "title") group().title = true;
    if (name == "ansicpg") code_page_ = "windows-" + std::to_string(number);
    if (name == "mac") code_page_ = "macintosh";
    if (name == "pc") code_page_ = "IBM437";
    if (name == "uc") group().substitutes = static_cast<unsigned>(std::clamp(number, 0, 16));
    if (name == "u") return code_point(number);
    if (name == "bin") {
      rest_.remove_prefix(std::min(rest_.size(), static_cast<std::size_t>(std::max(number, 0))));
      return;
    }
    for (const Special& special : specials)
      if (special.word == name) return append(special.text);
  }

  void code_point(int number) {
    const auto unit = static_cast<char32_t>(static_cast<std::uint16_t>(number));
    skip_ = group().substitutes;
    if (unit >= 0xD800 && unit < 0xDC00) return void(high_ = unit);
    char32_t point = unit;
    if (unit >= 0xDC00 && unit < 0xE000) {
      if (high_ == 0) return;
      point = 0x10000 + ((high_ - 0xD800) << 10) + (unit - 0xDC00);
    }
    high_ = 0;
    std::string text;
    append_utf8(text, point);
    append(text);
  }

  std::string_view rest_;
  std::vector<Group> groups_ = std::vector<Group>(1);
  std::string pending_;  // in the code page
  std::string code_page_ = "windows-1252";
  bool star_ = false;
  unsigned skip_ = 0;
  char32_t high_ = 0;  // the first half of a surrogate pair
};

}  // namespace

Result<ExtractedFile> extract_rtf(std::string_view bytes) {
  if (!bytes.starts_with("{\\rtf"))
    return Error{.kind = ErrorKind::invalid_argument, .message = "it does not begin as RTF does"};
  RtfText text(bytes);
  CAIRN_CHECK(text.run());
  ExtractedFile out;
  out.body = squeeze(text.out);
  out.title = first_line(squeeze(text.title));
  if (out.title.empty()) out.title = first_line(out.body);
  return out;
}

}  // namespace cairn::connectors
