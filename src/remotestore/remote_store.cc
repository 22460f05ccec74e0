// SPDX-License-Identifier: Apache-2.0
#include "remotestore/remote_store.h"

#include <algorithm>

#include "base/encode.h"
#include "remotestore/changes.h"
#include "remotestore/listing.h"
#include "remotestore/names.h"

namespace cairn::remotestore {
namespace {

using store::Condition;
using store::ListPage;
using store::ListParams;
using store::ObjectInfo;
using store::Range;

constexpr std::size_t batch_max = 1000;
constexpr std::size_t heads_instead = 3;  // so many keys are looked at one by one
constexpr int removals_max = 16;
constexpr std::uint64_t copied_part_max = 1ull << 30;

Error outside_object(const std::string& key, std::uint64_t offset, std::uint64_t size) {
  return {.kind = ErrorKind::invalid_argument,
          .message = "the range starts at " + std::to_string(offset) + " and [" + key + "] has " +
                     std::to_string(size) + " bytes"};
}

Error damaged_object(const Where& where, const std::string& name) {
  return {.kind = ErrorKind::corrupt,
          .message = "s3://" + where.wire().place().bucket + "/" + name +
                     " is shorter than anything that Cairn puts"};
}

class RemoteStore final : public store::Store {
 public:
  RemoteStore(Where where, std::shared_ptr<void> owner)
      : owner_(std::move(owner)), where_(std::move(where)) {}

  Result<store::Object> get(std::string_view key, const os::Deadline& deadline,
                            Range range) override {
    CAIRN_CHECK(deadline.check("read an object"));
    CAIRN_TRY(const std::string name, where_.name_of(key));
    const bool whole = range.offset == 0 && range.count == UINT64_MAX;
    auto got = wire().get(name, whole ? std::nullopt : std::optional(range), deadline);
    if (!got.ok() && got.error().kind == ErrorKind::invalid_argument && !whole)
      return past_the_end(key, name, range, deadline);
    CAIRN_TRY(RemoteObject object, std::move(got));
    if (object.info.size_bytes < where_.tail_bytes()) return damaged_object(where_, name);
    store::Object out{.info = where_.shown(std::string(key), object.info),
                      .bytes = std::move(object.bytes)};
    if (range.offset > out.info.size_bytes)
      return outside_object(out.info.key, range.offset, out.info.size_bytes);
    const std::uint64_t count = std::min(range.count, out.info.size_bytes - range.offset);
    if (out.bytes.size() < count)
      return Error{.kind = ErrorKind::unavailable, .message = "the cluster sent a part of " + name};
    out.bytes.resize(count);
    return out;
  }

  Result<std::optional<ObjectInfo>> head(std::string_view key,
                                         const os::Deadline& deadline) override {
    CAIRN_CHECK(deadline.check("look at an object"));
    CAIRN_TRY(const std::string name, where_.name_of(key));
    CAIRN_TRY(const auto found, wire().head(name, deadline));
    if (!found) return std::optional<ObjectInfo>();
    if (found->size_bytes < where_.tail_bytes()) return damaged_object(where_, name);
    return std::optional(where_.shown(std::string(key), *found));
  }

  Result<ObjectInfo> put(std::string_view key, std::string_view bytes, const os::Deadline& deadline,
                         const Condition& condition) override {
    CAIRN_CHECK(deadline.check("put an object"));
    if (bytes.size() > where_.options.part_bytes) {
      CAIRN_TRY(const auto upload, begin_upload(key, deadline));
      CAIRN_CHECK(upload->write(bytes));
      return upload->finish(condition);
    }
    CAIRN_TRY(const std::string name, where_.name_of(key));
    CAIRN_TRY(const Abilities abilities, where_.shared.abilities(deadline));
    CAIRN_TRY(const os::Deadline until, where_.allowed(deadline));
    const std::string mark = new_mark(where_.shared.clock, where_.shared.random);
    const PutMetadata metadata = where_.metadata(key, name, mark);
    std::string body(bytes);
    if (where_.options.marked) body += mark;
    const Turn turn(where_, abilities, name);
    CAIRN_TRY(std::string etag,
              make_change(
                  wire(), {.name = name, .mark = metadata.mark, .condition = condition},
                  [&](bool retries) {
                    return wire().put(name, body, metadata, condition, retries, until);
                  },
                  until));
    return ObjectInfo{.key = std::string(key),
                      .size_bytes = bytes.size(),
                      .etag = std::move(etag),
                      .modified_ms = time_of_mark(metadata.mark).value_or(0)};
  }

  Result<std::unique_ptr<store::Upload>> begin_upload(std::string_view key,
                                                      const os::Deadline& deadline) override {
    CAIRN_CHECK(deadline.check("begin an upload"));
    CAIRN_TRY(std::string name, where_.name_of(key));
    CAIRN_TRY(const Abilities abilities, where_.shared.abilities(deadline));
    CAIRN_TRY(const os::Deadline until, where_.allowed(deadline));
    static_cast<void>(until);
    return begin_remote_upload(where_, key, std::move(name), abilities, deadline);
  }

  Result<ListPage> list(const ListParams& params, const os::Deadline& deadline) override {
    return list_page(
        {.wire = wire(),
         .prefix = where_.prefix,
         .plain_keys = where_.options.plain_keys,
         .shown = [this](std::string key,
                         const RemoteInfo& info) { return where_.shown(std::move(key), info); }},
        params, deadline);
  }

  Result<bool> remove(std::string_view key, const os::Deadline& deadline,
                      const Condition& condition) override {
    CAIRN_CHECK(deadline.check("remove an object"));
    CAIRN_TRY(const std::string name, where_.name_of(key));
    CAIRN_TRY(const Abilities abilities, where_.shared.abilities(deadline));
    CAIRN_TRY(const os::Deadline until, where_.allowed(deadline));
    if (!abilities.conditional_delete) return remove_here(name, abilities, condition, until);
    if (condition.if_match) {
      CAIRN_CHECK(remove_version(wire(), name, *condition.if_match, until));
      return true;
    }
    for (int attempt = 1;; ++attempt) {
      CAIRN_TRY(const auto now, wire().head(name, until));
      if (!now) return false;
      const Status gone = remove_version(wire(), name, now->etag, until);
      if (gone.ok()) return true;
      // Somebody was faster: it is looked at again.
      if (gone.error().kind != ErrorKind::precondition_failed || attempt == removals_max)
        return gone.error();
    }
  }

  Result<std::size_t> remove_batch(const std::vector<std::string>& given,
                                   const os::Deadline& deadline) override {
    CAIRN_CHECK(deadline.check("remove objects"));
    std::vector<std::string> keys = given;
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    for (const std::string& key : keys) CAIRN_CHECK(where_.name_of(key));
    if (keys.empty()) return std::size_t{0};
    CAIRN_CHECK(where_.shared.abilities(deadline));
    CAIRN_CHECK(where_.allowed(deadline));
    CAIRN_TRY(const std::vector<std::string> names, names_there(keys, deadline));
    for (std::size_t i = 0; i < names.size(); i += batch_max) {
      const auto begin = names.begin() + static_cast<std::ptrdiff_t>(i);
      const std::size_t count = std::min(batch_max, names.size() - i);
      CAIRN_TRY(const os::Deadline until, where_.allowed(deadline));
      CAIRN_CHECK(wire().remove_many({begin, begin + static_cast<std::ptrdiff_t>(count)}, until));
    }
    return names.size();
  }

  Result<ObjectInfo> copy(std::string_view from, std::string_view to, const os::Deadline& deadline,
                          const Condition& condition) override {
    CAIRN_CHECK(deadline.check("copy an object"));
    CAIRN_TRY(const std::string source, where_.name_of(from));
    CAIRN_TRY(const std::string target, where_.name_of(to));
    CAIRN_TRY(const auto found, wire().head(source, deadline));
    if (!found)
      return Error{.kind = ErrorKind::not_found,
                   .message = "there is no object [" + std::string(from) + "]"};
    if (found->size_bytes < where_.tail_bytes()) return damaged_object(where_, source);
    if (found->size_bytes - where_.tail_bytes() <= where_.options.part_bytes) {
      CAIRN_TRY(const store::Object object, get(from, deadline, {}));
      return put(to, object.bytes, deadline, condition);
    }
    return copy_in_parts(*found, std::string(to), target, condition, deadline);
  }

 private:
  Wire& wire() const { return where_.wire(); }

  /// What a range beyond the last byte means: nothing is there at the end, all else is an error.
  Result<store::Object> past_the_end(std::string_view key, const std::string& name, Range range,
                                     const os::Deadline& deadline) {
    CAIRN_TRY(const auto found, wire().head(name, deadline));
    if (!found)
      return Error{.kind = ErrorKind::not_found,
                   .message = "there is no object [" + std::string(key) + "]"};
    if (found->size_bytes < where_.tail_bytes()) return damaged_object(where_, name);
    store::Object out{.info = where_.shown(std::string(key), *found), .bytes = {}};
    if (range.offset == out.info.size_bytes) return out;
    return outside_object(out.info.key, range.offset, out.info.size_bytes);
  }

  /// A removal where the cluster deletes whatever is there.
  Result<bool> remove_here(const std::string& name, const Abilities& abilities,
                           const Condition& condition, const os::Deadline& deadline) {
    const Turn turn(where_, abilities, name);
    if (condition.if_match) {
      CAIRN_CHECK(judge_here(where_, name, condition, deadline));
    } else {
      CAIRN_TRY(const auto now, wire().head(name, deadline));
      if (!now) return false;
    }
    const Answer gone = wire().remove(name, std::nullopt, true, deadline);
    if (gone.outcome == Outcome::done || gone.outcome == Outcome::absent) return true;
    if (gone.outcome != Outcome::unclear) return gone.error;
    CAIRN_TRY(const auto left, wire().head(name, deadline));
    if (!left) return true;
    return gone.error;
  }

  /// The names of those keys that hold something; sorted keys, each once. Listings tell of many
  /// neighbours at once what a look tells of one.
  Result<std::vector<std::string>> names_there(const std::vector<std::string>& keys,
                                               const os::Deadline& deadline) {
    std::vector<std::string> names;
    const auto [a, b] = std::mismatch(keys.front().begin(), keys.front().end(), keys.back().begin(),
                                      keys.back().end());
    const std::string shared_prefix(keys.front().begin(), a);
    for (std::size_t i = 0; i < keys.size();) {
      CAIRN_TRY(std::string name, where_.name_of(keys[i]));
      bool looked = keys.size() - i <= heads_instead;
      if (!looked) {
        const std::string before = keys[i].substr(0, keys[i].size() - 1);
        CAIRN_TRY(const ListPage page,
                  list({.prefix = shared_prefix, .start_after = before, .limit = 1000}, deadline));
        const bool at_end = page.next_start_after.empty();
        const std::size_t first = i;
        for (auto object = page.objects.begin(); i < keys.size(); ++i) {
          while (object != page.objects.end() && object->key < keys[i]) ++object;
          if (object == page.objects.end() && !at_end) break;
          if (object == page.objects.end() || object->key != keys[i]) continue;
          CAIRN_TRY(std::string there, where_.name_of(keys[i]));
          names.push_back(std::move(there));
        }
        looked = i == first;  // the page ended before it
      }
      if (!looked) continue;
      CAIRN_TRY(const auto found, wire().head(name, deadline));
      if (found) names.push_back(std::move(name));
      ++i;
    }
    return names;
  }

  Result<ObjectInfo> copy_in_parts(const RemoteInfo& from, const std::string& key,
                                   const std::string& target, const Condition& condition,
                                   const os::Deadline& deadline) {
    CAIRN_TRY(const Abilities abilities, where_.shared.abilities(deadline));
    CAIRN_CHECK(where_.allowed(deadline));
    const std::string mark = new_mark(where_.shared.clock, where_.shared.random);
    const PutMetadata metadata = where_.metadata(key, target, mark);
    CAIRN_TRY(RemoteUpload upload, wire().begin(target, metadata, deadline));
    const std::uint64_t size = from.size_bytes - where_.tail_bytes();
    const auto whole = [&]() -> Result<std::string> {
      const std::uint64_t parts = (size + copied_part_max - 1) / copied_part_max;
      for (std::uint64_t i = 0; i < parts; ++i) {
        const std::uint64_t begin = size / parts * i;
        const std::uint64_t end = i + 1 == parts ? size : size / parts * (i + 1);
        CAIRN_CHECK(
            wire().copy_part(upload, from, {.offset = begin, .count = end - begin}, deadline));
      }
      if (where_.options.marked) CAIRN_CHECK(wire().send_part(upload, mark, deadline));
      CAIRN_TRY(const os::Deadline until, where_.allowed(deadline));
      const Turn turn(where_, abilities, target);
      Condition asked = condition;
      if ((condition.if_match || condition.if_none_match) && !abilities.conditional_complete) {
        CAIRN_CHECK(judge_here(where_, target, condition, until));
        asked = {};
      }
      return make_change(
          wire(), {.name = target, .mark = metadata.mark, .condition = asked},
          [&](bool) { return wire().complete(upload, asked, until); }, until);
    };
    auto etag = whole();
    if (!etag.ok()) {
      static_cast<void>(wire().abort(upload, os::Deadline::in_ms(15'000)).ok());
      return std::move(etag).error();
    }
    return ObjectInfo{.key = key,
                      .size_bytes = size,
                      .etag = std::move(*etag),
                      .modified_ms = time_of_mark(metadata.mark).value_or(0)};
  }

  const std::shared_ptr<void> owner_;
  const Where where_;
};

}  // namespace

Result<std::string> Where::name_of(std::string_view key) const {
  if (key.empty() || key.size() > key_bytes_max)
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = "a key has 1 to " + std::to_string(key_bytes_max) +
                            " bytes, and this one has " + std::to_string(key.size())};
  if (options.plain_keys && !is_plain_key(key, prefix.size()))
    return Error{.kind = ErrorKind::invalid_argument,
                 .message =
                     "a key of this store is UTF-8 without control characters, in pieces of 1 "
                     "to 255 bytes between slashes"};
  return prefix + name_of_key(key, prefix.size());
}

store::ObjectInfo Where::shown(std::string key, const RemoteInfo& info) const {
  return {.key = std::move(key),
          .size_bytes = info.size_bytes - std::min<std::uint64_t>(info.size_bytes, tail_bytes()),
          .etag = info.etag,
          .modified_ms = time_of_mark(info.mark).value_or(info.modified_ms)};
}

Result<os::Deadline> Where::allowed(const os::Deadline& deadline) const {
  if (options.guard == nullptr) return deadline;
  return options.guard->check(deadline);
}

PutMetadata Where::metadata(std::string_view key, const std::string& name,
                            std::string_view mark) const {
  PutMetadata out{.mark = to_hex(mark)};
  const bool aside = name.compare(prefix.size(), aside_area.size(), aside_area) == 0;
  if (aside && key.size() > aside_head_bytes) out.key = key;
  return out;
}

Turn::Turn(const Where& where, const Abilities& abilities, const std::string& name) {
  if (abilities.conditional_complete && abilities.conditional_delete) return;
  mutex_ = &where.shared.turn_of(name);
  mutex_->lock();
}

Turn::~Turn() {
  if (mutex_ != nullptr) mutex_->unlock();
}

Status judge_here(const Where& where, const std::string& name, const Condition& condition,
                  const os::Deadline& deadline) {
  if (where.options.guard == nullptr)
    return Error{.kind = ErrorKind::unsupported,
                 .message =
                     "this cluster does not heed conditions of deletions and of uploads in "
                     "parts, and other processes may write here: " +
                     where.wire().place().shown()};
  CAIRN_TRY(const auto now, where.wire().head(name, deadline));
  const bool holds = condition.if_none_match ? !now : now && now->etag == *condition.if_match;
  if (holds) return ok_status();
  return Error{
      .kind = ErrorKind::precondition_failed,
      .message = "the condition does not hold: s3://" + where.wire().place().bucket + "/" + name};
}

std::unique_ptr<store::Store> make_store(Where where, std::shared_ptr<void> owner) {
  return std::make_unique<RemoteStore>(std::move(where), std::move(owner));
}

}  // namespace cairn::remotestore
