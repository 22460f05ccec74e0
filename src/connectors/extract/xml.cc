// SPDX-License-Identifier: Apache-2.0
// XML of any vocabulary: its text, element by element.
#include "connectors/extract/office.h"
#include "connectors/extract/readers.h"

namespace cairn::connectors {
namespace {

class AnyText final : public XmlVisitor {
 public:
  bool open(const XmlTag& tag) override {
    in_title_ = tag.name() == "title" && title.empty();
    out += '\n';
    return true;
  }
  void text(std::string_view text) override {
    out += text;
    if (in_title_) title += text;
  }
  void close(std::string_view) override { in_title_ = false; }
  std::string out;
  std::string title;

 private:
  bool in_title_ = false;
};

}  // namespace

Result<ExtractedFile> extract_xml(std::string_view bytes) {
  AnyText text;
  CAIRN_CHECK(walk_xml(std::string(bytes), text));
  ExtractedFile out;
  out.body = squeeze(text.out);
  out.title = first_line(squeeze(text.title));
  if (out.title.empty()) out.title = first_line(out.body);
  return out;
}

}  // namespace cairn::connectors
