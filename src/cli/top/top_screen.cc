// SPDX-License-Identifier: Apache-2.0
#include "cli/top/top_screen.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/strings.h"
#include "cli/search/printable.h"
#include "cli/table.h"
#include "format/time.h"

namespace cairn::cli {
namespace {

using ScreenLines = std::vector<std::string>;

std::string decimal(double value, int digits = 1) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

std::string bytes_in(const Json& of, std::string_view member) {
  return format_byte_size(static_cast<std::uint64_t>(std::max<std::int64_t>(0, of.int_or(member))));
}

std::string share_of(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? "0%" : std::to_string(part * 100 / whole) + "%";
}

std::string duration(double seconds) {
  if (seconds < 60) return decimal(seconds) + "s";
  if (seconds < 3600) return decimal(seconds / 60) + "m";
  return decimal(seconds / 3600) + "h";
}

/// Cut to the width, counted in characters.
std::string fitted(std::string text, std::size_t columns) {
  std::size_t at = 0, shown = 0;
  while (at < text.size() && shown < columns) {
    do ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80);
    ++shown;
  }
  text.resize(at);
  return text;
}

void add_head(const Json& figures, ScreenLines& out) {
  const Json none = Json::object();
  const auto part = [&](std::string_view name) {
    const Json* found = figures.find(name);
    return found == nullptr ? none : *found;
  };
  const Json requests = part("requests"), cpu = part("cpu"), memory = part("memory"),
             disk = part("disk"), pool = part("pool"), indices = part("indices");
  out.push_back("cairn top  " + figures.string_or("server") + " of " +
                figures.string_or("cluster") + "  " + figures.string_or("time") + "  over " +
                duration(figures.double_or("interval_seconds")));
  out.push_back("requests   " + decimal(requests.double_or("per_second")) + "/s, " +
                decimal(requests.double_or("refused_per_second")) + "/s refused, " +
                decimal(requests.double_or("failed_per_second")) + "/s failed, " +
                std::to_string(requests.int_or("live")) + " now");
  if (!cpu.as_object().empty())
    out.push_back(
        "processor  " + decimal(cpu.double_or("cores_used"), 2) + " cores, load " +
        decimal(cpu.double_or("load_1m"), 2) + " " + decimal(cpu.double_or("load_5m"), 2) + " " +
        decimal(cpu.double_or("load_15m"), 2) +
        (pool.as_object().empty() ? std::string()
                                  : ", pool " + std::to_string(pool.int_or("active")) + " of " +
                                        std::to_string(pool.int_or("threads")) + " busy, " +
                                        std::to_string(pool.int_or("queue")) + " waiting"));
  if (!memory.as_object().empty())
    out.push_back("memory     " + bytes_in(memory, "process_bytes") + " of this process, " +
                  bytes_in(memory, "machine_free_bytes") + " of " +
                  bytes_in(memory, "machine_bytes") + " free; requests hold " +
                  bytes_in(memory, "requests_bytes") + " of " +
                  bytes_in(memory, "requests_limit_bytes"));
  if (const std::int64_t total = disk.int_or("total_bytes"); total > 0)
    out.push_back(
        "disk       " + bytes_in(disk, "available_bytes") + " of " + bytes_in(disk, "total_bytes") +
        " left, " + share_of(total - disk.int_or("available_bytes"), total) + " used; " +
        std::to_string(indices.int_or("documents")) + " documents, " + bytes_in(indices, "bytes"));
  if (const Json* denied = figures.find("denied");
      denied != nullptr && !denied->as_array().empty()) {
    std::vector<std::string> names;
    for (const Json& name : denied->as_array()) names.push_back(name.as_string());
    out.push_back("not shown  " + join(names, ", ") + ": the key has no right to see them");
  }
}

void add_table(const char* title, const Row& head, const std::vector<Row>& rows, ScreenLines& out) {
  if (rows.empty()) return;
  out.emplace_back();
  out.emplace_back(title);
  const std::string table = format_table(head, rows, true, Heads::always);
  for (const auto line : split(table, '\n'))
    if (!line.empty()) out.emplace_back(line);
}

template <class MakeRow>
std::vector<Row> rows_of_list(const Json& figures, std::string_view member, MakeRow make) {
  std::vector<Row> rows;
  if (const Json* list = figures.find(member); list != nullptr && list->is_array())
    for (const Json& one : list->as_array()) rows.push_back(make(one));
  return rows;
}

std::string shown(const Json& of, std::string_view member) {
  return on_one_line(of.string_or(member));
}

std::vector<Row> operation_rows(const Json& figures) {
  auto rows = rows_of_list(figures, "operations", [](const Json& one) -> Row {
    const bool idle = one.double_or("per_second") <= 0;
    return {shown(one, "surface"),
            shown(one, "operation"),
            decimal(one.double_or("per_second")),
            decimal(one.double_or("refused_per_second")),
            decimal(one.double_or("failed_per_second")),
            idle ? "-" : decimal(one.double_or("mean_ms")),
            idle ? "-" : decimal(one.double_or("p95_ms")),
            std::to_string(one.int_or("total"))};
  });
  return rows;
}

std::vector<Row> task_rows(const Json& figures) {
  return rows_of_list(figures, "tasks", [](const Json& one) -> Row {
    return {shown(one, "id"), shown(one, "action"), duration(one.double_or("seconds")),
            shown(one, "description")};
  });
}

std::vector<Row> job_rows(const Json& figures) {
  return rows_of_list(figures, "jobs", [](const Json& one) -> Row {
    return {shown(one, "connector"),
            shown(one, "index"),
            shown(one, "type"),
            shown(one, "status"),
            std::to_string(one.int_or("indexed")),
            std::to_string(one.int_or("deleted"))};
  });
}

std::vector<Row> identity_rows(const Json& figures) {
  return rows_of_list(figures, "identities", [](const Json& one) -> Row {
    return {shown(one, "identity"), std::to_string(one.int_or("used")),
            std::to_string(one.int_or("limit")), std::to_string(one.int_or("remaining"))};
  });
}

}  // namespace

std::vector<std::string> top_screen(const Json& figures, ScreenSize size) {
  ScreenLines out;
  add_head(figures, out);
  const auto jobs = job_rows(figures), tasks = task_rows(figures),
             identities = identity_rows(figures);
  auto operations = operation_rows(figures);
  // What goes on is seldom long; what was asked takes the rest of the screen.
  std::size_t others = out.size() + 3;
  for (const auto* rows : {&jobs, &tasks, &identities})
    if (!rows->empty()) others += rows->size() + 3;
  if (size.rows > 0 && operations.size() + others > size.rows)
    operations.resize(std::min(operations.size(),
                               std::max<std::size_t>(5, size.rows - std::min(size.rows, others))));
  add_table("Requests by operation",
            {"PORT", "OPERATION", "PER SECOND", "REFUSED", "FAILED", "MEAN MS", "P95 MS", "TOTAL"},
            operations, out);
  add_table("Identities of this hour", {"IDENTITY", "USED", "LIMIT", "REMAINING"}, identities, out);
  add_table("Sync jobs", {"CONNECTOR", "INDEX", "TYPE", "STATUS", "INDEXED", "DELETED"}, jobs, out);
  add_table("Tasks", {"TASK", "ACTION", "RUNNING", "DESCRIPTION"}, tasks, out);
  if (size.rows > 0 && out.size() > size.rows) out.resize(size.rows);
  for (auto& line : out) line = fitted(std::move(line), size.columns);
  return out;
}

}  // namespace cairn::cli
