// SPDX-License-Identifier: Apache-2.0
#include "api/routes/cat_routes.h"

#include <algorithm>

#include "api/forms/error_json.h"
#include "api/index_names.h"
#include "base/strings.h"
#include "format/time.h"

namespace cairn::api {
namespace {

struct Column {
  std::string name;
  std::string other_name;  // short form, for h and s
  bool shown = true;       // where h is absent
  bool right = false;      // numbers stand at the right
};

using Row = std::vector<std::string>;

/// What `format` says, or else `Accept`; a list of several types stands for text.
bool wants_text(Call& call) {
  const std::string format = call.query("format").value_or("");
  if (!format.empty()) return format != "json" && format != "yaml";
  const auto accept = call.exchange().head.headers.find("accept");
  if (!accept) return true;
  const std::string type =
      lower_ascii(trim(std::string_view(*accept).substr(0, accept->find(';'))));
  const bool data = type.ends_with("/json") || type.ends_with("+json") || type.ends_with("/yaml") ||
                    type.ends_with("+yaml");
  return !data || accept->find(',') != std::string::npos;
}

/// A table as `h`, `s`, `v` and `format` want it.
Result<Reply> reply_of(Call& call, const std::vector<Column>& columns, std::vector<Row> rows) {
  const auto find = [&](std::string_view name) -> std::size_t {
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (columns[i].name == name || columns[i].other_name == name) return i;
    return columns.size();
  };
  CAIRN_TRY(const bool help, call.flag("help", false));
  if (help) {
    std::string text;
    for (const Column& column : columns) text += column.name + " | " + column.other_name + "\n";
    return Reply::plain(std::move(text));
  }
  for (const std::string& key : call.list("s")) {
    const auto colon = key.find(':');
    const std::size_t at = find(key.substr(0, colon));
    if (at == columns.size())
      return illegal_argument("Unable to sort by unknown sort key `" + key + "`");
    const bool down = colon != std::string::npos && key.substr(colon + 1) == "desc";
    std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
      const auto x = parse_number<double>(a[at]);
      const auto y = parse_number<double>(b[at]);
      if (x && y) return down ? *x > *y : *x < *y;
      return down ? a[at] > b[at] : a[at] < b[at];
    });
  }
  std::vector<std::size_t> shown;
  for (const std::string& name : call.list("h"))
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (columns[i].other_name == name || wildcard_match(name, columns[i].name))
        shown.push_back(i);
  if (!call.query("h"))
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (columns[i].shown) shown.push_back(i);
  if (!wants_text(call)) {
    Json::Array list;
    for (const Row& row : rows) {
      Json object = Json::object();
      for (const std::size_t i : shown) object.set(columns[i].name, row[i]);
      list.push_back(std::move(object));
    }
    return Reply::json(Json(std::move(list)));
  }
  CAIRN_TRY(const bool head, call.flag("v", false));
  if (head) {
    Row names;
    for (const Column& column : columns) names.push_back(column.name);
    rows.insert(rows.begin(), std::move(names));
  }
  std::vector<std::size_t> widths(columns.size(), 0);
  for (const Row& row : rows)
    for (const std::size_t i : shown) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (const std::size_t i : shown) {
      const std::string pad(widths[i] - row[i].size(), ' ');
      if (!line.empty()) line += ' ';
      line += columns[i].right ? pad + row[i] : row[i] + pad;
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    text += line + "\n";
  }
  return Reply::plain(std::move(text));
}

/// A size as `bytes` wants it: a plain number in that unit, or for people.
Result<std::string> shown_size(const Call& call, std::uint64_t bytes) {
  const std::string unit = call.query("bytes").value_or("");
  if (unit.empty()) return format_byte_size(bytes);
  const std::string_view units = "bkmgtp";
  const auto power = units.find(unit.front());
  if (power == std::string_view::npos || unit.size() > 2)
    return illegal_argument("Unknown unit [" + unit + "] of [bytes]; use b, kb, mb, gb, tb or pb");
  return std::to_string(bytes >> (10 * power));
}

Result<Reply> cat_indices(Call& call, const index::Indices& indices) {
  const std::vector<Column> columns = {{"health", "h"},
                                       {"status", "s"},
                                       {"index", "i"},
                                       {"uuid", "id"},
                                       {"pri", "p", true, true},
                                       {"rep", "r", true, true},
                                       {"docs.count", "dc", true, true},
                                       {"docs.deleted", "dd", true, true},
                                       {"store.size", "ss", true, true},
                                       {"pri.store.size", "pss", true, true},
                                       {"dataset.size", "ds", true, true},
                                       {"creation.date", "cd", false, true},
                                       {"creation.date.string", "cds", false},
                                       {"segments.count", "sc", false, true}};
  const std::string health = lower_ascii(call.query("health").value_or("green"));
  if (health != "green" && health != "yellow" && health != "red")
    return illegal_argument("unknown [health] [" + health + "]; one of green, yellow, red");
  CAIRN_TRY(auto found, indices_of(call, indices, call.path("index")));
  if (health != "green") found.clear();  // every index that is there is whole
  std::vector<Row> rows;
  for (const auto& index : found) {
    const auto stats = index->statistics();
    CAIRN_TRY(const std::string size, shown_size(call, stats.size_bytes));
    rows.push_back({"green", "open", index->name(), index->uuid(), "1", "0",
                    std::to_string(stats.documents), std::to_string(stats.deleted), size, size,
                    size, std::to_string(index->created_ms()), format_iso8601(index->created_ms()),
                    std::to_string(stats.segments)});
  }
  return reply_of(call, columns, std::move(rows));
}

Result<Reply> cat_count(Call& call, const index::Indices& indices, const os::Clock& clock) {
  CAIRN_TRY(const auto found, indices_of(call, indices, call.path("index")));
  std::uint64_t total = 0;
  for (const auto& index : found) total += index->view()->document_count();
  const std::int64_t now = clock.unix_ms();
  const std::string time = format_iso8601(now).substr(11, 8);
  return reply_of(call, {{"epoch", "t"}, {"timestamp", "ts"}, {"count", "dc"}},
                  {{std::to_string(now / 1000), time, std::to_string(total)}});
}

gate::Route row(std::string path, std::string operation, std::string privilege,
                std::string summary) {
  return {.method = "GET",
          .path = std::move(path),
          .operation = std::move(operation),
          .index_privilege = std::move(privilege),
          .filters_indices = true,
          .query = with_index_options({{"h", "list", "Columns to show."},
                                       {"s", "list", "Columns to sort by."},
                                       {"v", "boolean", "The names of the columns first."},
                                       {"help", "boolean", "The columns there are."},
                                       {"bytes", "string", "The unit of sizes."},
                                       {"time", "string", "The unit of times."},
                                       {"health", "string", "green, yellow or red: only those."},
                                       {"pri", "boolean", "There is one shard."},
                                       {"local", "boolean", "There is one node."},
                                       {"master_timeout", "time", "There is one node."}}),
          .summary = std::move(summary)};
}

}  // namespace

void add_cat_routes(Router& router, ServiceRef<const index::Indices> indices,
                    const os::Clock& clock) {
  for (const std::string tail : {"", "/{index}"}) {
    router.add(row("/_cat/indices" + tail, "cat.indices", "monitor", "Lists indices as a table."),
               [indices](Call& call) { return cat_indices(call, *indices); });
    router.add(row("/_cat/count" + tail, "cat.count", "read", "Counts documents as a table."),
               [indices, &clock](Call& call) { return cat_count(call, *indices, clock); });
  }
}

}  // namespace cairn::api
