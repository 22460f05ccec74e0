// SPDX-License-Identifier: Apache-2.0
// The calls about locks (git-lfs docs/api/locking.md).
#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "lfs/service.h"
#include "os/threads/blocking.h"

namespace cairn::lfs {
namespace {

constexpr std::int64_t page_usual = 100;
constexpr std::int64_t page_most = 1'000;

/// Whose a lock is: all keys of a user are the user's. The name is for people.
struct Holder {
  std::string account;
  std::string name;
};
Holder holder_of(const gate::Caller& caller) {
  Holder out{.account = caller.counted_as().account, .name = {}};
  const std::string_view account = out.account;
  out.name = account.starts_with("user:") ? std::string(account.substr(5)) : caller.key().name;
  if (out.name.empty()) out.name = caller.username();
  return out;
}

/// An empty body is an object without members, as clients send it.
Result<Json> read_body(std::string_view body) {
  if (trim(body).empty()) return Json::object();
  auto parsed = parse_json(body);
  if (parsed.ok() && parsed->is_object()) return parsed;
  return unprocessable("the body must be a JSON object");
}

Result<std::string> text_in(const Json& body, std::string_view name) {
  const Json* const value = body.find(name);
  if (value == nullptr || value->is_null()) return std::string();
  if (value->is_string()) return value->as_string();
  return unprocessable("[" + std::string(name) + "] must be a string");
}

Result<std::size_t> limit_of(std::optional<std::int64_t> given) {
  if (!given || *given == 0) return static_cast<std::size_t>(page_usual);
  if (*given < 0) return unprocessable("[limit] must be a number from 1");
  return static_cast<std::size_t>(std::min(*given, page_most));
}

Json locks_json(const std::vector<Lock>& locks) {
  Json out = Json::array();
  for (const Lock& lock : locks) out.push(lock_json(lock));
  return out;
}

std::string parameter(const Request& request, std::string_view name) {
  const auto query = net::parse_query(request.head.query());
  if (!query.ok()) return {};
  for (const auto& [key, value] : *query)
    if (key == name) return value;
  return {};
}

}  // namespace

Result<Answer> Service::lock(const Request& request) const {
  const os::Blocking blocking;
  CAIRN_TRY(const auto repository, Repository::parse(request.owner, request.repository));
  CAIRN_CHECK(repository.admit(request.caller, "write"));
  CAIRN_TRY(const Json body, read_body(request.body));
  CAIRN_TRY(const std::string path, text_in(body, "path"));
  const Holder holder = holder_of(request.caller);
  CAIRN_TRY(const Locks::Taken taken,
            params_.locks->take(repository, path, holder.account, holder.name, request.deadline));
  Json out = Json::object({{"lock", lock_json(taken.lock)}});
  if (taken.made) return Answer{201, std::move(out)};
  const bool own = taken.lock.account == holder.account;
  out.set("message", "[" + path + "] is locked already, by " +
                         (own ? std::string("yourself") : taken.lock.owner));
  return Answer{409, std::move(out)};
}

Result<Answer> Service::list_locks(const Request& request) const {
  const os::Blocking blocking;
  CAIRN_TRY(const auto repository, Repository::parse(request.owner, request.repository));
  CAIRN_CHECK(repository.admit(request.caller, "read"));
  const std::string path = parameter(request, "path");
  const std::string id = parameter(request, "id");
  if (!path.empty() || !id.empty()) {
    CAIRN_TRY(auto one, id.empty() ? params_.locks->by_path(repository, path, request.deadline)
                                   : params_.locks->by_id(repository, id, request.deadline));
    if (one && !path.empty() && one->path != path) one.reset();
    std::vector<Lock> found;
    if (one) found.push_back(*std::move(one));
    return Answer{200, Json::object({{"locks", locks_json(found)}})};
  }
  const std::string given = parameter(request, "limit");
  const auto number = parse_number<std::int64_t>(given);
  if (!given.empty() && !number) return unprocessable("[limit] must be a number from 1");
  CAIRN_TRY(const std::size_t limit, limit_of(number));
  CAIRN_TRY(const Locks::Page page,
            params_.locks->page(repository, parameter(request, "cursor"), limit, request.deadline));
  Json out = Json::object({{"locks", locks_json(page.locks)}});
  if (!page.next_cursor.empty()) out.set("next_cursor", page.next_cursor);
  return Answer{200, std::move(out)};
}

Result<Answer> Service::verify_locks(const Request& request) const {
  const os::Blocking blocking;
  CAIRN_TRY(const auto repository, Repository::parse(request.owner, request.repository));
  CAIRN_CHECK(repository.admit(request.caller, "write"));
  CAIRN_TRY(const Json body, read_body(request.body));
  CAIRN_TRY(const std::string cursor, text_in(body, "cursor"));
  const Json* const given = body.find("limit");
  const bool there = given != nullptr && !given->is_null();
  if (there && !given->is_integer()) return unprocessable("[limit] must be a number from 1");
  CAIRN_TRY(const std::size_t limit,
            limit_of(there ? std::optional(given->as_int()) : std::nullopt));
  CAIRN_TRY(Locks::Page page, params_.locks->page(repository, cursor, limit, request.deadline));
  const std::string account = holder_of(request.caller).account;
  const auto others =
      std::stable_partition(page.locks.begin(), page.locks.end(),
                            [&](const Lock& one) { return one.account == account; });
  Json out = Json::object({{"ours", locks_json({page.locks.begin(), others})},
                           {"theirs", locks_json({others, page.locks.end()})}});
  if (!page.next_cursor.empty()) out.set("next_cursor", page.next_cursor);
  return Answer{200, std::move(out)};
}

Result<Answer> Service::unlock(const Request& request) const {
  const os::Blocking blocking;
  CAIRN_TRY(const auto repository, Repository::parse(request.owner, request.repository));
  CAIRN_CHECK(repository.admit(request.caller, "write"));
  CAIRN_TRY(const Json body, read_body(request.body));
  const Json* const force = body.find("force");
  if (force != nullptr && !force->is_null() && !force->is_bool())
    return unprocessable("[force] must be true or false");
  const Error gone{.kind = ErrorKind::not_found,
                   .message = "there is no lock [" + std::string(request.id) + "] in repository [" +
                              repository.path() + "]"};
  CAIRN_TRY(const auto lock, params_.locks->by_id(repository, request.id, request.deadline));
  if (!lock) return gone;
  if (lock->account != holder_of(request.caller).account) {
    if (force == nullptr || !force->is_bool() || !force->as_bool())
      return Error{.kind = ErrorKind::permission_denied,
                   .code = "security_exception",
                   .message = "[" + lock->path + "] is locked by " + lock->owner +
                              "; unlock with force, if you must"};
    CAIRN_CHECK(repository.admit(request.caller, "manage"));
  }
  CAIRN_TRY(const bool done, params_.locks->release(repository, *lock, request.deadline));
  if (!done) return gone;
  return Answer{200, Json::object({{"lock", lock_json(*lock)}})};
}

}  // namespace cairn::lfs
