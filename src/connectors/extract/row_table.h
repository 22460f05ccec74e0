// SPDX-License-Identifier: Apache-2.0
// Rows of cells as documents, whichever kind of file they stand in.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "connectors/extract/file.h"

namespace cairn::connectors {

struct TableCell {
  std::size_t column = 0;  // from 0 on
  std::string text;        // never empty
};

struct TableRow {
  std::size_t number = 0;        // in its sheet, from 1 on
  std::size_t columns = 0;       // of which cells there may be
  std::vector<TableCell> cells;  // ascending by column
};

/// Adds a document of each row but the first, which names the columns. What a column holds is a
/// number where all of its cells are. `sheet`: a field of each document, and part of its label;
/// empty: none. Time and memory are linear in the cells and the columns of the first row.
void append_rows(const std::vector<TableRow>& rows, const std::string& sheet, ExtractedFile& out);

}  // namespace cairn::connectors
