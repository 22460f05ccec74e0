// SPDX-License-Identifier: Apache-2.0
// A map under a lock.
#include "store/memory_store.h"

#include <algorithm>
#include <map>

#include "base/threads.h"

namespace cairn::store {
namespace {

constexpr std::size_t longest_key = 1024;

class MemoryStore;

class MemoryUpload final : public Upload {
 public:
  MemoryUpload(MemoryStore& store, std::string_view key, os::Deadline deadline)
      : store_(store), key_(key), deadline_(std::move(deadline)) {}
  Status write(std::string_view bytes) override;
  Result<ObjectInfo> finish(const Condition& condition) override;

 private:
  MemoryStore& store_;
  const std::string key_;
  const os::Deadline deadline_;
  std::string bytes_;
  bool finished_ = false;
};

class MemoryStore final : public Store {
 public:
  explicit MemoryStore(MemoryStoreOptions options) : options_(std::move(options)) {}

  /// What every call does first.
  Status begin(std::string_view call, std::string_view key, const os::Deadline& deadline) const {
    if (options_.before) CAIRN_CHECK(options_.before(call, key));
    return deadline.check(call);
  }

  static Status check_key(std::string_view key) {
    if (!key.empty() && key.size() <= longest_key) return ok_status();
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = "a key has 1 to " + std::to_string(longest_key) + " bytes, this one " +
                            std::to_string(key.size())};
  }

  Result<Object> get(std::string_view key, const os::Deadline& deadline, Range range) override {
    CAIRN_CHECK(begin("get", key, deadline));
    const MutexLock lock(mutex_);
    const auto at = objects_.find(key);
    if (at == objects_.end()) return no_object(key);
    const std::string& bytes = at->second.bytes;
    if (range.offset > bytes.size()) {
      return Error{.kind = ErrorKind::invalid_argument,
                   .message = "offset " + std::to_string(range.offset) + " is past the end of '" +
                              std::string(key) + "' (" + std::to_string(bytes.size()) + " bytes)"};
    }
    return Object{at->second.info, bytes.substr(range.offset, range.count)};
  }

  Result<std::optional<ObjectInfo>> head(std::string_view key,
                                         const os::Deadline& deadline) override {
    CAIRN_CHECK(begin("head", key, deadline));
    const MutexLock lock(mutex_);
    const auto at = objects_.find(key);
    if (at == objects_.end()) return std::optional<ObjectInfo>();
    return std::optional<ObjectInfo>(at->second.info);
  }

  Result<ObjectInfo> put(std::string_view key, std::string_view bytes, const os::Deadline& deadline,
                         const Condition& condition) override {
    CAIRN_CHECK(check_key(key));
    CAIRN_CHECK(begin("put", key, deadline));
    const MutexLock lock(mutex_);
    return put_locked(key, std::string(bytes), condition);
  }

  Result<std::unique_ptr<Upload>> begin_upload(std::string_view key,
                                               const os::Deadline& deadline) override {
    CAIRN_CHECK(check_key(key));
    CAIRN_CHECK(begin("begin_upload", key, deadline));
    return std::unique_ptr<Upload>(std::make_unique<MemoryUpload>(*this, key, deadline));
  }

  Result<ListPage> list(const ListParams& params, const os::Deadline& deadline) override {
    CAIRN_CHECK(begin("list", params.prefix, deadline));
    const MutexLock lock(mutex_);
    ListPage page;
    std::string last;
    Map::const_iterator at = start_of(params);
    while (at != objects_.end() && at->first.starts_with(params.prefix)) {
      if (page.objects.size() + page.prefixes.size() >= std::max<std::size_t>(params.limit, 1)) {
        page.next_start_after = last;
        break;
      }
      const std::size_t cut = params.delimiter.empty()
                                  ? std::string::npos
                                  : at->first.find(params.delimiter, params.prefix.size());
      if (cut == std::string::npos) {
        page.objects.push_back(at->second.info);
        last = at->first;
        ++at;
      } else {
        last = at->first.substr(0, cut + params.delimiter.size());
        page.prefixes.push_back(last);
        at = past_all(last);
      }
    }
    return page;
  }

  Result<bool> remove(std::string_view key, const os::Deadline& deadline,
                      const Condition& condition) override {
    CAIRN_CHECK(begin("remove", key, deadline));
    const MutexLock lock(mutex_);
    const auto at = objects_.find(key);
    if (condition.if_match) CAIRN_CHECK(check(key, condition));
    if (at == objects_.end()) return false;
    objects_.erase(at);
    return true;
  }

  Result<std::size_t> remove_batch(const std::vector<std::string>& keys,
                                   const os::Deadline& deadline) override {
    CAIRN_CHECK(begin("remove_batch", keys.empty() ? "" : keys.front(), deadline));
    const MutexLock lock(mutex_);
    std::size_t removed = 0;
    for (const std::string& key : keys) removed += objects_.erase(key);
    return removed;
  }

  Result<ObjectInfo> copy(std::string_view from, std::string_view to, const os::Deadline& deadline,
                          const Condition& condition) override {
    CAIRN_CHECK(check_key(to));
    CAIRN_CHECK(begin("copy", from, deadline));
    const MutexLock lock(mutex_);
    const auto at = objects_.find(from);
    if (at == objects_.end()) return no_object(from);
    return put_locked(to, at->second.bytes, condition);
  }

 private:
  using Map = std::map<std::string, Object, std::less<>>;

  static Error no_object(std::string_view key) {
    return {.kind = ErrorKind::not_found, .message = "no object '" + std::string(key) + "'"};
  }

  Status check(std::string_view key, const Condition& condition) const CAIRN_REQUIRES(mutex_) {
    const auto at = objects_.find(key);
    const bool there = at != objects_.end();
    const auto broken = [&](std::string_view what) {
      return Error{.kind = ErrorKind::precondition_failed,
                   .message = "object '" + std::string(key) + "' " + std::string(what)};
    };
    if (condition.if_none_match && there) return broken("exists already");
    if (condition.if_match && !there) return broken("does not exist");
    if (condition.if_match && at->second.info.etag != *condition.if_match) {
      return broken("was changed by somebody else");
    }
    return ok_status();
  }

  Result<ObjectInfo> put_locked(std::string_view key, std::string bytes, const Condition& condition)
      CAIRN_REQUIRES(mutex_) {
    CAIRN_CHECK(check(key, condition));
    Object object;
    object.info = {.key = std::string(key),
                   .size_bytes = bytes.size(),
                   .etag = "memory-" + std::to_string(++puts_),
                   .modified_ms = options_.clock->unix_ms()};
    object.bytes = std::move(bytes);
    const ObjectInfo info = object.info;
    objects_.insert_or_assign(std::string(key), std::move(object));
    return info;
  }

  // The first key that does not begin with `prefix` and sorts after those that do.
  Map::const_iterator past_all(std::string prefix) const CAIRN_REQUIRES(mutex_) {
    while (!prefix.empty() && prefix.back() == '\xFF') prefix.pop_back();
    if (prefix.empty()) return objects_.end();
    prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
    return objects_.lower_bound(prefix);
  }

  Map::const_iterator start_of(const ListParams& params) const CAIRN_REQUIRES(mutex_) {
    const std::string& after = params.start_after;
    if (after < params.prefix) return objects_.lower_bound(params.prefix);
    if (!params.delimiter.empty() && after.starts_with(params.prefix)) {
      const std::size_t cut = after.find(params.delimiter, params.prefix.size());
      // A folded prefix, or a key below one: all its keys are behind us.
      if (cut != std::string::npos) return past_all(after.substr(0, cut + params.delimiter.size()));
    }
    return objects_.upper_bound(after);
  }

  friend class MemoryUpload;
  const MemoryStoreOptions options_;
  mutable Mutex mutex_;
  Map objects_ CAIRN_GUARDED_BY(mutex_);
  std::uint64_t puts_ CAIRN_GUARDED_BY(mutex_) = 0;
};

Status MemoryUpload::write(std::string_view bytes) {
  CAIRN_CHECK(store_.begin("write", key_, deadline_));
  bytes_ += bytes;
  return ok_status();
}

Result<ObjectInfo> MemoryUpload::finish(const Condition& condition) {
  if (finished_) {
    return Error{.kind = ErrorKind::conflict,
                 .message = "the upload of '" + key_ + "' is finished already"};
  }
  CAIRN_CHECK(store_.begin("finish", key_, deadline_));
  const MutexLock lock(store_.mutex_);
  CAIRN_CHECK(store_.check(key_, condition));  // before the bytes move: finish may be repeated
  CAIRN_TRY(auto info, store_.put_locked(key_, std::move(bytes_), condition));
  finished_ = true;
  return info;
}

}  // namespace

std::unique_ptr<Store> memory_store(MemoryStoreOptions options) {
  return std::make_unique<MemoryStore>(std::move(options));
}

}  // namespace cairn::store
