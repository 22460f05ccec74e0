// SPDX-License-Identifier: Apache-2.0
#include "index/names/data_streams.h"

#include <algorithm>
#include <cstdio>

#include "base/strings.h"
#include "index/dates/dates.h"
#include "index/errors.h"
#include "index/indices.h"

namespace cairn::index {
namespace {

constexpr std::string_view backing_prefix = ".ds-";
constexpr std::size_t streams_max = 10'000;
constexpr std::size_t backing_max = 100'000;  // of all streams

std::string six_digits(std::int64_t number) {
  std::string out = std::to_string(number);
  if (out.size() < 6) out.insert(0, 6 - out.size(), '0');
  return out;
}

Json stream_to_json(const DataStream& stream) {
  Json indices = Json::array();
  for (const BackingIndex& one : stream.indices)
    indices.push(Json::object({{"name", one.name}, {"uuid", one.uuid}}));
  Json out = Json::object({{"indices", std::move(indices)},
                           {"generation", stream.generation},
                           {"hidden", stream.hidden},
                           {"allow_custom_routing", stream.allow_custom_routing}});
  if (stream.rollover_on_write) out.set("rollover_on_write", true);
  return out;
}

Result<DataStream> stream_from_json(const std::string& name, const Json& json) {
  DataStream out;
  const Json* indices = json.find("indices");
  if (indices == nullptr || !indices->is_array() || indices->as_array().empty())
    return illegal_argument("data stream [" + name + "] has no indices");
  for (const Json& one : indices->as_array())
    out.indices.push_back({.name = one.string_or("name"), .uuid = one.string_or("uuid")});
  out.generation = json.int_or("generation", 1);
  out.hidden = json.bool_or("hidden");
  out.allow_custom_routing = json.bool_or("allow_custom_routing");
  out.rollover_on_write = json.bool_or("rollover_on_write");
  return out;
}

}  // namespace

const DataStream* StreamTable::find(std::string_view name) const {
  const auto found = streams_.find(name);
  return found == streams_.end() ? nullptr : &found->second;
}

const std::string* StreamTable::stream_of(std::string_view index) const {
  const auto found = by_index_.find(index);
  return found == by_index_.end() ? nullptr : &found->second;
}

void StreamTable::put(const std::string& name, DataStream stream) {
  remove(name);
  for (const BackingIndex& one : stream.indices) by_index_.insert_or_assign(one.name, name);
  streams_.insert_or_assign(name, std::move(stream));
}

bool StreamTable::remove(std::string_view name) {
  const auto found = streams_.find(name);
  if (found == streams_.end()) return false;
  for (const BackingIndex& one : found->second.indices) by_index_.erase(one.name);
  streams_.erase(found);
  return true;
}

void StreamTable::remove_index(std::string_view index) {
  const auto of = by_index_.find(index);
  if (of == by_index_.end()) return;
  const auto stream = streams_.find(of->second);
  std::erase_if(stream->second.indices, [&](const auto& one) { return one.name == index; });
  if (stream->second.indices.empty()) streams_.erase(stream);
  by_index_.erase(of);
}

Status StreamTable::check() const {
  if (streams_.size() <= streams_max && by_index_.size() <= backing_max) return ok_status();
  return illegal_argument("[" + std::to_string(streams_max) + "] data streams with [" +
                          std::to_string(backing_max) +
                          "] indices in all are kept at most; delete some");
}

Json StreamTable::to_json() const {
  Json::Object out;
  out.reserve(streams_.size());
  for (const auto& [name, stream] : streams_) out.emplace_back(name, stream_to_json(stream));
  return Json(std::move(out));
}

Result<StreamTable> StreamTable::from_json(const Json& json) {
  if (!json.is_object()) return illegal_argument("the data streams are no object");
  StreamTable out;
  for (const auto& [name, stream] : json.as_object()) {
    CAIRN_TRY(auto read, stream_from_json(name, stream));
    out.put(name, std::move(read));
  }
  return out;
}

Status check_new_stream_write(StreamWrite write) {
  if (write == StreamWrite::create) return ok_status();
  return illegal_argument("only write ops with an op_type of create are allowed in data streams");
}

Status check_stream_write(const StreamTable& streams, std::string_view name, StreamWrite write) {
  if (streams.find(name) != nullptr) return check_new_stream_write(write);
  if (write != StreamWrite::create && write != StreamWrite::index) return ok_status();
  const std::string* stream = streams.stream_of(name);
  if (stream == nullptr) return ok_status();
  if (write == StreamWrite::create)
    return illegal_argument(
        "index request with op_type=create targeting backing indices is disallowed, target "
        "corresponding data stream [" +
        *stream + "] instead");
  return illegal_argument(
      "index request with op_type=index and no if_primary_term and if_seq_no set targeting backing "
      "indices is disallowed, target corresponding data stream [" +
      *stream + "] instead");
}

std::string backing_index_name(std::string_view stream, std::int64_t generation,
                               std::int64_t now_ms) {
  const auto day = DateFormat::parse("yyyy.MM.dd");
  return std::string(backing_prefix) + std::string(stream) + "-" + day.value().write(now_ms) + "-" +
         six_digits(generation);
}

Result<std::string> next_index_name(std::string_view name) {
  const auto dash = name.rfind('-');
  const std::string_view digits =
      dash == std::string_view::npos ? std::string_view() : name.substr(dash + 1);
  const auto number = parse_number<std::int64_t>(digits);
  if (!number || *number < 0 || *number == INT64_MAX || digits.front() == '+')
    return illegal_argument("index name [" + std::string(name) +
                            "] does not match pattern '^.*-\\d+$'; name the new index in the "
                            "request: /{alias}/_rollover/{new_index}");
  return std::string(name.substr(0, dash + 1)) + six_digits(*number + 1);
}

Status check_data_stream_name(std::string_view name) {
  const auto fault = [&](const std::string& why) {
    return illegal_argument("data_stream [" + std::string(name) + "] " + why);
  };
  if (name.starts_with(backing_prefix)) return fault("must not start with '.ds-'");
  const Status as_index = Indices::check_name(name);
  if (as_index.ok()) return ok_status();
  const std::string& why = as_index.error().message;
  const auto comma = why.find("], ");
  return fault(comma == std::string::npos ? why : why.substr(comma + 3));
}

}  // namespace cairn::index
