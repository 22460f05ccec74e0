// SPDX-License-Identifier: Apache-2.0
#include "index/replica/told_changes.h"

#include <algorithm>

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
  for (const auto& [uuid, at] : logs)
    told.emplace_back(uuid, Json::array({Json(at.epoch), Json(at.number)}));
  return Json::object({{"writer", writer},
                       {"until", Json(until)},
                       {"names", names},
                       {"logs", Json(std::move(told))}})
      .dump();
}

Result<ToldChanges> ToldChanges::decode(std::string_view text) {
  const auto json = parse_json(text);
  if (!json.ok() || !json->is_object()) return unreadable();
  ToldChanges out{.writer = json->string_or("writer"),
                  .until = static_cast<std::uint64_t>(json->int_or("until", 0)),
                  .names = json->bool_or("names", true)};
  const Json* logs = json->find("logs");
  if (out.writer.empty() || logs == nullptr || !logs->is_object()) return unreadable();
  for (const auto& [uuid, at] : logs->as_object()) {
    if (!at.is_array() || at.as_array().size() != 2) return unreadable();
    const Json &epoch = at.as_array()[0], &number = at.as_array()[1];
    if (!epoch.is_integer() || !number.is_integer()) return unreadable();
    out.logs[uuid] = {.epoch = static_cast<std::uint64_t>(epoch.as_int()),
                      .number = static_cast<std::uint64_t>(number.as_int())};
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
    if (one.changed_at > since) out.logs[one.uuid] = one.applied;
  }
  return out.encode();
}

}  // namespace cairn::index
