// SPDX-License-Identifier: Apache-2.0
// Reading a group of the table: which of its places may hold a key. For the table's own files.
#pragma once

#include <emmintrin.h>

#include "ratelimit/memory/memory_table.h"

// The sanitizer takes a vector load of bytes that others store for a race.
#if defined(__SANITIZE_THREAD__)
#define CAIRN_BYTE_BY_BYTE 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CAIRN_BYTE_BY_BYTE 1
#endif
#endif

namespace cairn::ratelimit {

// A bit for each of the group's bytes that is `byte`.
inline std::uint64_t MemoryTable::matches(const Group& in, std::uint8_t byte) {
#ifdef CAIRN_BYTE_BY_BYTE
  std::uint64_t found = 0;
  for (std::uint32_t i = 0; i < group_places; ++i)
    if (in.bytes[i].load(std::memory_order_relaxed) == byte) found |= std::uint64_t{1} << i;
  return found;
#else
  // What is read is a guess; the record's key, under its lock, decides.
  const auto* const from = reinterpret_cast<const __m128i*>(&in.bytes);
  const __m128i wanted = _mm_set1_epi8(static_cast<char>(byte));
  std::uint64_t found = 0;
  for (int i = 0; i < 3; ++i) {
    const __m128i same = _mm_cmpeq_epi8(_mm_load_si128(from + i), wanted);
    found |= static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(same))) << 16 * i;
  }
  return found & ((std::uint64_t{1} << group_places) - 1);
#endif
}

inline std::uint32_t MemoryTable::place_in(const Group& in, std::uint32_t at) const {
  const std::uint32_t page =
      in.pages[at / page_places].load(std::memory_order_acquire) & ~passed_mark;
  return page == 0 ? nowhere : (page - 1) * page_places + at % page_places;
}

}  // namespace cairn::ratelimit
