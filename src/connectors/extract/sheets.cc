// SPDX-License-Identifier: Apache-2.0
// XLSX. Source of the names: ECMA-376 part 1, 18 (SpreadsheetML).
#include "base/strings.h"
#include "connectors/extract/office.h"
#include "connectors/extract/readers.h"
#include "connectors/extract/sheet_rows.h"

namespace cairn::connectors {
namespace {

Error too_much_text() {
  return {.kind = ErrorKind::too_large, .message = "it holds more text than is taken of one file"};
}

/// The texts that cells refer to by their number.
class SharedTexts final : public XmlVisitor {
 public:
  bool open(const XmlTag& tag) override {
    if (tag.name() == "rPh") return false;  // how it is pronounced
    if (tag.name() == "si") texts.emplace_back();
    if (tag.name() == "t") ++in_text_;
    return true;
  }
  void text(std::string_view text) override {
    if (in_text_ > 0 && !texts.empty()) texts.back() += text;
  }
  void close(std::string_view name) override {
    if (name == "t") --in_text_;
  }
  std::vector<std::string> texts;

 private:
  int in_text_ = 0;
};

class CellText final : public XmlVisitor {
 public:
  CellText(const std::vector<std::string>& shared, std::size_t bytes_max)
      : shared_(shared), bytes_max_(bytes_max) {}

  bool open(const XmlTag& tag) override {
    const std::string_view name = tag.name();
    if (name == "f" || full()) return false;  // a formula; its value stands beside it
    if (name == "c") is_shared_ = tag.attribute("t") == "s", value_.clear();
    if (name == "v" || name == "t") ++in_value_;
    return true;
  }
  void text(std::string_view text) override {
    if (in_value_ > 0) value_ += text;
  }
  void close(std::string_view name) override {
    if (name == "v" || name == "t") --in_value_;
    if (name == "row") out += '\n';
    if (name != "c" || full()) return;
    if (is_shared_) {
      const auto number = parse_number<std::size_t>(trim(value_));
      if (number && *number < shared_.size()) out += shared_[*number];
    } else {
      out += value_;
    }
    out += '\t';
  }
  /// Cells may repeat one long text without end.
  bool full() const { return out.size() > bytes_max_; }
  std::string out;

 private:
  const std::vector<std::string>& shared_;
  std::size_t bytes_max_;
  std::string value_;  // of the cell at hand
  bool is_shared_ = false;
  int in_value_ = 0;
};

class SheetNames final : public XmlVisitor {
 public:
  bool open(const XmlTag& tag) override {
    if (tag.name() == "sheet") names.append(tag.attribute("name")) += '\n';
    return true;
  }
  void text(std::string_view) override {}
  void close(std::string_view) override {}
  std::string names;
};

Status append_comments(ZipFile& zip, std::string& out) {
  for (const auto& name : zip.names()) {
    if (!name.starts_with("xl/comments") || !name.ends_with(".xml")) continue;
    SharedTexts comments;  // of one comment each; `si` stands for none of them
    comments.texts.emplace_back();
    CAIRN_CHECK(walk_member(zip, name, comments));
    (out += comments.texts.front()) += '\n';
  }
  return ok_status();
}

}  // namespace

Result<ExtractedFile> extract_sheets(std::string_view bytes, const ExtractOptions& options) {
  CAIRN_TRY(ZipFile zip, ZipFile::open(bytes, options.unpacked_bytes_max));
  if (!zip.has("xl/workbook.xml"))
    return Error{.kind = ErrorKind::invalid_argument, .message = "it has no xl/workbook.xml"};
  SharedTexts shared;
  CAIRN_CHECK(walk_member(zip, "xl/sharedStrings.xml", shared));
  if (options.rows) {
    CAIRN_TRY(ExtractedFile table, rows_of_workbook(zip, shared.texts, options));
    if (!table.rows.empty()) {
      CAIRN_CHECK(append_comments(zip, table.body));
      table.body = squeeze(table.body);
      table.title = title_in_properties(zip, "docProps/core.xml");
      return table;
    }
  }
  SheetNames names;
  CAIRN_CHECK(walk_member(zip, "xl/workbook.xml", names));
  CellText cells(shared.texts, options.text_bytes_max);
  for (const auto& name : numbered_members(zip, "xl/worksheets/sheet", ".xml")) {
    CAIRN_CHECK(walk_member(zip, name, cells));
    if (cells.full()) return too_much_text();
    cells.out += '\n';
  }
  CAIRN_CHECK(append_comments(zip, cells.out));
  ExtractedFile out;
  out.body = squeeze(names.names + cells.out);
  out.title = title_in_properties(zip, "docProps/core.xml");
  return out;
}

}  // namespace cairn::connectors
