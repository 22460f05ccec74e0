// SPDX-License-Identifier: Apache-2.0
// DOCX. Source of the names: ECMA-376 part 1, 17 (WordprocessingML).
#include "connectors/extract/office.h"
#include "connectors/extract/readers.h"

namespace cairn::connectors {
namespace {

class WordText final : public XmlVisitor {
 public:
  bool open(const XmlTag& tag) override {
    const std::string_view name = tag.name();
    // Copies of what stands beside them; places of tab stops; text that was moved elsewhere.
    if (name == "Fallback" || name == "tabs" || name == "moveFrom") return false;
    if (name == "t") ++in_text_;
    if (name == "tab") out += '\t';
    if (name == "br" || name == "cr") out += '\n';
    if (name == "noBreakHyphen") out += '-';
    if (name == "p") paragraph_ = out.size();
    if (name == "pStyle") is_title_ = is_title(tag.attribute("val"));
    return true;
  }
  void text(std::string_view text) override {
    if (in_text_ > 0) out += text;
  }
  void close(std::string_view name) override {
    if (name == "t") --in_text_;
    if (name == "tc") out += '\t';
    if (name != "p") return;
    if (is_title_ && title.empty()) title = first_line(std::string_view(out).substr(paragraph_));
    is_title_ = false;
    out += '\n';
  }

  std::string out;
  std::string title;

 private:
  static bool is_title(std::string_view style) { return style == "Title" || style == "Heading1"; }

  int in_text_ = 0;
  bool is_title_ = false;
  std::size_t paragraph_ = 0;  // where the one at hand begins in `out`
};

}  // namespace

Result<ExtractedFile> extract_word(std::string_view bytes, const ExtractOptions& options) {
  CAIRN_TRY(ZipFile zip, ZipFile::open(bytes, options.unpacked_bytes_max));
  if (!zip.has("word/document.xml"))
    return Error{.kind = ErrorKind::invalid_argument, .message = "it has no word/document.xml"};
  WordText text;
  CAIRN_CHECK(walk_member(zip, "word/document.xml", text));
  for (const auto* notes : {"word/footnotes.xml", "word/endnotes.xml", "word/comments.xml"})
    CAIRN_CHECK(walk_member(zip, notes, text));
  for (const auto* edges : {"word/header", "word/footer"})
    for (const auto& name : numbered_members(zip, edges, ".xml"))
      CAIRN_CHECK(walk_member(zip, name, text));
  ExtractedFile out;
  out.body = squeeze(text.out);
  out.title = title_in_properties(zip, "docProps/core.xml");
  if (out.title.empty()) out.title = text.title;
  if (out.title.empty()) out.title = first_line(out.body);
  return out;
}

}  // namespace cairn::connectors
