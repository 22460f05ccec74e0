// SPDX-License-Identifier: Apache-2.0
// PPTX. Source of the names: ECMA-376 part 1, 19 (PresentationML) and 21 (DrawingML).
#include "connectors/extract/office.h"
#include "connectors/extract/readers.h"

namespace cairn::connectors {
namespace {

class SlideText final : public XmlVisitor {
 public:
  bool open(const XmlTag& tag) override {
    if (tag.name() == "Fallback") return false;
    if (tag.name() == "t") ++in_text_;
    if (tag.name() == "br") out += '\n';
    return true;
  }
  void text(std::string_view text) override {
    if (in_text_ > 0) out += text;
  }
  void close(std::string_view name) override {
    if (name == "t") --in_text_;
    if (name == "p") out += '\n';
  }
  std::string out;

 private:
  int in_text_ = 0;
};

}  // namespace

Result<ExtractedFile> extract_slides(std::string_view bytes, const ExtractOptions& options) {
  CAIRN_TRY(ZipFile zip, ZipFile::open(bytes, options.unpacked_bytes_max));
  const auto slides = numbered_members(zip, "ppt/slides/slide", ".xml");
  if (slides.empty() && !zip.has("ppt/presentation.xml"))
    return Error{.kind = ErrorKind::invalid_argument, .message = "it has no ppt/presentation.xml"};
  SlideText text;
  for (const auto& name : slides) {
    CAIRN_CHECK(walk_member(zip, name, text));
    text.out += '\n';
  }
  for (const auto* more :
       {"ppt/notesSlides/notesSlide", "ppt/diagrams/data", "ppt/comments/comment"})
    for (const auto& name : numbered_members(zip, more, ".xml"))
      CAIRN_CHECK(walk_member(zip, name, text));
  ExtractedFile out;
  out.body = squeeze(text.out);
  out.title = first_line(out.body);
  if (out.title.empty()) out.title = title_in_properties(zip, "docProps/core.xml");
  return out;
}

}  // namespace cairn::connectors
