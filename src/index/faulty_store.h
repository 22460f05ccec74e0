// SPDX-License-Identifier: Apache-2.0
// A store that fails at a call of choice, for tests.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "store/store.h"

namespace cairn::index {

/// Hands calls on until its number comes up; then that call fails, before or after it was done,
/// and, where the process is to have ended there, every later one.
class FaultyStore final : public store::Store {
 public:
  enum class Fault { none, lost_call, lost_answer };
  explicit FaultyStore(store::Store& inside) : inside_(inside) {}
  void set(std::size_t at, Fault fault, bool for_good) {
    at_ = at;
    fault_ = fault;
    for_good_ = for_good;
    calls_ = 0;
    down_ = false;
  }
  bool reached() const { return calls_ > at_; }

  Result<store::Object> get(std::string_view key, const os::Deadline& deadline,
                            store::Range range) override {
    return run([&] { return inside_.get(key, deadline, range); });
  }
  Result<std::optional<store::ObjectInfo>> head(std::string_view key,
                                                const os::Deadline& deadline) override {
    return run([&] { return inside_.head(key, deadline); });
  }
  Result<store::ObjectInfo> put(std::string_view key, std::string_view bytes,
                                const os::Deadline& deadline,
                                const store::Condition& condition) override {
    return run([&] { return inside_.put(key, bytes, deadline, condition); });
  }
  Result<std::unique_ptr<store::Upload>> begin_upload(std::string_view key,
                                                      const os::Deadline& deadline) override {
    auto upload = run([&] { return inside_.begin_upload(key, deadline); });
    if (!upload) return upload;
    return std::unique_ptr<store::Upload>(
        std::make_unique<FaultyUpload>(*this, std::move(*upload)));
  }
  Result<store::ListPage> list(const store::ListParams& params,
                               const os::Deadline& deadline) override {
    return run([&] { return inside_.list(params, deadline); });
  }
  Result<bool> remove(std::string_view key, const os::Deadline& deadline,
                      const store::Condition& condition) override {
    return run([&] { return inside_.remove(key, deadline, condition); });
  }
  Result<std::size_t> remove_batch(const std::vector<std::string>& keys,
                                   const os::Deadline& deadline) override {
    return run([&] { return inside_.remove_batch(keys, deadline); });
  }
  Result<store::ObjectInfo> copy(std::string_view from, std::string_view to,
                                 const os::Deadline& deadline,
                                 const store::Condition& condition) override {
    return run([&] { return inside_.copy(from, to, deadline, condition); });
  }

 private:
  class FaultyUpload final : public store::Upload {
   public:
    FaultyUpload(FaultyStore& store, std::unique_ptr<store::Upload> inside)
        : store_(store), inside_(std::move(inside)) {}
    Status write(std::string_view bytes) override {
      return store_.run([&] { return inside_->write(bytes); });
    }
    Result<store::ObjectInfo> finish(const store::Condition& condition) override {
      return store_.run([&] { return inside_->finish(condition); });
    }

   private:
    FaultyStore& store_;
    std::unique_ptr<store::Upload> inside_;
  };

  template <class Call>
  auto run(Call call) -> decltype(call()) {
    const Error error{.kind = ErrorKind::unavailable, .message = "the store is away (test)"};
    const std::size_t number = calls_++;
    if (down_) return error;
    if (fault_ == Fault::none || number != at_) return call();
    down_ = for_good_;
    if (fault_ == Fault::lost_call) return error;
    auto done = call();
    (void)done;
    return error;
  }

  store::Store& inside_;
  std::atomic<std::size_t> calls_ = 0;
  std::size_t at_ = 0;
  Fault fault_ = Fault::none;
  bool for_good_ = false;
  std::atomic<bool> down_ = false;
};

}  // namespace cairn::index
