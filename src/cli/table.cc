// SPDX-License-Identifier: Apache-2.0
#include "cli/table.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace cairn::cli {
namespace {

std::string one_line(std::string text) {
  std::replace_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t' || c == '\r'; },
                  ' ');
  return text;
}

}  // namespace

std::string format_table(const Row& head, const std::vector<Row>& rows, bool aligned,
                         Heads heads) {
  std::vector<std::size_t> widths(head.size());
  std::vector<Row> all;
  if (aligned || heads == Heads::always) all.push_back(head);
  all.insert(all.end(), rows.begin(), rows.end());
  for (auto& row : all)
    for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i) {
      row[i] = one_line(std::move(row[i]));
      widths[i] = std::max(widths[i], row[i].size());
    }
  std::string out;
  for (const auto& row : all) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += row[i];
      if (i + 1 == row.size()) break;
      if (aligned) out.append(widths[i] - row[i].size() + 2, ' ');
      else out += '\t';
    }
    out += '\n';
  }
  return out;
}

void print_table(const Row& head, const std::vector<Row>& rows, Heads heads) {
  const std::string text = format_table(head, rows, ::isatty(STDOUT_FILENO) == 1, heads);
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace cairn::cli
