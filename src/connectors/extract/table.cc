// SPDX-License-Identifier: Apache-2.0
// Rows of cells between commas, semicolons, tabs or bars. Source: RFC 4180, and what spreadsheets
// write.
#include <algorithm>

#include "base/strings.h"
#include "connectors/extract/readers.h"
#include "connectors/extract/row_table.h"

namespace cairn::connectors {
namespace {

using Cells = std::vector<std::string>;

/// The separator that the first line has most of, outside of quotation marks.
char separator_of(std::string_view text) {
  constexpr std::string_view candidates = ",;\t|";
  std::size_t counts[4] = {};
  bool quoted = false;
  for (const char c : text.substr(0, 64u << 10)) {
    if (c == '"') quoted = !quoted;
    if (c == '\n' && !quoted) break;
    const std::size_t which = candidates.find(c);
    if (!quoted && which != std::string_view::npos) ++counts[which];
  }
  return candidates[static_cast<std::size_t>(std::max_element(counts, counts + 4) - counts)];
}

/// Takes one row away. A quotation mark that never ends takes the rest of the text.
Cells take_row(std::string_view& rest, char separator) {
  Cells cells(1);
  bool quoted = false;
  std::size_t i = 0;
  for (; i < rest.size(); ++i) {
    const char c = rest[i];
    if (quoted) {
      if (c != '"')
        cells.back() += c;
      else if (rest.substr(i + 1, 1) == "\"")
        cells.back() += rest[i++];
      else
        quoted = false;
    } else if (c == '"' && cells.back().empty()) {
      quoted = true;
    } else if (c == separator) {
      cells.emplace_back();
    } else if (c == '\n') {
      break;
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  rest.remove_prefix(std::min(i + 1, rest.size()));
  return cells;
}

bool is_empty_row(const Cells& cells) { return cells.size() == 1 && trim(cells[0]).empty(); }

/// Empty cells are no cells, but count as columns.
TableRow row_of_cells(Cells cells) {
  TableRow row{.number = 0, .columns = cells.size(), .cells = {}};
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (!cells[i].empty()) row.cells.push_back({.column = i, .text = std::move(cells[i])});
  return row;
}

}  // namespace

ExtractedFile extract_table(std::string_view text, const ExtractOptions& options) {
  const char separator = separator_of(text);
  std::vector<TableRow> rows;
  ExtractedFile out;
  while (!text.empty()) {
    Cells cells = take_row(text, separator);
    if (is_empty_row(cells)) continue;
    if (options.rows)
      rows.push_back(row_of_cells(std::move(cells)));
    else
      (out.body += join(cells, "\t")) += '\n';
  }
  append_rows(rows, {}, out);
  return out;
}

}  // namespace cairn::connectors
