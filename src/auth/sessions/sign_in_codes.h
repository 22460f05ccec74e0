// SPDX-License-Identifier: Apache-2.0
// Codes that open one session each: of the links that a command line prints.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "auth/keys/keys.h"
#include "os/clock.h"
#include "os/random.h"

namespace cairn::auth {

struct SignInCode {
  std::string code;  // 43 url-safe characters, told once
  std::int64_t expires_ms = 0;
};

/// Safe from any thread. In memory alone, by their SHA-256: a restart ends them all.
class SignInCodes {
 public:
  /// Both outlive it.
  SignInCodes(const os::Clock& clock, os::Random& random) : clock_(clock), random_(random) {}

  /// A code for a stored key and its secret of this moment. The oldest of the key ends where there
  /// are `of_one_max`, the oldest of all where there are `all_max`.
  SignInCode make(const Key& key, std::int64_t lifetime_ms);

  struct Taken {
    std::string key_id;
    std::string secret_sha256;
  };
  /// Ends the code. Nothing where there is no such code, or no more.
  std::optional<Taken> take(std::string_view code);

  static constexpr std::size_t all_max = 1'000;
  static constexpr std::size_t of_one_max = 16;

 private:
  struct Entry {
    Taken taken;
    std::int64_t made = 0;  // in which order
    std::int64_t expires_ms = 0;
  };
  using Table = std::unordered_map<std::string, Entry>;
  void make_room(std::string_view key_id);

  const os::Clock& clock_;
  os::Random& random_;
  std::mutex mutex_;
  Table codes_;            // by SHA-256; under mutex_
  std::int64_t made_ = 0;  // likewise
};

}  // namespace cairn::auth
