// SPDX-License-Identifier: Apache-2.0
// One page of a listing from a cursor over ordered keys: prefix, start, delimiter, limit. Shared by
// the versions of a store that have such a cursor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/deadline.h"
#include "os/steps.h"

namespace cairn::store {

/// The least text above all that start with `prefix`; empty where there is none.
std::string after_prefix(std::string prefix);

/// What a row of a listing counts for: it is read, taken apart and shown.
inline constexpr std::uint64_t steps_of_a_row = 16;

struct FoldParams {
  std::string_view prefix;
  /// A key, or a folded prefix. Either stands for all that is folded with it.
  std::string_view start_after;
  std::string_view delimiter;
  std::size_t limit = 1;
};

/// Walks `cursor` (seek(key) to the first at or after; next(), valid(), key(), status()) and calls
/// `object(key)` -> Status and `prefix(folded)` in order. A prefix with few keys below it is walked
/// past, one with more is skipped by a seek, so a page costs what it shows.
/// Gives the key or prefix to go on after; empty at the end.
template <class Cursor, class OnObject, class OnPrefix>
Result<std::string> fold_keys(Cursor& cursor, const FoldParams& params,
                              const os::Deadline& deadline, OnObject object, OnPrefix prefix) {
  constexpr int steps_before_seek = 8;
  const std::string_view start = params.start_after;
  const std::size_t folds_from = params.prefix.size();
  const auto fold_of = [&](std::string_view key) {
    if (params.delimiter.empty()) return std::string_view::npos;
    return key.find(params.delimiter, folds_from);
  };
  CAIRN_CHECK(deadline.check("list objects"));
  if (params.limit == 0) return std::string();
  if (start.empty() || start < params.prefix) {
    cursor.seek(params.prefix);
  } else if (!start.starts_with(params.prefix)) {
    return std::string();  // past all of the prefix
  } else if (const std::size_t at = fold_of(start); at != std::string_view::npos) {
    const std::string past = after_prefix(std::string(start.substr(0, at + params.delimiter.size())));
    if (past.empty()) return std::string();
    cursor.seek(past);
  } else {
    cursor.seek(std::string(start) + '\0');
  }

  std::size_t shown = 0;
  std::string last;
  os::Steps steps(deadline, "list objects");
  while (cursor.valid() && cursor.key().starts_with(params.prefix)) {
    CAIRN_CHECK(deadline.check("list objects"));
    CAIRN_CHECK(steps.take(steps_of_a_row));
    if (shown == params.limit) return last;
    ++shown;
    const std::size_t fold = fold_of(cursor.key());
    if (fold == std::string_view::npos) {
      last = cursor.key();
      CAIRN_CHECK(object(std::string_view(last)));
      cursor.next();
      continue;
    }
    last = cursor.key().substr(0, fold + params.delimiter.size());
    prefix(std::string_view(last));
    const auto below = [&] { return cursor.valid() && cursor.key().starts_with(last); };
    for (int i = 0; i < steps_before_seek && below(); ++i) cursor.next();
    if (below()) {
      const std::string past = after_prefix(last);
      if (past.empty()) return std::string();
      cursor.seek(past);
    }
  }
  CAIRN_CHECK(cursor.status());
  return std::string();
}

}  // namespace cairn::store
