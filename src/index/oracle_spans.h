// SPDX-License-Identifier: Apache-2.0
// The slow, obvious meaning of span queries, for tests: all pieces of each part as a list, and
// lists put together as the field's engine does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "index/query.h"

namespace cairn::index::oracle {

/// Positions [begin, end), and how far its parts are apart.
struct Piece {
  std::int64_t begin = 0, end = 0, apart = 0;
};
using Pieces = std::vector<Piece>;

/// The field that a query is of; one that is masked at the top is of its own.
inline std::string field_of(const SpanQuery& q, bool is_top = true) {
  if (q.kind == SpanQuery::Kind::masked && !is_top) return q.field;
  if (q.parts.empty()) return q.field;
  const bool stays =
      q.kind == SpanQuery::Kind::masked || (q.kind == SpanQuery::Kind::near && q.parts.size() == 1);
  return field_of(q.parts.front(), is_top && stays);
}

// Each part goes on to its first piece behind the one before, and never back.
inline Pieces one_behind_the_other(const SpanQuery& q, const std::vector<Pieces>& parts) {
  Pieces out;
  std::vector<std::size_t> at(parts.size(), 0);
  const auto is_gap = [&](std::size_t i) { return q.parts[i].kind == SpanQuery::Kind::gap; };
  std::int64_t gap_begin = -1;
  for (std::size_t first = 0;; ++first) {
    Piece piece;
    if (is_gap(0)) {
      ++gap_begin;
      piece = {gap_begin, gap_begin + q.parts[0].width, 0};
    } else {
      if (first == parts[0].size()) return out;
      piece = parts[0][first];
      piece.apart = 0;
    }
    for (std::size_t i = 1; i < parts.size(); ++i) {
      if (is_gap(i)) {
        piece.end += q.parts[i].width;
        continue;
      }
      while (at[i] < parts[i].size() && parts[i][at[i]].begin < piece.end) ++at[i];
      if (at[i] == parts[i].size()) return out;
      piece.apart += parts[i][at[i]].begin - piece.end;
      piece.end = parts[i][at[i]].end;
    }
    if (piece.apart <= q.slop) out.push_back(piece);
  }
}

// The part that begins first goes on, again and again. Which one that is, of parts that begin and
// end together, is what a heap of the field's engine says: places 1, 2, ..., children at 2n, 2n
// + 1.
inline Pieces in_any_order(const SpanQuery& q, const std::vector<Pieces>& parts) {
  Pieces out;
  std::vector<std::size_t> at(parts.size(), 0), heap(1);
  const auto less = [&](std::size_t a, std::size_t b) {
    const Piece &x = parts[a][at[a]], &y = parts[b][at[b]];
    return std::tuple(x.begin, x.end) < std::tuple(y.begin, y.end);
  };
  std::int64_t end = -1;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty()) return out;
    end = std::max(end, parts[i][0].end);
    heap.push_back(i);
    for (std::size_t n = heap.size() - 1; n > 1 && less(heap[n], heap[n / 2]); n /= 2)
      std::swap(heap[n], heap[n / 2]);
  }
  for (;;) {
    std::int64_t length = 0;
    for (std::size_t i = 0; i < parts.size(); ++i)
      length += parts[i][at[i]].end - parts[i][at[i]].begin;
    const std::size_t top = heap[1];
    const std::int64_t begin = parts[top][at[top]].begin;
    if (end - begin - length <= q.slop) out.push_back({begin, end, end - begin});
    if (++at[top] == parts[top].size()) return out;
    end = std::max(end, parts[top][at[top]].end);
    for (std::size_t n = 1, low = 2; low < heap.size(); n = low, low = 2 * n) {
      if (low + 1 < heap.size() && less(heap[low + 1], heap[low])) ++low;
      if (!less(heap[low], heap[n])) break;
      std::swap(heap[low], heap[n]);
    }
  }
}

inline Pieces not_near(const SpanQuery& q, const Pieces& first, const Pieces& second) {
  Pieces out;
  std::size_t at = 0;
  for (const Piece& piece : first) {
    while (at < second.size() && second[at].end <= piece.begin - q.before) ++at;
    if (at == second.size() || second[at].begin - q.after >= piece.end) out.push_back(piece);
  }
  return out;
}

// Pieces of the first with the first piece of the second that does not begin earlier in them.
inline Pieces those_around(const Pieces& big, const Pieces& little) {
  Pieces out;
  std::size_t at = 0;
  for (const Piece& piece : big) {
    while (at < little.size() && little[at].begin < piece.begin) ++at;
    if (at == little.size()) break;
    if (piece.end >= little[at].end) out.push_back(piece);
  }
  return out;
}

// Pieces of the second in the first piece of the first that does not end earlier.
inline Pieces those_within(const Pieces& big, const Pieces& little) {
  Pieces out;
  std::size_t at = 0;
  for (const Piece& piece : little) {
    while (at < big.size() && big[at].end < piece.end) ++at;
    if (at == big.size()) break;
    if (big[at].begin <= piece.begin) out.push_back(piece);
  }
  return out;
}

/// The pieces of a query that is made of parts, of whose each all pieces are known.
inline Pieces put_together(const SpanQuery& q, const std::vector<Pieces>& parts) {
  Pieces out;
  switch (q.kind) {
    case SpanQuery::Kind::near:
      if (parts.size() == 1) return parts[0];
      return q.in_order ? one_behind_the_other(q, parts) : in_any_order(q, parts);
    case SpanQuery::Kind::any:
      for (const Pieces& part : parts) out.insert(out.end(), part.begin(), part.end());
      std::stable_sort(out.begin(), out.end(), [](const Piece& a, const Piece& b) {
        return std::tuple(a.begin, a.end) < std::tuple(b.begin, b.end);
      });
      return out;
    case SpanQuery::Kind::without:
      return not_near(q, parts[0], parts[1]);
    case SpanQuery::Kind::first:
      for (const Piece& piece : parts[0])
        if (piece.end <= q.end) out.push_back(piece);
      return out;
    case SpanQuery::Kind::containing:
      return those_around(parts[0], parts[1]);
    case SpanQuery::Kind::within:
      return those_within(parts[0], parts[1]);
    case SpanQuery::Kind::masked:
      return parts[0];
    case SpanQuery::Kind::term:
    case SpanQuery::Kind::multi:
    case SpanQuery::Kind::gap:
      break;
  }
  return out;
}

}  // namespace cairn::index::oracle
