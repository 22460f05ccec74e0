// SPDX-License-Identifier: Apache-2.0
#include "gate/slow_log.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "format/json.h"
#include "os/log.h"

namespace cairn::gate {
namespace {

constexpr std::size_t query_bytes_looked_at = 1 << 20;
constexpr std::size_t shown_name_bytes_max = 256;  // of what a path names

std::string_view name_of_kind(SlowKind kind) {
  switch (kind) {
    case SlowKind::search:
      return "search";
    case SlowKind::indexing:
      return "indexing";
    case SlowKind::objects:
      return "objects";
    case SlowKind::none:
      break;
  }
  return "none";
}

std::string shortened(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return std::string(text);
  const std::string_view kept = text.substr(0, bytes_max);
  return std::string(kept.substr(0, valid_utf8_prefix(kept))) + "…";
}

bool is_name_of_secret(std::string_view name) {
  constexpr std::array<std::string_view, 8> marks = {
      "authorization", "secret", "password", "passwd", "token", "api_key", "apikey", "credential"};
  const std::string lowered = lower_ascii(name);
  return std::any_of(marks.begin(), marks.end(), [&](std::string_view mark) {
    return lowered.find(mark) != std::string::npos;
  });
}

void mask(Json& value) {
  if (value.is_array()) {
    for (Json& element : value.as_array()) mask(element);
  } else if (value.is_object()) {
    for (auto& [name, member] : value.as_object()) {
      if (is_name_of_secret(name) && !member.is_array() && !member.is_object())
        member = Json("***");
      else
        mask(member);
    }
  }
}

/// Without those that are named like a secret, or are a query of their own.
std::string shown_parameters(std::string_view parameters) {
  std::string out;
  for (const std::string_view one : split(parameters, '&')) {
    const std::string_view name = one.substr(0, one.find('='));
    if (one.empty() || name == "source" || is_name_of_secret(name)) continue;
    if (!out.empty()) out += '&';
    out += one;
  }
  return shortened(out, shown_name_bytes_max);
}

os::Counter& slow_requests(os::Metrics& metrics, SlowKind kind) {
  return metrics.counter("cairn_slow_requests_total", "Requests that the slow log has a line of",
                         {{"kind", std::string(name_of_kind(kind))}});
}

}  // namespace

SlowKind slow_kind_of(const Route& route) {
  constexpr std::array<std::string_view, 8> indexing = {
      "bulk",   "index",           "create",          "update",
      "delete", "delete_by_query", "update_by_query", "reindex"};
  if (route.resource == "search") return SlowKind::search;
  return std::find(indexing.begin(), indexing.end(), route.operation) != indexing.end()
             ? SlowKind::indexing
             : SlowKind::none;
}

std::string shown_query(std::string_view body, std::size_t bytes_max) {
  if (body.size() > query_bytes_looked_at) return "(" + std::to_string(body.size()) + " bytes)";
  std::string out;
  const auto add = [&](Json value) {
    mask(value);
    if (!out.empty()) out += ' ';
    out += value.dump();
  };
  if (auto whole = parse_json(body); whole.ok()) {
    add(std::move(*whole));
  } else {
    for (const std::string_view line : split(body, '\n')) {
      if (trim(line).empty()) continue;
      auto one = parse_json(line);
      if (!one.ok()) return {};
      add(std::move(*one));
      if (out.size() > bytes_max) break;
    }
  }
  return shortened(out, bytes_max);
}

SlowLog::SlowLog(const SlowLogOptions& options, os::Metrics& metrics)
    : options_(options),
      searches_(slow_requests(metrics, SlowKind::search)),
      indexings_(slow_requests(metrics, SlowKind::indexing)),
      objects_(slow_requests(metrics, SlowKind::objects)) {}

bool SlowLog::is_slow(SlowKind kind, std::int64_t took_ns) const {
  const std::int64_t from_ms = kind == SlowKind::search     ? options_.search_ms
                               : kind == SlowKind::indexing ? options_.indexing_ms
                               : kind == SlowKind::objects  ? options_.objects_ms
                                                            : 0;
  return from_ms > 0 && took_ns >= from_ms * 1'000'000;
}

void SlowLog::write(const SlowRequest& request) const {
  const bool searched = request.kind == SlowKind::search;
  (searched ? searches_ : request.kind == SlowKind::indexing ? indexings_ : objects_).add();
  const std::string query = searched && !trim(request.query).empty()
                                ? shown_query(request.query, options_.query_bytes_max)
                                : std::string();
  const bool of_objects = request.kind == SlowKind::objects;
  const std::string index = shortened(request.index, shown_name_bytes_max);
  const std::int64_t took_ms = request.took_ns / 1'000'000;
  if (of_objects)
    return os::log(os::LogLevel::warn, "gate", "slow_request",
                   {{"kind", name_of_kind(request.kind)},
                    {"operation", request.operation},
                    {"bucket", index},
                    {"object", shortened(request.object, shown_name_bytes_max)},
                    {"took_ms", took_ms},
                    {"status", request.status}});
  os::log(os::LogLevel::warn, "gate", "slow_request",
          {{"kind", name_of_kind(request.kind)},
           {"operation", request.operation},
           {"index", index},
           {"took_ms", took_ms},
           {"status", request.status},
           {"key", request.api_key.empty() ? std::string_view("-") : request.api_key},
           {"parameters", searched ? shown_parameters(request.parameters) : std::string()},
           {"query", query}});
}

}  // namespace cairn::gate
