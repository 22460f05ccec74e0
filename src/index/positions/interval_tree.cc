// SPDX-License-Identifier: Apache-2.0
#include "index/positions/interval_tree.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/strings.h"
#include "index/errors.h"

namespace cairn::index {
namespace {

using NodeKind = IntervalNode::Kind;

constexpr std::int64_t without_end = INT32_MAX;

std::int64_t least_length_of(const IntervalNode& node) {
  const auto sum = [&] {
    std::int64_t out = 0;
    for (const auto& part : node.parts) out += part->least_length;
    return std::min(out, without_end);
  };
  switch (node.kind) {
    case NodeKind::nothing:
      return node.count;
    case NodeKind::words:
    case NodeKind::place_before:
    case NodeKind::place_behind:
      return 1;
    case NodeKind::block:
    case NodeKind::ordered:
    case NodeKind::unordered:
      return sum();
    case NodeKind::any: {
      std::int64_t least = without_end;
      for (const auto& part : node.parts) least = std::min(least, part->least_length);
      return least;
    }
    case NodeKind::extended:
      return std::min(node.before + node.parts[0]->least_length + node.after, without_end);
    case NodeKind::field:
    case NodeKind::repeated:
    case NodeKind::few_gaps:
    case NodeKind::containing:
    case NodeKind::contained_by:
    case NodeKind::overlapping:
    case NodeKind::not_containing:
    case NodeKind::not_contained_by:
    case NodeKind::not_overlapping:
      break;
  }
  return node.parts[0]->least_length;
}

std::size_t words_of(const IntervalNode& node) {
  std::size_t out = node.terms.size();
  for (const auto& part : node.parts) out += part->words;
  return out;
}

// What equal nodes have in common.
std::string key_of(const IntervalNode& node) {
  std::string key;
  put_varint(key, static_cast<std::uint64_t>(node.kind));
  put_string(key, node.field);
  put_string(key, node.text);
  put_varint(key, node.terms.size());
  for (const std::string& term : node.terms) put_string(key, term);
  for (const std::int64_t number : {node.before, node.after, node.count})
    put_varint(key, static_cast<std::uint64_t>(number));
  for (const auto& part : node.parts) put_varint(key, part->id);
  return key;
}

// What stands in a part of the same kind stands in the whole. Not so where positions in between are
// counted: those within a part are no gaps of the whole.
IntervalNodes flat(const IntervalNodes& parts, NodeKind kind) {
  IntervalNodes out;
  for (const auto& part : parts) {
    if (part->kind == kind)
      out.insert(out.end(), part->parts.begin(), part->parts.end());
    else
      out.push_back(part);
  }
  return out;
}

/// Any of no parts: nothing, and no part of another choice.
IntervalNode no_choice() {
  IntervalNode node;
  node.count = without_end;
  return node;
}
bool is_no_choice(const IntervalNode& node) {
  return node.kind == NodeKind::nothing && node.count == without_end;
}

}  // namespace

bool IntervalBuilder::fits(std::size_t words) {
  const std::size_t most = context_.view.options.max_clauses;
  if (status_.ok() && words > most)
    status_ =
        illegal_argument("Too many disjunctions to expand: the intervals come to more than [" +
                         std::to_string(most) + "] words");
  return status_.ok();
}

IntervalNodePtr IntervalBuilder::made(IntervalNode node) {
  node.words = words_of(node);
  if (status_.ok()) status_ = context_.steps.take(1 + node.parts.size() + node.terms.size());
  if (node.kind != Kind::nothing && !fits(node.words)) return nothing();
  const auto [at, is_new] = known_.try_emplace(key_of(node));
  if (is_new) {
    node.least_length = least_length_of(node);
    node.id = known_.size();
    at->second = std::make_shared<const IntervalNode>(std::move(node));
  }
  return at->second;
}

IntervalNodePtr IntervalBuilder::made(Kind kind, IntervalNodes parts) {
  IntervalNode node;
  node.kind = kind;
  node.parts = std::move(parts);
  return made(std::move(node));
}

IntervalNodePtr IntervalBuilder::word(const std::string& field, std::string term) {
  IntervalNode node;
  node.kind = Kind::words;
  node.field = field;
  node.text = term;
  node.terms.push_back(std::move(term));
  return made(std::move(node));
}

IntervalNodePtr IntervalBuilder::words_like(const std::string& field, std::string pattern,
                                            std::size_t kind, std::vector<std::string> terms) {
  IntervalNode node;
  node.kind = Kind::words;
  node.field = field;
  node.text = std::move(pattern);
  node.terms = std::move(terms);
  node.count = static_cast<std::int64_t>(kind);
  return made(std::move(node));
}

IntervalNodePtr IntervalBuilder::of_field(const std::string& field, IntervalNodePtr part) {
  IntervalNode node;
  node.kind = Kind::field;
  node.field = field;
  node.parts.push_back(std::move(part));
  return made(std::move(node));
}

IntervalNodePtr IntervalBuilder::extended(IntervalNodePtr part, std::int64_t before,
                                          std::int64_t after) {
  IntervalNode node;
  node.kind = Kind::extended;
  node.before = before;
  node.after = after;
  node.parts.push_back(std::move(part));
  return made(std::move(node));
}

IntervalNodePtr IntervalBuilder::repeated(const IntervalNodePtr& part, std::size_t count) {
  if (count == 1) return part;
  IntervalNode node;
  node.kind = Kind::repeated;
  node.count = static_cast<std::int64_t>(count);
  node.parts.push_back(part);
  return made(std::move(node));
}

IntervalNodePtr IntervalBuilder::plain_block(IntervalNodes parts) {
  return made(Kind::block, flat(parts, Kind::block));
}

IntervalNodePtr IntervalBuilder::block(const IntervalNodes& parts) {
  if (parts.size() == 1) return parts.front();
  return any(combined(parts, [&](IntervalNodes one) { return plain_block(std::move(one)); }));
}

// Equal neighbours would all stand on one interval.
IntervalNodePtr IntervalBuilder::ordered(const IntervalNodes& parts) {
  if (parts.size() == 1) return parts.front();
  IntervalNodes out;
  for (std::size_t i = 0, end = 0; i < parts.size(); i = end) {
    while (end < parts.size() && parts[end] == parts[i]) ++end;
    out.push_back(repeated(parts[i], end - i));
  }
  if (out.size() == 1) return out.front();
  return made(Kind::ordered, std::move(out));
}

IntervalNodePtr IntervalBuilder::unordered(const IntervalNodes& parts) {
  if (parts.size() == 1) return parts.front();
  std::map<std::size_t, std::size_t> counts;  // by id
  IntervalNodes once;
  for (const auto& part : parts)
    if (++counts[part->id] == 1) once.push_back(part);
  for (auto& part : once) part = repeated(part, counts[part->id]);
  if (once.size() == 1) return once.front();
  return made(Kind::unordered, std::move(once));
}

IntervalNodePtr IntervalBuilder::any(const IntervalNodes& parts) {
  IntervalNodes out;
  std::map<std::size_t, bool> seen;
  for (const auto& part : flat(parts, Kind::any))
    if (!is_no_choice(*part) && seen.emplace(part->id, true).second) out.push_back(part);
  if (out.empty()) return made(no_choice());
  if (out.size() == 1) return out.front();
  return made(Kind::any, std::move(out));
}

IntervalNodePtr IntervalBuilder::few_gaps(const IntervalNodePtr& part, std::int64_t most) {
  IntervalNodes out;
  for (const auto& choice : choices_of(part)) {
    IntervalNode node;
    node.kind = Kind::few_gaps;
    node.count = most;
    node.parts.push_back(choice);
    out.push_back(made(std::move(node)));
  }
  return any(out);
}

IntervalNodePtr IntervalBuilder::compared(Kind kind, const IntervalNodePtr& part,
                                          const IntervalNodePtr& with) {
  // The one that must be found around the other may be long or short: each length for itself.
  const bool first_is_big = kind == Kind::containing || kind == Kind::not_containing;
  const bool second_is_big = kind == Kind::contained_by || kind == Kind::not_contained_by;
  if (!first_is_big && !second_is_big) return made(kind, {part, with});
  IntervalNodes out;
  for (const auto& choice : split(first_is_big ? part : with))
    out.push_back(
        made(kind, first_is_big ? IntervalNodes{choice, with} : IntervalNodes{part, choice}));
  return any(out);
}

IntervalNodePtr IntervalBuilder::before(const IntervalNodePtr& part,
                                        const IntervalNodePtr& reference) {
  return compared(Kind::contained_by, part,
                  extended(made(Kind::place_before, {reference}), without_end, 0));
}

IntervalNodePtr IntervalBuilder::after(const IntervalNodePtr& part,
                                       const IntervalNodePtr& reference) {
  return compared(Kind::contained_by, part,
                  extended(made(Kind::place_behind, {reference}), 0, without_end));
}

// The same node is asked by everything around it.
IntervalNodes IntervalBuilder::choices_of(const IntervalNodePtr& node) {
  if (const auto known = choices_.find(node->id); known != choices_.end()) return known->second;
  IntervalNodes found = found_choices(node);
  choices_[node->id] = found;
  return found;
}

IntervalNodes IntervalBuilder::found_choices(const IntervalNodePtr& node) {
  const auto each = [&](const IntervalNodes& choices, auto make) {
    IntervalNodes out;
    for (const auto& choice : choices) out.push_back(make(choice));
    return out;
  };
  const auto& parts = node->parts;
  switch (node->kind) {
    case Kind::nothing:
      return {};
    case Kind::any:
      return parts;
    case Kind::ordered:
    case Kind::unordered:
    case Kind::overlapping:
      return combined(parts, [&](IntervalNodes one) { return made(node->kind, std::move(one)); });
    case Kind::containing:
      return each(split(parts[0]), [&](const IntervalNodePtr& choice) {
        return made(node->kind, {choice, parts[1]});
      });
    case Kind::contained_by:
      return each(split(parts[1]), [&](const IntervalNodePtr& choice) {
        return made(node->kind, {parts[0], choice});
      });
    case Kind::place_before:
    case Kind::place_behind:
      return each(split(parts[0]),
                  [&](const IntervalNodePtr& choice) { return made(node->kind, {choice}); });
    case Kind::extended:
    case Kind::field: {
      const IntervalNodes choices = choices_of(parts[0]);
      if (choices.size() < 2) return {node};
      return each(choices, [&](const IntervalNodePtr& choice) {
        return node->kind == Kind::field ? of_field(node->field, choice)
                                         : extended(choice, node->before, node->after);
      });
    }
    case Kind::words:
    case Kind::block:
    case Kind::repeated:
    case Kind::few_gaps:
    case Kind::not_containing:
    case Kind::not_contained_by:
    case Kind::not_overlapping:
      break;
  }
  return {node};
}

// Choices of one position stay together: of those that overlap it is all the same which one it is.
IntervalNodes IntervalBuilder::split(const IntervalNodePtr& node) {
  IntervalNodes short_ones, out;
  for (const auto& choice : choices_of(node))
    (choice->least_length == 1 ? short_ones : out).push_back(choice);
  if (!short_ones.empty()) out.insert(out.begin(), any(short_ones));
  return out;
}

// Every way to choose one of each part.
template <class MakeOne>
IntervalNodes IntervalBuilder::combined(const IntervalNodes& parts, MakeOne make) {
  std::vector<IntervalNodes> ways(1);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const IntervalNodes choices = split(parts[i]);
    if (choices.size() == 1) {
      for (IntervalNodes& way : ways) way.push_back(choices.front());
      continue;
    }
    if (!fits(ways.size() * choices.size() * (i + 1))) return {};
    std::vector<IntervalNodes> longer;
    for (const auto& choice : choices)
      for (const IntervalNodes& way : ways) {
        longer.push_back(way);
        longer.back().push_back(choice);
      }
    ways = std::move(longer);
  }
  IntervalNodes out;
  std::size_t words = 0;
  for (IntervalNodes& way : ways) {
    out.push_back(make(std::move(way)));
    words += out.back()->words;
    if (!fits(words)) return {};
  }
  return out;
}

std::string interval_text(const IntervalNode& node) {
  std::vector<std::string> texts;
  for (const auto& part : node.parts) texts.push_back(interval_text(*part));
  if (node.kind == NodeKind::any) std::sort(texts.begin(), texts.end());
  const std::string parts = join(texts, ",");
  switch (node.kind) {
    case NodeKind::nothing:
      return "no_match";
    case NodeKind::words:
      return node.text;
    case NodeKind::field:
      return "FIELD(" + node.field + "," + parts + ")";
    case NodeKind::block:
      return "BLOCK(" + parts + ")";
    case NodeKind::ordered:
      return "ORDERED(" + parts + ")";
    case NodeKind::unordered:
      return "UNORDERED(" + parts + ")";
    case NodeKind::repeated: {
      std::string all = parts;
      for (std::int64_t i = 1; i < node.count; ++i) all += "," + parts;
      return all;
    }
    case NodeKind::any:
      return "or(" + parts + ")";
    case NodeKind::extended:
      return "EXTEND(" + parts + "," + std::to_string(node.before) + "," +
             std::to_string(node.after) + ")";
    case NodeKind::place_before:
      return "PRECEDING(" + parts + ")";
    case NodeKind::place_behind:
      return "FOLLOWING(" + parts + ")";
    case NodeKind::few_gaps:
      return "MAXGAPS/" + std::to_string(node.count) + "(" + parts + ")";
    case NodeKind::containing:
      return "CONTAINING(" + parts + ")";
    case NodeKind::contained_by:
      return "CONTAINED_BY(" + parts + ")";
    case NodeKind::overlapping:
      return "OVERLAPPING(" + parts + ")";
    case NodeKind::not_containing:
      return "NOT_CONTAINING(" + parts + ")";
    case NodeKind::not_contained_by:
      return "NOT_CONTAINED_BY(" + parts + ")";
    case NodeKind::not_overlapping:
      return "NON_OVERLAPPING(" + parts + ")";
  }
  return {};
}

}  // namespace cairn::index
