// SPDX-License-Identifier: Apache-2.0
#include "lfs/locks.h"

#include <algorithm>
#include <utility>

#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "format/time.h"
#include "lfs/batch.h"

namespace cairn::lfs {
namespace {

constexpr std::size_t path_bytes_max = 4'096;
constexpr std::size_t place_digits = 32;  // of the hash of the path
constexpr std::size_t turn_digits = 16;   // of what makes an id another one each time
constexpr int races_max = 8;

/// Where the lock of a path is, whoever has it: the first digits of its id.
std::string place_of(std::string_view path) { return to_hex(sha256(path)).substr(0, place_digits); }

std::string folder_of(const Repository& repository) { return "lock/" + repository.path() + "/"; }

bool is_place(std::string_view text) {
  return text.size() == place_digits && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

Status check_path(std::string_view path) {
  const bool fits = !path.empty() && path.size() <= path_bytes_max && is_utf8(path) &&
                    path.front() != '/' && path.find('\0') == std::string_view::npos;
  if (fits) return ok_status();
  return unprocessable("[path] must be the path of a file in the repository, of 1 to " +
                       std::to_string(path_bytes_max) + " bytes of UTF-8, without / before it");
}

std::string encoded(const Lock& lock) {
  return Json::object({{"id", lock.id},
                       {"path", lock.path},
                       {"account", lock.account},
                       {"owner", lock.owner},
                       {"locked_ms", lock.locked_ms}})
      .dump();
}

Result<Lock> decode_lock(const store::Object& object) {
  const auto json = parse_json(object.bytes);
  Lock out;
  if (json.ok() && json->is_object()) {
    out = {.id = json->string_or("id"),
           .path = json->string_or("path"),
           .account = json->string_or("account"),
           .owner = json->string_or("owner"),
           .locked_ms = json->int_or("locked_ms")};
  }
  if (out.id.size() == place_digits + turn_digits && !out.path.empty()) return out;
  return Error{ErrorKind::corrupt, "",
               "the record of a lock, " + object.info.key + ", does not read"};
}

}  // namespace

Json lock_json(const Lock& lock) {
  return Json::object({{"id", lock.id},
                       {"path", lock.path},
                       {"locked_at", format_iso8601(lock.locked_ms)},
                       {"owner", Json::object({{"name", lock.owner}})}});
}

Result<std::optional<Lock>> Locks::read(const std::string& key, const os::Deadline& deadline,
                                        std::string* etag) {
  auto object = store_.get(key, deadline);
  if (!object.ok() && object.error().kind == ErrorKind::not_found) return std::optional<Lock>();
  if (!object.ok()) return object.error();
  if (etag != nullptr) *etag = object->info.etag;
  CAIRN_TRY(Lock lock, decode_lock(*object));
  return std::optional(std::move(lock));
}

// A put whose answer was lost may have happened: the record that is there then has this id.
Result<Locks::Taken> Locks::take(const Repository& repository, std::string_view path,
                                 std::string_view account, std::string_view owner,
                                 const os::Deadline& deadline) {
  CAIRN_CHECK(check_path(path));
  const std::string place = place_of(path);
  const Lock lock{.id = place + to_hex(random_.bytes(turn_digits / 2)),
                  .path = std::string(path),
                  .account = std::string(account),
                  .owner = std::string(owner),
                  .locked_ms = clock_.unix_ms()};
  const std::string key = folder_of(repository) + place;
  for (int race = 0; race < races_max; ++race) {
    const auto put = store_.put(key, encoded(lock), deadline, {.if_none_match = true});
    if (put.ok()) return Taken{lock, true};
    if (put.error().kind != ErrorKind::precondition_failed) return put.error();
    CAIRN_TRY(auto there, read(key, deadline));
    if (!there) continue;  // it was given back meanwhile
    const bool own = there->id == lock.id;
    return Taken{*std::move(there), own};
  }
  return Error{ErrorKind::conflict, "", "the lock of [" + lock.path + "] kept changing hands"};
}

Result<std::optional<Lock>> Locks::by_path(const Repository& repository, std::string_view path,
                                           const os::Deadline& deadline) {
  return read(folder_of(repository) + place_of(path), deadline);
}

Result<std::optional<Lock>> Locks::by_id(const Repository& repository, std::string_view id,
                                         const os::Deadline& deadline) {
  const std::string_view place = id.substr(0, place_digits);
  if (id.size() != place_digits + turn_digits || !is_place(place)) return std::optional<Lock>();
  CAIRN_TRY(auto lock, read(folder_of(repository) + std::string(place), deadline));
  if (lock && lock->id != id) return std::optional<Lock>();  // it was locked anew
  return lock;
}

Result<Locks::Page> Locks::page(const Repository& repository, std::string_view cursor,
                                std::size_t limit, const os::Deadline& deadline) {
  if (!cursor.empty() && !is_place(cursor))
    return unprocessable("[cursor] must be what the page before gave as next_cursor");
  const std::string folder = folder_of(repository);
  CAIRN_TRY(const store::ListPage listed,
            store_.list({.prefix = folder,
                         .start_after = cursor.empty() ? "" : folder + std::string(cursor),
                         .limit = limit},
                        deadline));
  Page out;
  for (const store::ObjectInfo& info : listed.objects) {
    CAIRN_CHECK(deadline.check("reading locks"));
    CAIRN_TRY(auto lock, read(info.key, deadline));
    if (lock) out.locks.push_back(*std::move(lock));
  }
  if (!listed.next_start_after.empty() && !listed.objects.empty())
    out.next_cursor = listed.objects.back().key.substr(folder.size());
  return out;
}

Result<bool> Locks::release(const Repository& repository, const Lock& lock,
                            const os::Deadline& deadline) {
  const std::string key = folder_of(repository) + lock.id.substr(0, place_digits);
  std::string etag;
  CAIRN_TRY(const auto there, read(key, deadline, &etag));
  if (!there || there->id != lock.id) return false;
  auto removed = store_.remove(key, deadline, {.if_match = etag});
  if (!removed.ok() && removed.error().kind == ErrorKind::precondition_failed) return false;
  return removed;
}

}  // namespace cairn::lfs
