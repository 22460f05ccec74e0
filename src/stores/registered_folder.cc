// SPDX-License-Identifier: Apache-2.0
#include "stores/registered_folder.h"

#include <mutex>
#include <utility>

#include "os/files/files.h"
#include "stores/folder_store.h"

namespace cairn::stores {
namespace {

/// Keeps the store that an upload goes into, should the folder be changed for another meanwhile.
class KeptUpload final : public store::Upload {
 public:
  KeptUpload(std::shared_ptr<store::Store> store, std::unique_ptr<store::Upload> upload)
      : store_(std::move(store)), upload_(std::move(upload)) {}
  Status write(std::string_view bytes) override { return upload_->write(bytes); }
  Result<store::ObjectInfo> finish(const store::Condition& condition) override {
    return upload_->finish(condition);
  }

 private:
  std::shared_ptr<store::Store> store_;  // outlives the upload
  std::unique_ptr<store::Upload> upload_;
};

class RegisteredFolder final : public store::Store {
 public:
  explicit RegisteredFolder(std::string folder) : folder_(std::move(folder)) {}

  Result<store::Object> get(std::string_view key, const os::Deadline& deadline,
                            store::Range range) override {
    CAIRN_TRY(const auto store, there());
    return store->get(key, deadline, range);
  }
  Result<std::optional<store::ObjectInfo>> head(std::string_view key,
                                                const os::Deadline& deadline) override {
    CAIRN_TRY(const auto store, there());
    return store->head(key, deadline);
  }
  Result<store::ObjectInfo> put(std::string_view key, std::string_view bytes,
                                const os::Deadline& deadline,
                                const store::Condition& condition) override {
    CAIRN_TRY(const auto store, there());
    return store->put(key, bytes, deadline, condition);
  }
  Result<std::unique_ptr<store::Upload>> begin_upload(std::string_view key,
                                                      const os::Deadline& deadline) override {
    CAIRN_TRY(auto store, there());
    CAIRN_TRY(auto upload, store->begin_upload(key, deadline));
    return std::unique_ptr<store::Upload>(
        std::make_unique<KeptUpload>(std::move(store), std::move(upload)));
  }
  Result<store::ListPage> list(const store::ListParams& params,
                               const os::Deadline& deadline) override {
    CAIRN_TRY(const auto store, there());
    return store->list(params, deadline);
  }
  Result<bool> remove(std::string_view key, const os::Deadline& deadline,
                      const store::Condition& condition) override {
    CAIRN_TRY(const auto store, there());
    return store->remove(key, deadline, condition);
  }
  Result<std::size_t> remove_batch(const std::vector<std::string>& keys,
                                   const os::Deadline& deadline) override {
    CAIRN_TRY(const auto store, there());
    return store->remove_batch(keys, deadline);
  }
  Result<store::ObjectInfo> copy(std::string_view from, std::string_view to,
                                 const os::Deadline& deadline,
                                 const store::Condition& condition) override {
    CAIRN_TRY(const auto store, there());
    return store->copy(from, to, deadline, condition);
  }

 private:
  /// The store in the folder as it is now. Another folder under the same name (a disk that was
  /// mounted later, say) has another mark.
  Result<std::shared_ptr<store::Store>> there() {
    const auto mark = os::system_files().info(folder_ + std::string(store_mark));
    if (!mark.ok() && mark.error().kind == ErrorKind::not_found) return gone();
    CAIRN_CHECK(mark);
    const std::lock_guard lock(mutex_);
    if (store_ == nullptr || mark->id != mark_id_) {
      CAIRN_TRY(store_, folder_store(folder_));
      mark_id_ = mark->id;
    }
    return store_;
  }

  Error gone() const {
    return {.kind = ErrorKind::unavailable,
            .code = "repository_exception",
            .message = "the folder [" + folder_ +
                       "] of the repository is not there, or is another "
                       "one: it has no " +
                       std::string(store_mark.substr(1)) +
                       ". Is its disk "
                       "mounted? To begin an empty repository there, register it again"};
  }

  const std::string folder_;
  std::mutex mutex_;
  std::shared_ptr<store::Store> store_;  // guarded by mutex_; null until the first call
  std::uint64_t mark_id_ = 0;            // guarded by mutex_
};

}  // namespace

std::unique_ptr<store::Store> registered_folder(std::string folder) {
  return std::make_unique<RegisteredFolder>(std::move(folder));
}

}  // namespace cairn::stores
