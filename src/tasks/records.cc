// SPDX-License-Identifier: Apache-2.0
#include "tasks/records.h"

#include "base/strings.h"
#include "os/log.h"

namespace cairn::tasks {
namespace {

constexpr std::string_view prefix = "task/";
constexpr std::size_t digits = 20;  // so that keys sort by number

std::string key_of(std::uint64_t number) {
  const std::string text = std::to_string(number);
  return std::string(prefix) + std::string(digits - text.size(), '0') + text;
}

}  // namespace

Status TaskRecords::put(std::uint64_t number, const Json& record, const os::Deadline& deadline) {
  CAIRN_CHECK(store_.put(key_of(number), record.dump(), deadline));
  return ok_status();
}

Result<std::optional<Json>> TaskRecords::get(std::uint64_t number,
                                             const os::Deadline& deadline) const {
  auto object = store_.get(key_of(number), deadline);
  if (!object.ok() && object.error().kind == ErrorKind::not_found) return std::optional<Json>();
  if (!object.ok()) return std::move(object).error();
  CAIRN_TRY(auto record, parse_json(object->bytes));
  return std::optional<Json>(std::move(record));
}

Status TaskRecords::remove(std::uint64_t number, const os::Deadline& deadline) {
  CAIRN_CHECK(store_.remove(key_of(number), deadline));
  return ok_status();
}

Status TaskRecords::each(
    const os::Deadline& deadline,
    const std::function<Status(std::uint64_t number, const Json& record)>& each) const {
  return store::for_each_object(store_, prefix, deadline, [&](const store::ObjectInfo& info) {
    const auto number = parse_number<std::uint64_t>(info.key.substr(prefix.size()));
    auto object = store_.get(info.key, deadline);
    const auto record = object.ok() ? parse_json(object->bytes) : Result<Json>(object.error());
    if (number && record.ok()) return each(*number, *record);
    os::log(os::LogLevel::error, "tasks", "a record cannot be read",
            {{"key", info.key}, {"reason", record.ok() ? "its name" : record.error().message}});
    return ok_status();
  });
}

}  // namespace cairn::tasks
