// SPDX-License-Identifier: Apache-2.0
// A policy made ready for decisions: what is asked for each request is looked up once.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "base/hash.h"
#include "ratelimit/memory/memory_record.h"
#include "ratelimit/policy/policy.h"
#include "ratelimit/counters/sip_hash.h"

namespace cairn::ratelimit {

/// The place of an account in the table. Never 0.
inline std::uint64_t key_of(const SipKey& sip, std::string_view account) {
  const std::uint64_t key = sip_hash(sip, account);
  return key == 0 ? 1 : key;
}

struct Rules {
  std::shared_ptr<const Policy> policy;
  std::uint16_t core = 0;
  std::uint16_t objects = 0;
  std::vector<std::uint32_t> cells;   // by resource: the id of its cell; none for core
  std::vector<std::uint64_t> exempt;  // keys, sorted
  BanTimes bans;
  std::uint32_t minute_ms = 60'000;
  std::uint32_t ring_ms = 300'000;

  Rules(std::shared_ptr<const Policy> from, const SipKey& sip) : policy(std::move(from)) {
    core = policy->resource("core").value_or(0);
    objects = policy->resource("objects").value_or(core);
    for (const Resource& each : policy->resources)
      // By name: numbers change when a configuration that adds resources is loaded.
      cells.push_back(cell_id::resource(static_cast<std::uint32_t>(fast_hash(each.name))));
    if (core < cells.size()) cells[core] = cell_id::none;
    for (const std::string& account : policy->identity.exempt)
      exempt.push_back(key_of(sip, account));
    std::sort(exempt.begin(), exempt.end());
    bans = {policy->ban.window_s, policy->ban.longest_s};
    minute_ms = policy->minute_s * 1'000;
    ring_ms = std::max(policy->hour_s * 1'000 / HourRing::slots, 1u);
  }
  bool exempts(const Identity& identity, std::uint64_t key) const {
    return identity.exempt ||
           (!exempt.empty() && std::binary_search(exempt.begin(), exempt.end(), key));
  }
  /// A charge of an older policy may name a resource that is gone: `core` then.
  std::uint16_t resource_of(std::uint16_t resource) const {
    return resource < cells.size() ? resource : core;
  }
};

}  // namespace cairn::ratelimit
