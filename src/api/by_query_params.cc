// SPDX-License-Identifier: Apache-2.0
#include "api/by_query_params.h"

#include <cmath>
#include <utility>

#include "api/forms/error_json.h"
#include "api/url_query.h"
#include "api/write_params.h"
#include "base/strings.h"

namespace cairn::api {
namespace {

Status set_max_docs(std::int64_t value, std::string_view name, tasks::ByQuery& out) {
  if (value == -1) return ok_status();
  if (value < 0)
    return illegal_argument("[" + std::string(name) + "] parameter cannot be negative, found [" +
                            std::to_string(value) + "]");
  if (value == 0) return validation_fault({"maxDocs should be greater than 0"});
  const auto wanted = static_cast<std::uint64_t>(value);
  if (out.max_docs && *out.max_docs != wanted)
    return illegal_argument("[max_docs] set to two different values [" +
                            std::to_string(*out.max_docs) + "] and [" + std::to_string(wanted) +
                            "]");
  out.max_docs = wanted;
  return ok_status();
}

Status read_slices(const Call& call, const tasks::Options& limits, tasks::ByQuery& out) {
  const std::string given = call.query("slices").value_or("1");
  if (given == "auto") return ok_status();  // one for each shard, and there is one
  const auto count = parse_number<std::int64_t>(given);
  if (!count)
    return illegal_argument(
        "[slices] must be a positive integer or the string \"auto\", but was [" + given + "]");
  if (*count < 1) return illegal_argument("[slices] must be at least 1 but was [" + given + "]");
  if (static_cast<std::uint64_t>(*count) > limits.slices_max)
    return illegal_argument("[slices] may be [" + std::to_string(limits.slices_max) +
                            "] at most but was [" + given + "]");
  out.slices = static_cast<std::size_t>(*count);
  return ok_status();
}

}  // namespace

Status check_scroll_size(std::int64_t size, const tasks::Options& limits, tasks::ByQuery& out) {
  if (size < 1)
    return illegal_argument("the size of a batch must be greater than 0 but was [" +
                            std::to_string(size) + "]");
  if (static_cast<std::uint64_t>(size) > limits.scroll_size_max)
    return illegal_argument("Batch size is too large, size must be less than or equal to: [" +
                            std::to_string(limits.scroll_size_max) + "] but was [" +
                            std::to_string(size) + "].");
  out.scroll_size = static_cast<std::size_t>(size);
  return ok_status();
}

Status read_conflicts(std::string_view value, tasks::ByQuery& out) {
  if (value != "proceed" && value != "abort")
    return illegal_argument("conflicts may only be \"proceed\" or \"abort\" but was [" +
                            std::string(value) + "]");
  out.proceed = value == "proceed";
  return ok_status();
}

Status read_max_docs(const Json& value, std::string_view name, tasks::ByQuery& out) {
  if (!value.is_integer())
    return illegal_argument("[" + std::string(name) + "] must be a number of documents");
  return set_max_docs(value.as_int(), name, out);
}

Result<double> requests_per_second(const Call& call, std::string_view fallback) {
  const std::string given = call.query("requests_per_second").value_or(std::string(fallback));
  const auto rate = parse_number<double>(given);
  if (rate && *rate == -1) return 0.0;
  if (rate && *rate > 0 && std::isfinite(*rate)) return *rate;
  return illegal_argument(
      "[requests_per_second] must be a float greater than 0. Use -1 to disable throttling.");
}

Status read_by_query_options(const Call& call, const tasks::Options& limits, tasks::ByQuery& out) {
  if (const auto conflicts = call.query("conflicts")) CAIRN_CHECK(read_conflicts(*conflicts, out));
  if (call.query("max_docs")) {
    CAIRN_TRY(const std::int64_t most, call.integer("max_docs", -1));
    CAIRN_CHECK(set_max_docs(most, "max_docs", out));
  }
  CAIRN_TRY(out.refresh, call.flag("refresh", false));
  CAIRN_TRY(out.requests_per_second, requests_per_second(call, "-1"));
  CAIRN_TRY(const std::int64_t size, call.integer("scroll_size", 1'000));
  CAIRN_CHECK(check_scroll_size(size, limits, out));
  CAIRN_CHECK(read_slices(call, limits, out));
  CAIRN_CHECK(scroll_time(call));
  CAIRN_TRY(const std::int64_t timeout, call.time("timeout", out.write_timeout_ms));
  if (timeout > 0) out.write_timeout_ms = timeout;
  return check_active_shards(call);
}

Result<std::int64_t> scroll_time(const Call& call) {
  CAIRN_TRY(const std::int64_t scroll, call.time("scroll", 300'000));
  if (scroll <= 0) return illegal_argument("[scroll] must be a positive time, such as 5m");
  return scroll;
}

Status check_slices(const tasks::ByQuery& request) {
  if (request.slices <= 1) return ok_status();
  if (request.slice)
    return illegal_argument(
        "[slice] and [slices] cannot be used together: the one makes one part "
        "of the documents, the other all parts");
  if (request.max_docs && *request.max_docs < request.slices)
    return validation_fault(
        {"maxDocs should be >= " + std::to_string(request.slices) + ", the number of slices"});
  return ok_status();
}

std::vector<gate::Parameter> with_by_query_options(std::vector<gate::Parameter> more) {
  const std::vector<gate::Parameter> own = {
      {"wait_for_completion", "boolean", "false: answer with the id of a task at once."},
      {"requests_per_second", "number", "Documents a second; -1: as fast as it goes."},
      {"slices", "string", "Parts that work side by side, or auto."},
      {"max_docs", "integer", "Documents at most."},
      {"refresh", "boolean", "Refresh what was written to, at the end."},
      {"scroll", "time", "A task keeps its place as long as it needs it."},
      {"timeout", "time", "How long the write of a batch may take; 1m where absent."},
      {"wait_for_active_shards", "string", "There is one shard."}};
  more.insert(more.end(), own.begin(), own.end());
  return more;
}

std::vector<gate::Parameter> with_query_parameters(std::vector<gate::Parameter> more) {
  const std::vector<gate::Parameter> own = {
      {"conflicts", "string", "abort, or proceed where documents changed meanwhile."},
      {"scroll_size", "integer", "Documents of a batch; 1000 where absent."},
      {"sort", "list", "The order in which documents are taken: field:asc or field:desc."},
      {"terminate_after", "integer", "Documents to take of each index."},
      {"search_timeout", "time", "How long to look for the documents of a batch."},
      {"version", "boolean", "Documents have their versions whatever it says."},
      {"search_type", "string", "Both types are the same."},
      {"request_cache", "boolean", "There is none for these."}};
  more.insert(more.end(), own.begin(), own.end());
  return with_url_query(std::move(more));
}

tasks::Owner task_owner(Call& call) {
  tasks::Owner out;
  if (call.caller().has_key()) out.key = call.caller().key().id;
  if (const auto id = call.exchange().head.headers.find("x-opaque-id")) out.opaque_id = *id;
  if (out.opaque_id.size() > 1024) out.opaque_id.clear();
  return out;
}

}  // namespace cairn::api
