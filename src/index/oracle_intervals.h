// SPDX-License-Identifier: Apache-2.0
// The slow, obvious meaning of intervals, for tests: of all that a rule says is found in, those
// that have no other within them. Rules where a choice of several words stands within something
// that heeds lengths are not for it: which of them counts is the builder's matter, and tested by
// examples.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "index/query.h"

namespace cairn::index::oracle {

/// Positions [begin, end).
struct Stretch {
  std::int64_t begin = 0, end = 0;
};
using Stretches = std::vector<Stretch>;

/// A rule as it is taken: parts that are alike are one that is there several times.
struct Shape {
  enum class Kind { word, any, block, ordered, unordered, repeated, gaps, filtered };
  Kind kind = Kind::word;
  std::string name;  // tells shapes apart
  std::function<bool(const std::string&)> is_it = {};
  std::vector<Shape> parts = {};
  std::int64_t count = 0;  // of gaps and repetitions
  IntervalsRule::Filter filter = {};
};

inline Shape shape_of(Shape::Kind kind, std::vector<Shape> parts, std::int64_t count = 0) {
  Shape out{.kind = kind, .name = {}, .parts = std::move(parts), .count = count};
  out.name = std::to_string(static_cast<int>(kind)) + "/" + std::to_string(count) + "(";
  for (const Shape& part : out.parts) out.name += part.name + ",";
  out.name += ")";
  return out;
}

inline Shape repeated(const Shape& part, std::size_t count) {
  if (count == 1) return part;
  return shape_of(Shape::Kind::repeated, {part}, static_cast<std::int64_t>(count));
}

inline Shape block_of(const std::vector<Shape>& parts) {
  std::vector<Shape> all;
  for (const Shape& part : parts)
    if (part.kind == Shape::Kind::block)
      all.insert(all.end(), part.parts.begin(), part.parts.end());
    else
      all.push_back(part);
  return parts.size() == 1 ? parts.front() : shape_of(Shape::Kind::block, all);
}

inline Shape together(Shape::Kind kind, const std::vector<Shape>& parts) {
  std::vector<std::pair<Shape, std::size_t>> counted;
  for (const Shape& part : parts) {
    auto known = counted.begin();
    if (kind == Shape::Kind::ordered && !counted.empty()) known = counted.end() - 1;
    while (known != counted.end() && known->first.name != part.name) ++known;
    if (known == counted.end())
      counted.emplace_back(part, 1);
    else
      ++known->second;
  }
  std::vector<Shape> out;
  for (const auto& [part, count] : counted) out.push_back(repeated(part, count));
  return out.size() == 1 ? out.front() : shape_of(kind, out);
}

/// Length that no stretch is below, as the scores reckon.
inline std::int64_t least_length(const Shape& shape) {
  std::int64_t out = 0;
  switch (shape.kind) {
    case Shape::Kind::word:
      return 1;
    case Shape::Kind::any:
      out = INT32_MAX;
      for (const Shape& part : shape.parts) out = std::min(out, least_length(part));
      return out;
    case Shape::Kind::block:
    case Shape::Kind::ordered:
    case Shape::Kind::unordered:
      for (const Shape& part : shape.parts) out += least_length(part);
      return out;
    case Shape::Kind::repeated:
    case Shape::Kind::gaps:
    case Shape::Kind::filtered:
      break;
  }
  return least_length(shape.parts[0]);
}

inline Stretches without_those_around_others(Stretches all) {
  Stretches out;
  for (const Stretch& one : all)
    if (std::none_of(all.begin(), all.end(), [&](const Stretch& other) {
          return one.begin <= other.begin && other.end <= one.end &&
                 one.end - one.begin > other.end - other.begin;
        }))
      out.push_back(one);
  std::sort(out.begin(), out.end(), [](const Stretch& a, const Stretch& b) {
    return std::tuple(a.begin, a.end) < std::tuple(b.begin, b.end);
  });
  const auto same = [](const Stretch& a, const Stretch& b) {
    return a.begin == b.begin && a.end == b.end;
  };
  out.erase(std::unique(out.begin(), out.end(), same), out.end());
  return out;
}

// The first that begins at `from` or later; null where there is none.
inline const Stretch* next_of(const Stretches& part, std::int64_t from) {
  for (const Stretch& one : part)
    if (one.begin >= from) return &one;
  return nullptr;
}

inline Stretches in_order(const std::vector<Stretches>& parts, bool right_behind) {
  Stretches out;
  for (Stretch one : parts[0]) {
    bool all = true;
    for (std::size_t i = 1; i < parts.size() && all; ++i) {
      const Stretch* next = next_of(parts[i], one.end);
      all = next != nullptr && (!right_behind || next->begin == one.end);
      if (all) one.end = next->end;
    }
    if (all) out.push_back(one);
  }
  return without_those_around_others(out);
}

inline Stretches in_any_order(const std::vector<Stretches>& parts) {
  Stretches out;
  for (const Stretches& part : parts)
    for (const Stretch& first : part) {
      Stretch one{.begin = INT64_MAX, .end = 0};
      bool all = true;
      for (const Stretches& other : parts) {
        const Stretch* next = next_of(other, first.begin);
        all = all && next != nullptr;
        if (!all) break;
        one = {.begin = std::min(one.begin, next->begin), .end = std::max(one.end, next->end)};
      }
      if (all) out.push_back(one);
    }
  return without_those_around_others(out);
}

inline bool passes(IntervalsRule::Filter filter, const Stretch& a, const Stretches& by) {
  using Filter = IntervalsRule::Filter;
  const auto any = [&](auto is_so) {
    return std::any_of(by.begin(), by.end(), [&](const Stretch& b) { return is_so(b); });
  };
  const auto overlaps = [&](const Stretch& b) { return a.begin < b.end && b.begin < a.end; };
  const auto around = [&](const Stretch& b) { return b.begin <= a.begin && a.end <= b.end; };
  switch (filter) {
    case Filter::after:
      return any([&](const Stretch& b) { return b.end <= a.begin; });
    case Filter::before:  // what begins a text has the first position before it, as the engine says
      return any([&](const Stretch& b) { return a.end <= std::max<std::int64_t>(b.begin, 1); });
    case Filter::contained_by:
      return any(around);
    case Filter::not_contained_by:
      return !any(around);
    case Filter::containing:
      return any([&](const Stretch& b) { return a.begin <= b.begin && b.end <= a.end; });
    case Filter::not_containing:  // nor one that begins in it, as the engine says
      return !any([&](const Stretch& b) {
        return (b.begin >= a.begin || b.end >= a.end) && b.begin < a.end;
      });
    case Filter::not_overlapping:
      return !any(overlaps);
    case Filter::overlapping:
      break;
  }
  return any(overlaps);
}

inline std::int64_t words_in(const Shape& shape) {
  if (shape.kind == Shape::Kind::word || shape.kind == Shape::Kind::any) return 1;
  std::int64_t sum = 0;
  for (const Shape& part : shape.parts) sum += words_in(part);
  return shape.kind == Shape::Kind::repeated ? sum * shape.count : sum;
}

inline Stretches stretches_of(const Shape& shape, const std::vector<std::string>& words) {
  Stretches out;
  std::vector<Stretches> parts;
  for (const Shape& part : shape.parts) parts.push_back(stretches_of(part, words));
  switch (shape.kind) {
    case Shape::Kind::word:
      for (std::size_t i = 0; i < words.size(); ++i)
        if (shape.is_it(words[i]))
          out.push_back({static_cast<std::int64_t>(i), static_cast<std::int64_t>(i) + 1});
      return out;
    case Shape::Kind::any:
      for (const Stretches& part : parts) out.insert(out.end(), part.begin(), part.end());
      return without_those_around_others(out);
    case Shape::Kind::block:
    case Shape::Kind::ordered:
      return in_order(parts, shape.kind == Shape::Kind::block);
    case Shape::Kind::unordered:
      return in_any_order(parts);
    case Shape::Kind::repeated:
      for (std::size_t i = 0; i + static_cast<std::size_t>(shape.count) <= parts[0].size(); ++i)
        out.push_back(
            {parts[0][i].begin, parts[0][i + static_cast<std::size_t>(shape.count) - 1].end});
      return out;
    case Shape::Kind::gaps:
      for (const Stretch& one : parts[0])
        if (one.end - one.begin - words_in(shape.parts[0]) <= shape.count) out.push_back(one);
      return out;
    case Shape::Kind::filtered:
      break;
  }
  for (const Stretch& one : parts[0])
    if (passes(shape.filter, one, parts[1])) out.push_back(one);
  return out;
}

}  // namespace cairn::index::oracle
