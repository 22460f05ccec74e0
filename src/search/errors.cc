// SPDX-License-Identifier: Apache-2.0
// The texts of the errors.
#include "search/errors.h"

#include <algorithm>
#include <memory>

#include "format/json.h"
#include "index/document/document.h"

namespace cairn::search {
namespace {

Error refused(std::string code, std::string message) {
  return {
      .kind = ErrorKind::invalid_argument, .code = std::move(code), .message = std::move(message)};
}

}  // namespace

Error parsing_error(std::string_view text, std::string_view path, std::string message) {
  const std::string position = index::position_of(text, path);  // "[line:column]"
  const auto colon = position.find(':');
  return refused("parsing_exception", std::move(message))
      .with_detail("line", position.substr(1, colon - 1))
      .with_detail("col", position.substr(colon + 1, position.size() - colon - 2));
}

Error content_error(std::string_view text, std::string_view path, std::string message) {
  return refused("x_content_parse_exception",
                 index::position_of(text, path) + " " + std::move(message));
}

Error illegal_argument(std::string message) {
  return refused("illegal_argument_exception", std::move(message));
}

Error validation_error(std::string_view message) {
  return refused("action_request_validation_exception",
                 "Validation Failed: 1: " + std::string(message) + ";");
}

Error not_offered(std::string_view what, std::string_view instead) {
  return refused("illegal_argument_exception",
                 "[" + std::string(what) + "] is not offered" +
                     (instead.empty() ? std::string() : "; " + std::string(instead)));
}

std::optional<Error> request_error(std::string_view text, const Error& found) {
  const auto at = std::find_if(found.details.begin(), found.details.end(),
                               [](const auto& detail) { return detail.first == "_at"; });
  if (at == found.details.end()) return std::nullopt;
  Error out = found;
  out.details.erase(out.details.begin() + (at - found.details.begin()));
  if (at->second == "*") return out;
  std::string path = "aggs." + at->second;
  if (index::position_of(text, path) == "[1:1]") path = "aggregations." + at->second;
  Error placed = out.code == "parsing_exception" ? parsing_error(text, path, out.message)
                                                 : content_error(text, path, out.message);
  if (out.code == "parsing_exception") out.details = std::move(placed.details);
  if (out.code == "x_content_parse_exception") out.message = std::move(placed.message);
  return out;
}

Error phase_error(std::string_view index, std::string_view uuid, Error cause) {
  if (cause.kind != ErrorKind::invalid_argument && cause.kind != ErrorKind::too_large) return cause;
  if (cause.code == "search_phase_execution_exception") return cause;
  cause.details.emplace_back("index", index);
  cause.details.emplace_back("index_uuid", uuid);
  Error error{.kind = cause.kind,
              .code = "search_phase_execution_exception",
              .message = "all shards failed"};
  const Json reason = Json::object(
      {{"type", cause.code}, {"reason", cause.message}, {"index_uuid", uuid}, {"index", index}});
  const Json shard = Json::object({{"shard", 0}, {"index", index}, {"reason", reason}});
  // A name that ends in ":json" holds JSON.
  error.details = {{"phase", "query"},
                   {"grouped:json", "true"},
                   {"failed_shards:json", Json::array({shard}).dump()}};
  error.cause = std::make_shared<const Error>(std::move(cause));
  return error;
}

}  // namespace cairn::search
