// SPDX-License-Identifier: Apache-2.0
// Rows as a table on a terminal, or separated by tabs in a pipe.
#pragma once

#include <string>
#include <vector>

namespace cairn::cli {

using Row = std::vector<std::string>;

/// Whether a table in a pipe begins with its head, too.
enum class Heads { on_terminals, always };

/// Columns as wide as their widest cell, two blanks between them; without `aligned`, tabs. Line
/// ends and tabs inside cells become blanks.
std::string format_table(const Row& head, const std::vector<Row>& rows, bool aligned,
                         Heads heads = Heads::on_terminals);

/// Prints to standard output, aligned where that is a terminal.
void print_table(const Row& head, const std::vector<Row>& rows, Heads heads = Heads::on_terminals);

}  // namespace cairn::cli
