// SPDX-License-Identifier: Apache-2.0
#include "tasks/async_records.h"

#include <set>
#include <vector>

#include "os/log.h"

namespace cairn::tasks {
namespace {

constexpr std::string_view head_prefix = "async/head/";
constexpr std::string_view answer_prefix = "async/answer/";

std::string head_key(const std::string& id) { return std::string(head_prefix) + id; }
std::string answer_key(const std::string& id) { return std::string(answer_prefix) + id; }

}  // namespace

Status AsyncRecords::put_answer(const std::string& id, std::string_view answer,
                                const os::Deadline& deadline) {
  CAIRN_CHECK(store_.put(answer_key(id), answer, deadline));
  return ok_status();
}

Result<std::optional<std::string>> AsyncRecords::answer(const std::string& id,
                                                        const os::Deadline& deadline) const {
  auto object = store_.get(answer_key(id), deadline);
  if (object.ok()) return std::optional(std::move(object->bytes));
  if (object.error().kind == ErrorKind::not_found) return std::optional<std::string>();
  return std::move(object).error();
}

Status AsyncRecords::remove_answer(const std::string& id, const os::Deadline& deadline) {
  CAIRN_CHECK(store_.remove(answer_key(id), deadline));
  return ok_status();
}

Status AsyncRecords::put_head(const std::string& id, const Json& head,
                              const os::Deadline& deadline) {
  CAIRN_CHECK(store_.put(head_key(id), head.dump(), deadline));
  return ok_status();
}

Status AsyncRecords::remove_head(const std::string& id, const os::Deadline& deadline) {
  CAIRN_CHECK(store_.remove(head_key(id), deadline));
  return ok_status();
}

Status AsyncRecords::each_head(
    const os::Deadline& deadline,
    const std::function<Status(const std::string& id, const Json& head)>& each) const {
  return store::for_each_object(store_, head_prefix, deadline, [&](const store::ObjectInfo& info) {
    auto object = store_.get(info.key, deadline);
    const auto head = object.ok() ? parse_json(object->bytes) : Result<Json>(object.error());
    if (head.ok()) return each(info.key.substr(head_prefix.size()), *head);
    os::log(os::LogLevel::error, "tasks", "the head of an async search cannot be read",
            {{"key", info.key}, {"reason", head.error().message}});
    return ok_status();
  });
}

Status AsyncRecords::remove_leftovers(const os::Deadline& deadline) {
  std::set<std::string> heads;
  CAIRN_CHECK(
      store::for_each_object(store_, head_prefix, deadline, [&](const store::ObjectInfo& info) {
        heads.insert(info.key.substr(head_prefix.size()));
        return ok_status();
      }));
  std::vector<std::string> gone;
  CAIRN_CHECK(
      store::for_each_object(store_, answer_prefix, deadline, [&](const store::ObjectInfo& info) {
        if (!heads.contains(info.key.substr(answer_prefix.size()))) gone.push_back(info.key);
        return ok_status();
      }));
  for (const std::string& key : gone) CAIRN_CHECK(store_.remove(key, deadline));
  return ok_status();
}

}  // namespace cairn::tasks
