// SPDX-License-Identifier: Apache-2.0
#include "api/forms/cat_table.h"

#include <algorithm>

#include "api/forms/error_json.h"
#include "base/strings.h"
#include "format/time.h"

namespace cairn::api {
namespace {

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

struct TimeUnit {
  std::string_view name;
  double ms;
};
constexpr TimeUnit time_units[] = {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000},  {"s", 1000},
                                   {"ms", 1},         {"micros", 1e-3}, {"nanos", 1e-6}};

/// In the largest unit of which there is one: "1.2d".
std::string time_for_people(std::int64_t ms) {
  for (const TimeUnit& unit : time_units) {
    const auto tenths = static_cast<std::int64_t>(static_cast<double>(ms) * 10 / unit.ms);
    if (tenths < 10 && unit.ms > 1) continue;
    std::string out = std::to_string(tenths / 10);
    if (tenths % 10 != 0) out += "." + std::to_string(tenths % 10);
    return out.append(unit.name);
  }
  return "0ms";
}

}  // namespace

Result<Reply> cat_reply(Call& call, const std::vector<CatColumn>& columns,
                        std::vector<CatRow> rows) {
  const auto find = [&](std::string_view name) -> std::size_t {
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (columns[i].name == name || columns[i].other_name == name) return i;
    return columns.size();
  };
  CAIRN_TRY(const bool help, call.flag("help", false));
  if (help) {
    std::string text;
    for (const CatColumn& column : columns) text += column.name + " | " + column.other_name + "\n";
    return Reply::plain(std::move(text));
  }
  std::vector<std::string> keys = call.list("s");
  std::reverse(keys.begin(), keys.end());  // the first counts most: it sorts last
  for (const std::string& key : keys) {
    const auto colon = key.find(':');
    const std::size_t at = find(key.substr(0, colon));
    if (at == columns.size())
      return illegal_argument("Unable to sort by unknown sort key `" + key + "`");
    const bool down = colon != std::string::npos && key.substr(colon + 1) == "desc";
    std::stable_sort(rows.begin(), rows.end(), [&](const CatRow& a, const CatRow& b) {
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
    for (const CatRow& row : rows) {
      Json object = Json::object();
      for (const std::size_t i : shown) object.set(columns[i].name, row[i]);
      list.push_back(std::move(object));
    }
    return Reply::json(Json(std::move(list)));
  }
  CAIRN_TRY(const bool head, call.flag("v", false));
  if (head) {
    CatRow names;
    for (const CatColumn& column : columns) names.push_back(column.name);
    rows.insert(rows.begin(), std::move(names));
  }
  std::vector<std::size_t> widths(columns.size(), 0);
  for (const CatRow& row : rows)
    for (const std::size_t i : shown) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const CatRow& row : rows) {
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

Result<std::string> cat_size(const Call& call, std::uint64_t bytes) {
  const std::string unit = call.query("bytes").value_or("");
  if (unit.empty()) return format_byte_size(bytes);
  const std::string_view units = "bkmgtp";
  const auto power = units.find(unit.front());
  if (power == std::string_view::npos || unit.size() > 2)
    return illegal_argument("Unknown unit [" + unit + "] of [bytes]; use b, kb, mb, gb, tb or pb");
  return std::to_string(bytes >> (10 * power));
}

Result<std::string> cat_time(const Call& call, std::int64_t ms) {
  const std::string name = call.query("time").value_or("");
  if (name.empty()) return time_for_people(ms);
  for (const TimeUnit& unit : time_units)
    if (unit.name == name)
      return std::to_string(static_cast<std::int64_t>(static_cast<double>(ms) / unit.ms));
  return illegal_argument("Unknown unit [" + name +
                          "] of [time]; use d, h, m, s, ms, micros or nanos");
}

std::vector<gate::Parameter> with_cat_options(std::vector<gate::Parameter> more) {
  for (const gate::Parameter& option :
       std::vector<gate::Parameter>{{"h", "list", "Columns to show."},
                                    {"s", "list", "Columns to sort by."},
                                    {"v", "boolean", "The names of the columns first."},
                                    {"help", "boolean", "The columns there are."},
                                    {"bytes", "string", "The unit of sizes."},
                                    {"time", "string", "The unit of times."},
                                    {"local", "boolean", "Accepted; one node knows all."},
                                    {"master_timeout", "time", "The longest wait for the node that serves."}})
    more.push_back(option);
  return more;
}

}  // namespace cairn::api
