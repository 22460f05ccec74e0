// SPDX-License-Identifier: Apache-2.0
// Reading the parameters of writes.
#include "api/write_params.h"

#include "api/forms/error_json.h"
#include "base/strings.h"
#include "index/errors.h"

namespace cairn::api {
namespace {

Result<std::optional<std::int64_t>> optional_integer(const Call& call, std::string_view name) {
  if (!call.query(name)) return std::optional<std::int64_t>();
  CAIRN_TRY(const std::int64_t value, call.integer(name, 0));
  if (value < 0)
    return illegal_argument("sequence numbers must be non negative. got [" + std::to_string(value) +
                            "].");
  return std::optional(value);
}

}  // namespace

Result<WriteQuery> write_query(const Call& call) {
  WriteQuery query;
  CAIRN_TRY(query.refresh, refresh_policy(call));
  CAIRN_TRY(query.require_alias, call.flag("require_alias", false));
  CAIRN_TRY(query.require_data_stream, call.flag("require_data_stream", false));
  CAIRN_TRY(const std::int64_t timeout, call.time("timeout", 60'000));
  query.deadline = timeout < 0 ? call.deadline() : call.deadline().sooner_ms(timeout);
  CAIRN_TRY(query.if_seq_no, optional_integer(call, "if_seq_no"));
  CAIRN_TRY(query.if_primary_term, optional_integer(call, "if_primary_term"));
  if (query.if_seq_no.has_value() != query.if_primary_term.has_value())
    return validation_fault({query.if_seq_no ? "ifSeqNo is set, but primary term is [0]"
                                             : "ifSeqNo is unassigned, but primary term is [" +
                                                   std::to_string(*query.if_primary_term) + "]"});
  CAIRN_CHECK(check_active_shards(call));
  query.routing = call.query("routing").value_or("");
  CAIRN_TRY(const bool shows_source, call.flag("include_source_on_error", false));
  if (shows_source)
    return illegal_argument(
        "[include_source_on_error] can only be [false]: an error says where a document is wrong, "
        "and "
        "does not show it");
  CAIRN_CHECK(check_pipeline(call.query("pipeline").value_or("_none")));
  return query;
}

// One copy is all there is, and it is always active.
Status check_active_shards(const Call& call) {
  const std::string given = call.query("wait_for_active_shards").value_or("1");
  if (given == "all" || given == "index-setting") return ok_status();
  const auto count = parse_number<std::int64_t>(given);
  if (!count || *count < 0)
    return illegal_argument("cannot parse ActiveShardCount[" + given + "]");
  if (*count <= 1) return ok_status();
  return Error{.kind = ErrorKind::unavailable,
               .code = "unavailable_shards_exception",
               .message = "[wait_for_active_shards=" + given +
                          "] cannot be met: one node serves, so there is one copy of each shard"};
}

Status check_pipeline(const std::string& name) {
  if (name == "_none") return ok_status();
  return illegal_argument("pipeline with id [" + name + "] does not exist");
}

Status check_auto_create(const Call& call, const index::Indices& indices, std::string_view name) {
  if (indices.knows(name)) return ok_status();
  return call.require_index("auto_configure", name);
}

Result<WriteTarget> write_target(const index::Indices& indices, const std::string& name,
                                 const WriteQuery& query, index::StreamWrite write) {
  if (write == index::StreamWrite::index && query.if_seq_no)
    write = index::StreamWrite::index_if_unchanged;
  const auto streams = indices.data_streams();
  CAIRN_CHECK(index::check_stream_write(*streams, name, write));
  if (indices.is_alias(name) || streams->find(name) != nullptr) {
    if (query.require_alias && !indices.is_alias(name)) return index::no_such_alias(name);
    CAIRN_TRY(auto place, indices.find_write(name, query.routing));
    if (query.require_data_stream && !place.is_stream) return index::no_such_stream(name);
    return WriteTarget{place.index->name(), std::move(place.routing), true};
  }
  if (query.require_alias) return index::no_such_alias(name);
  WriteTarget out{name, query.routing};
  const bool creates = write != index::StreamWrite::remove && write != index::StreamWrite::update;
  if (!creates || indices.knows(name)) {
    if (query.require_data_stream) return index::no_such_stream(name);
    return out;
  }
  CAIRN_TRY(const auto found, indices.templated(name, {}));
  out.makes_stream = found.data_stream.has_value();
  if (out.makes_stream) CAIRN_CHECK(index::check_new_stream_write(write));
  if (!out.makes_stream && query.require_data_stream) return index::no_such_stream(name);
  return out;
}

std::vector<gate::Parameter> with_write_options(std::vector<gate::Parameter> more) {
  const std::vector<gate::Parameter> own = {
      {"refresh", "string", "true, false or wait_for: when searches see the change."},
      {"timeout", "time", "How long to wait; 1m where absent."},
      {"require_alias", "boolean", "Refuse a name that is no alias."},
      {"require_data_stream", "boolean", "Refuse a name that is no data stream."},
      {"if_seq_no", "integer", "Only where the document's newest change has this number."},
      {"if_primary_term", "integer", "Goes with if_seq_no."},
      {"pipeline", "string", "Only _none: there are no pipelines."},
      {"include_source_on_error", "boolean", "Only false: errors say where, and show no document."},
      {"routing", "string", "Kept with the document, shown as _routing; there is one shard."},
      {"wait_for_active_shards", "string", "There is one shard."}};
  more.insert(more.end(), own.begin(), own.end());
  return more;
}

}  // namespace cairn::api
