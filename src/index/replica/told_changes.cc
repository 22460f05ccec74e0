// SPDX-License-Identifier: Apache-2.0
#include "index/replica/told_changes.h"

#include <array>

#include "format/json.h"
#include "index/indices_impl.h"

namespace cairn::index {
namespace {

Error unreadable() {
  return {.kind = ErrorKind::corrupt,
          .message = "what the writer of the indices told is unreadable"};
}

}  // namespace

std::string ChangesQuestion::encode() const {
  return Json::object({{"writer", writer}, {"since", Json(since)}}).dump();
}

Result<ChangesQuestion> ChangesQuestion::decode(std::string_view text) {
  const auto json = parse_json(text);
  if (!json.ok() || !json->is_object())
    return Error{.kind = ErrorKind::invalid_argument, .message = "this asks for no changes"};
  return ChangesQuestion{.writer = json->string_or("writer"),
                         .since = static_cast<std::uint64_t>(json->int_or("since", 0))};
}

std::string ToldChanges::encode() const {
  Json::Object told;
  for (const auto& [uuid, index] : indices)
    told.emplace_back(
        uuid, Json::array({Json(index.log.epoch), Json(index.log.number), Json(index.version)}));
  return Json::object({{"writer", writer},
                       {"until", Json(until)},
                       {"names", names},
                       {"indices", Json(std::move(told))}})
      .dump();
}

Result<ToldChanges> ToldChanges::decode(std::string_view text) {
  const auto json = parse_json(text);
  if (!json.ok() || !json->is_object()) return unreadable();
  ToldChanges out{.writer = json->string_or("writer"),
                  .until = static_cast<std::uint64_t>(json->int_or("until", 0)),
                  .names = json->bool_or("names", true)};
  const Json* indices = json->find("indices");
  if (out.writer.empty() || indices == nullptr || !indices->is_object()) return unreadable();
  for (const auto& [uuid, told] : indices->as_object()) {
    if (!told.is_array() || told.as_array().size() != 3) return unreadable();
    std::array<std::uint64_t, 3> numbers = {};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (!told.as_array()[i].is_integer()) return unreadable();
      numbers[i] = static_cast<std::uint64_t>(told.as_array()[i].as_int());
    }
    out.indices[uuid] = {.log = {.epoch = numbers[0], .number = numbers[1]}, .version = numbers[2]};
  }
  return out;
}

// The number is read first: what changes after it is told the next time.
Result<std::string> Indices::tell_changes(std::string_view question) const {
  CAIRN_TRY(const ChangesQuestion asked, ChangesQuestion::decode(question));
  const Shared& shared = impl_->shared;
  const std::uint64_t since = asked.writer == shared.writer ? asked.since : 0;
  ToldChanges out{.writer = shared.writer, .until = shared.changes.load()};
  {
    const MutexLock lock(impl_->mutex);
    out.names = impl_->names_changed_at > since || impl_->unsettled;
  }
  for (const auto& index : impl_->all()) {
    Index::Impl& one = *index->impl_;
    const MutexLock lock(one.state_mutex);
    if (one.changed_at > since)
      out.indices[one.uuid] = {.log = one.applied, .version = one.current_version};
  }
  return out.encode();
}

}  // namespace cairn::index
