// SPDX-License-Identifier: Apache-2.0
// Listings that would never end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn::objectclient {

/// Notices a listing that comes round to where it was, after as many pages as it likes, and keeps
/// one token for that (Brent's algorithm). For one thread.
class TokenWatch {
 public:
  /// Success where `token` may be new. Errors: corrupt, UnexpectedReplyError: it was there before.
  Status see(std::string_view token);

 private:
  std::string kept_;
  std::uint64_t since_ = 0;  // tokens seen since one was kept
  std::uint64_t limit_ = 0;  // then the newest is kept
};

}  // namespace cairn::objectclient
