// SPDX-License-Identifier: Apache-2.0
// Which accounts used most lately, and which were refused: their names, which the counters of a
// limiter do not keep.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/threads.h"
#include "ratelimit/identity.h"

namespace cairn::ratelimit {

struct Charge;
struct Decision;

/// Told of decisions. An account is noted when what it used of a window reaches the next power of
/// two, so most decisions cost a comparison. Of each kind at most `most` are kept: where more come,
/// those that used least go, or those that were refused longest ago. Safe from any thread.
class BusyAccounts {
 public:
  static constexpr std::size_t most = 4'096;

  void note(const Identity& identity, const Charge& charge, const Decision& decision,
            std::string_view operation, std::string_view rule = {});

  struct Used {
    Identity identity;
    std::uint16_t resource = 0;
    std::uint32_t used = 0;  // when it was noted last
  };
  /// Of one resource, within the last `since_s` seconds; those that used most first.
  std::vector<Used> top(std::uint16_t resource, std::size_t count, std::uint32_t since_s) const;

  struct Refused {
    Identity identity;
    std::string operation = {};
    std::string rule = {};  // of the operator, if one refused
    std::string_view limit = {};
    bool shadowed = false;       // it was let through: shadow mode, or an exempt caller
    std::uint32_t times = 0;     // within an hour
    std::int64_t at_unix_s = 0;  // the last that was noted
    std::int64_t until_unix_s = 0;
    // To ask again with: see Charge.
    std::uint16_t resource = 0;
    std::uint32_t endpoint = 0, cost = 1, points = 1;
    bool content = false, graphql = false, objects = false, no_primary = false;
  };
  /// The latest first.
  std::vector<Refused> refused() const;

 private:
  void note_used(const Identity& identity, std::uint16_t resource, std::uint32_t used);
  void note_refused(const Identity& identity, const Charge& charge, const Decision& decision,
                    std::string_view operation, std::string_view rule);
  void make_room(std::int64_t now_s) CAIRN_REQUIRES(mutex_);

  struct Entry {
    Used of;
    std::int64_t noted_s = 0;
  };
  mutable Mutex mutex_;
  std::unordered_map<std::string, Entry> used_ CAIRN_GUARDED_BY(mutex_);
  std::unordered_map<std::string, Refused> refused_ CAIRN_GUARDED_BY(mutex_);
  std::int64_t lowered_s_ CAIRN_GUARDED_BY(mutex_) = 0;
  std::atomic<std::uint32_t> floor_{1};  // who used less is not noted
};

}  // namespace cairn::ratelimit
