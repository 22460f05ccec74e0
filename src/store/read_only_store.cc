// SPDX-License-Identifier: Apache-2.0
#include "store/read_only_store.h"

#include <string>

namespace cairn::store {
namespace {

Error refused(std::string_view key) {
  return {.kind = ErrorKind::permission_denied,
          .message = "object [" + std::string(key) + "] is only read here"};
}

class ReadOnlyStore final : public Store {
 public:
  explicit ReadOnlyStore(Store& inside) : inside_(inside) {}

  Result<Object> get(std::string_view key, const os::Deadline& deadline, Range range) override {
    return inside_.get(key, deadline, range);
  }
  Result<std::optional<ObjectInfo>> head(std::string_view key,
                                         const os::Deadline& deadline) override {
    return inside_.head(key, deadline);
  }
  Result<ListPage> list(const ListParams& params, const os::Deadline& deadline) override {
    return inside_.list(params, deadline);
  }

  Result<ObjectInfo> put(std::string_view key, std::string_view, const os::Deadline&,
                         const Condition&) override {
    return refused(key);
  }
  Result<std::unique_ptr<Upload>> begin_upload(std::string_view key, const os::Deadline&) override {
    return refused(key);
  }
  Result<bool> remove(std::string_view key, const os::Deadline&, const Condition&) override {
    return refused(key);
  }
  Result<std::size_t> remove_batch(const std::vector<std::string>& keys,
                                   const os::Deadline&) override {
    return refused(keys.empty() ? std::string_view() : keys.front());
  }
  Result<ObjectInfo> copy(std::string_view, std::string_view to, const os::Deadline&,
                          const Condition&) override {
    return refused(to);
  }

 private:
  Store& inside_;
};

}  // namespace

std::unique_ptr<Store> read_only_store(Store& store) {
  return std::make_unique<ReadOnlyStore>(store);
}

}  // namespace cairn::store
