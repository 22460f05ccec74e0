// SPDX-License-Identifier: Apache-2.0
// What the stores of one cluster share.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "base/threads.h"
#include "remotestore/cluster.h"
#include "remotestore/wire.h"

namespace cairn::remotestore {

inline constexpr std::size_t mark_bytes = 16;

/// Says which put an object is of, and when it was: 6 bytes of milliseconds since 1970, 10 random.
std::string new_mark(const os::Clock& clock, os::Random& random);
/// Nothing for what is no mark.
std::optional<std::int64_t> time_of_mark(std::string_view hex);

struct Shared {
  std::unique_ptr<Wire> wire;
  const os::Clock& clock;
  os::Random& random;

  /// Known abilities, or the check. See Cluster::check.
  Result<Abilities> abilities(const os::Deadline& deadline);

  /// Held around changes of a name while the cluster cannot delete conditionally. Names share them.
  Mutex& turn_of(std::string_view name);

 private:
  Mutex checking_;
  std::optional<Abilities> known_ CAIRN_GUARDED_BY(checking_);
  std::optional<Error> refusal_ CAIRN_GUARDED_BY(checking_);
  std::array<Mutex, 64> turns_;

 public:
  Shared(std::unique_ptr<Wire> w, const os::Clock& c, os::Random& r)
      : wire(std::move(w)), clock(c), random(r) {}
};

struct Cluster::Impl {
  Shared shared;
};

/// Asks the cluster. Errors as Cluster::check.
Result<Abilities> probe(Wire& wire, const os::Clock& clock, os::Random& random,
                        const os::Deadline& deadline);

}  // namespace cairn::remotestore
