// SPDX-License-Identifier: Apache-2.0
#include "connectors/extract/row_table.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include "base/strings.h"
#include "format/json.h"

namespace cairn::connectors {
namespace {

using ColumnNames = std::vector<std::string>;

constexpr const char* sheet_field = "sheet";

/// Names that an index takes: no dots, which would be objects; none twice; none that is reserved.
ColumnNames column_names(const TableRow& heads, bool in_sheet) {
  ColumnNames names(heads.columns);
  for (const TableCell& head : heads.cells)
    if (head.column < names.size()) names[head.column] = trim(head.text).substr(0, 200);
  std::set<std::string> taken;
  if (in_sheet) taken.insert(sheet_field);
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string& name = names[i];
    name.resize(valid_utf8_prefix(name));
    std::replace(name.begin(), name.end(), '.', '_');
    if (name.empty() || name.front() == '_')
      name = "column" + (name.empty() ? "_" + std::to_string(i + 1) : name);
    while (!taken.insert(name).second) name += "_" + std::to_string(i + 1);
  }
  return names;
}

enum class ColumnType { integer, number, text };

/// "007" and "+1" are names of something; a number has one way to be written.
ColumnType type_of_cell(const std::string& cell) {
  constexpr std::size_t integer_digits_max = 18, number_digits_max = 32;
  const std::string_view digits = std::string_view(cell).substr(cell.starts_with('-') ? 1 : 0);
  if (digits.empty() || digits.size() > number_digits_max || digits[0] < '0' || digits[0] > '9')
    return ColumnType::text;
  if (digits.size() > 1 && digits[0] == '0' && digits[1] != '.') return ColumnType::text;
  if (digits.find('.') == std::string_view::npos && digits.size() > integer_digits_max)
    return ColumnType::text;
  if (parse_number<std::int64_t>(cell)) return ColumnType::integer;
  const bool plain = digits.find_first_not_of("0123456789.") == std::string_view::npos;
  return plain && parse_number<double>(cell) ? ColumnType::number : ColumnType::text;
}

std::vector<ColumnType> column_types(const std::vector<TableRow>& rows, std::size_t columns) {
  std::vector<ColumnType> types(columns, ColumnType::integer);
  for (std::size_t i = 1; i < rows.size(); ++i)
    for (const TableCell& cell : rows[i].cells)
      if (cell.column < columns)
        types[cell.column] = std::max(types[cell.column], type_of_cell(cell.text));
  return types;
}

ExtractedRow document_of(const TableRow& row, const std::string& sheet, const ColumnNames& names,
                         const std::vector<ColumnType>& types) {
  ExtractedRow out;
  JsonWriter json(out.fields_json);
  json.begin_object();
  if (!sheet.empty()) json.key(sheet_field).string(sheet);
  for (const TableCell& cell : row.cells) {
    (out.body += cell.text) += '\n';
    if (cell.column >= names.size()) continue;
    json.key(names[cell.column]);
    if (types[cell.column] == ColumnType::integer)
      json.integer(*parse_number<std::int64_t>(cell.text));
    else if (types[cell.column] == ColumnType::number)
      json.number(*parse_number<double>(cell.text));
    else
      json.string(cell.text);
  }
  json.end_object();
  if (!sheet.empty()) out.label = sheet + ", row " + std::to_string(row.number);
  return out;
}

}  // namespace

void append_rows(const std::vector<TableRow>& rows, const std::string& sheet, ExtractedFile& out) {
  if (rows.size() < 2) return;
  const ColumnNames names = column_names(rows.front(), !sheet.empty());
  const auto types = column_types(rows, names.size());
  out.rows.reserve(out.rows.size() + rows.size() - 1);
  for (std::size_t i = 1; i < rows.size(); ++i)
    out.rows.push_back(document_of(rows[i], sheet, names, types));
}

}  // namespace cairn::connectors
