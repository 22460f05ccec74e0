// SPDX-License-Identifier: Apache-2.0
// Source of the names: ECMA-376 part 1, 18 (SpreadsheetML) and 15.2 (relationships); OpenDocument
// 1.3 part 3, 9.
#include "connectors/extract/sheet_rows.h"

#include <algorithm>
#include <map>

#include "base/strings.h"
#include "connectors/extract/office.h"
#include "connectors/extract/row_table.h"
#include "connectors/extract/sheet_cells.h"

namespace cairn::connectors {
namespace {

/// Rows of a file, as many as it may have. Cells cost as much as in a table that is text.
class BoundedRows {
 public:
  explicit BoundedRows(std::size_t bytes_max) : left_(bytes_max) {}

  /// False where there is no room for the cell. Blanks are none.
  bool put(TableRow& row, std::size_t column, std::string_view text) {
    text = trim(text);
    if (text.empty()) return true;
    if (!spend(text)) return false;
    row.columns = column + 1;
    row.cells.push_back({.column = column, .text = std::string(text)});
    return true;
  }
  void add(TableRow row) { rows.push_back(std::move(row)); }
  /// The same once more, under another number.
  bool add_again(TableRow& row, std::size_t number) {
    for (const TableCell& cell : row.cells)
      if (!spend(cell.text)) return false;
    row.number = number;
    rows.push_back(row);
    return true;
  }
  bool full() const { return full_; }
  Status check() const {
    if (!full_) return ok_status();
    return Error{.kind = ErrorKind::too_large,
                 .message = "it holds more text than is taken of one file"};
  }
  std::vector<TableRow> rows;

 private:
  bool spend(std::string_view text) {
    if (text.size() + 1 > left_) return full_ = true, false;
    left_ -= text.size() + 1;
    return true;
  }
  std::size_t left_;
  bool full_ = false;
};

struct SheetOfWorkbook {
  std::string name;
  std::string relation;  // whose target is its member
};

class WorkbookSheets final : public XmlVisitor {
 public:
  bool open(const XmlTag& tag) override {
    if (tag.name() == "sheet")
      sheets.push_back({std::string(tag.attribute("name")), std::string(tag.attribute("id"))});
    if (tag.name() == "workbookPr") {
      const std::string_view value = tag.attribute("date1904");
      from_1904 = value == "1" || value == "true";
    }
    return true;
  }
  void text(std::string_view) override {}
  void close(std::string_view) override {}
  std::vector<SheetOfWorkbook> sheets;
  bool from_1904 = false;
};

class Relations final : public XmlVisitor {
 public:
  bool open(const XmlTag& tag) override {
    if (tag.name() != "Relationship") return true;
    const std::string_view target = tag.attribute("Target");
    members[std::string(tag.attribute("Id"))] =
        target.starts_with('/') ? std::string(target.substr(1)) : "xl/" + std::string(target);
    return true;
  }
  void text(std::string_view) override {}
  void close(std::string_view) override {}
  std::map<std::string, std::string> members;  // by the relation's id
};

/// Which styles of cells are those of dates.
class DateStyles final : public XmlVisitor {
 public:
  bool open(const XmlTag& tag) override {
    if (tag.name() == "cellXfs") in_styles_ = true;
    const auto id = parse_number<std::size_t>(tag.attribute("numFmtId"));
    if (tag.name() == "numFmt" && id && is_date_format(tag.attribute("formatCode")))
      formats_.insert({*id, true});
    if (tag.name() == "xf" && in_styles_)
      are_dates.push_back(id && (is_date_format(*id) || formats_.count(*id) > 0));
    return true;
  }
  void text(std::string_view) override {}
  void close(std::string_view name) override {
    if (name == "cellXfs") in_styles_ = false;
  }
  std::vector<bool> are_dates;

 private:
  std::map<std::size_t, bool> formats_;  // the file's own that are dates
  bool in_styles_ = false;
};

class WorksheetRows final : public XmlVisitor {
 public:
  WorksheetRows(const std::vector<std::string>& shared, const std::vector<bool>& date_styles,
                bool from_1904, BoundedRows& out)
      : shared_(shared), date_styles_(date_styles), from_1904_(from_1904), out_(out) {}

  bool open(const XmlTag& tag) override {
    const std::string_view name = tag.name();
    if (name == "f" || name == "rPh" || out_.full()) return false;
    if (name == "row") {
      row_ = {};
      number_ = parse_number<std::size_t>(tag.attribute("r")).value_or(number_ + 1);
      next_column_ = 0;
    } else if (name == "c") {
      begin_cell(tag);
    } else if (name == "v" || name == "t") {
      ++in_value_;
    }
    return true;
  }
  void text(std::string_view text) override {
    if (in_value_ > 0) value_ += text;
  }
  void close(std::string_view name) override {
    if (name == "v" || name == "t") --in_value_;
    if (name == "c") end_cell();
    if (name != "row" || row_.cells.empty()) return;
    row_.number = number_;
    out_.add(std::move(row_));
    row_ = {};
  }

 private:
  void begin_cell(const XmlTag& tag) {
    const auto named = column_of_reference(tag.attribute("r"));
    column_ = std::max(named.value_or(next_column_), next_column_);
    next_column_ = column_ + 1;
    kind_ = tag.attribute("t");
    style_ = parse_number<std::size_t>(tag.attribute("s"));
    value_.clear();
  }

  void end_cell() {
    if (column_ >= sheet_columns_max || out_.full()) return;
    out_.put(row_, column_, text_of_cell());
  }

  std::string text_of_cell() {
    if (kind_ == "s") {
      const auto number = parse_number<std::size_t>(trim(value_));
      return number && *number < shared_.size() ? shared_[*number] : std::string();
    }
    if (kind_ == "e") return {};  // "#N/A"
    if (kind_ == "b") return value_ == "1" ? "true" : "false";
    if (!kind_.empty() && kind_ != "n") return std::move(value_);
    const std::string_view text = trim(value_);
    if (style_ && *style_ < date_styles_.size() && date_styles_[*style_])
      if (const auto number = parse_number<double>(text))
        if (auto date = date_of_number(*number, from_1904_)) return *std::move(date);
    return plain_number(text);
  }

  const std::vector<std::string>& shared_;
  const std::vector<bool>& date_styles_;
  const bool from_1904_;
  BoundedRows& out_;
  TableRow row_;
  std::size_t number_ = 0, column_ = 0, next_column_ = 0;
  std::string kind_, value_;  // of the cell at hand
  std::optional<std::size_t> style_;
  int in_value_ = 0;
};

/// Takes a sheet whenever one has ended.
class SpreadsheetRows final : public XmlVisitor {
 public:
  SpreadsheetRows(BoundedRows& rows, ExtractedFile& out) : rows_(rows), out_(out) {}

  bool open(const XmlTag& tag) override {
    const std::string_view name = tag.name();
    if (name == "spreadsheet") in_spreadsheet_ = true;
    if (name == "text" || name == "presentation" || name == "drawing") return in_cell_;
    if (!in_spreadsheet_) return true;
    if (name == "annotation" || name == "tracked-changes" || name == "shapes" || rows_.full())
      return false;
    if (name == "table") {
      sheet_ = tag.attribute("name");
      number_ = 0;
    } else if (name == "table-row") {
      row_ = {};
      column_ = 0;
      row_times_ = times(tag.attribute("number-rows-repeated"));
    } else if (name == "table-cell" || name == "covered-table-cell") {
      begin_cell(tag);
    } else if (in_cell_ && (name == "tab" || name == "s")) {
      value_ += ' ';
    } else if (in_cell_ && (name == "line-break" || (name == "p" && !value_.empty()))) {
      value_ += '\n';
    }
    return true;
  }
  void text(std::string_view text) override {
    if (in_cell_) value_ += text;
  }
  void close(std::string_view name) override {
    if (name == "table-cell" || name == "covered-table-cell") end_cell();
    if (name == "table-row") end_row();
    if (name == "table" && in_spreadsheet_) {
      append_rows(rows_.rows, sheet_, out_);
      rows_.rows.clear();
    }
    if (name == "spreadsheet") in_spreadsheet_ = false;
  }

 private:
  static std::size_t times(std::string_view text) {
    return std::max<std::size_t>(parse_number<std::size_t>(text).value_or(1), 1);
  }

  void begin_cell(const XmlTag& tag) {
    in_cell_ = true;
    value_.clear();
    cell_times_ = times(tag.attribute("number-columns-repeated"));
    const std::string_view type = tag.attribute("value-type");
    given_.clear();
    if (type == "date")
      given_ = tag.attribute("date-value");
    else if (type == "boolean")
      given_ = tag.attribute("boolean-value");
    else if (type == "float" || type == "currency" || type == "percentage")
      given_ = plain_number(tag.attribute("value"));
  }

  void end_cell() {
    in_cell_ = false;
    const std::string& text = given_.empty() ? value_ : given_;
    const std::size_t end = std::min(cell_times_, sheet_columns_max - column_) + column_;
    for (; column_ < end && !trim(text).empty(); ++column_)
      if (!rows_.put(row_, column_, text)) return;
    column_ = end;
  }

  void end_row() {
    if (!row_.cells.empty() && !rows_.full()) {
      for (std::size_t i = 1; i < row_times_; ++i)
        if (!rows_.add_again(row_, number_ + i)) return;
      row_.number = number_ + row_times_;
      rows_.add(std::move(row_));
    }
    number_ += std::min(row_times_, std::size_t{1} << 32);
  }

  BoundedRows& rows_;
  ExtractedFile& out_;
  std::string sheet_;
  TableRow row_;
  std::size_t number_ = 0, column_ = 0, row_times_ = 1, cell_times_ = 1;
  std::string value_, given_;  // of the cell at hand: its text, and what it stands for
  bool in_spreadsheet_ = false, in_cell_ = false;
};

}  // namespace

Result<ExtractedFile> rows_of_workbook(ZipFile& zip, const std::vector<std::string>& shared,
                                       const ExtractOptions& options) {
  WorkbookSheets book;
  CAIRN_CHECK(walk_member(zip, "xl/workbook.xml", book));
  Relations relations;
  CAIRN_CHECK(walk_member(zip, "xl/_rels/workbook.xml.rels", relations));
  DateStyles styles;
  CAIRN_CHECK(walk_member(zip, "xl/styles.xml", styles));
  BoundedRows rows(options.text_bytes_max);
  ExtractedFile out;
  for (const SheetOfWorkbook& sheet : book.sheets) {
    const auto member = relations.members.find(sheet.relation);
    if (member == relations.members.end()) continue;
    WorksheetRows visitor(shared, styles.are_dates, book.from_1904, rows);
    CAIRN_CHECK(walk_member(zip, member->second, visitor));
    CAIRN_CHECK(rows.check());
    append_rows(rows.rows, sheet.name, out);
    rows.rows.clear();
    relations.members.erase(member);  // a member is one sheet
  }
  return out;
}

Result<ExtractedFile> rows_of_open_document(ZipFile& zip, const ExtractOptions& options) {
  BoundedRows rows(options.text_bytes_max);
  ExtractedFile out;
  SpreadsheetRows visitor(rows, out);
  CAIRN_CHECK(walk_member(zip, "content.xml", visitor));
  CAIRN_CHECK(rows.check());
  return out;
}

}  // namespace cairn::connectors
