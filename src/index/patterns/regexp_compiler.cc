// SPDX-License-Identifier: Apache-2.0
// A pattern becomes states: by Thompson's construction; ~ and & by sets of states that are found
// out at once.
#include <algorithm>
#include <map>

#include "index/errors.h"
#include "index/patterns/regexp.h"

namespace cairn::index {
namespace {

using Kind = RegexpNode::Kind;
using States = std::vector<std::uint32_t>;

constexpr std::uint32_t nowhere_set = UINT32_MAX;
constexpr std::size_t moves_of_a_state = 5;  // take as much memory as a state

/// States with one move at most for each class.
struct Deterministic {
  std::vector<std::vector<std::uint32_t>> next;  // by class; nowhere_set: none
  std::vector<bool> accepts;
};

}  // namespace

class RegexpCompiler {
 public:
  RegexpCompiler(RegexpProgram& program, const RegexpLimits& limits, std::size_t& taken,
                 std::string_view pattern, os::Steps& steps)
      : program_(program),
        most_(limits.states),
        all_(limits.all_states),
        taken_(taken),
        pattern_(pattern),
        steps_(steps) {}

  Status compile(const RegexpNode& root) {
    CAIRN_TRY(program_.start_, state());
    CAIRN_TRY(program_.end_, state());
    CAIRN_CHECK(build(root, program_.start_, program_.end_));
    program_.prefix_ = literal_prefix(root);
    program_.states_.shrink_to_fit();
    return ok_status();
  }

 private:
  Error too_complex() const {
    return {.kind = ErrorKind::invalid_argument,
            .code = "too_complex_to_determinize_exception",
            .message = "the regular expression [" + std::string(pattern_.substr(0, 128)) +
                       "] would require more than [" + std::to_string(most_) +
                       "] states; make it simpler, or raise [max_determinized_states]"};
  }

  Error too_many() const {
    return {.kind = ErrorKind::invalid_argument,
            .code = "too_complex_to_determinize_exception",
            .message = "the regular expressions of the request would require more than [" +
                       std::to_string(all_) +
                       "] states together; use fewer of them, or simpler ones"};
  }
  Status count(std::size_t states) {
    taken_ += states;
    if (taken_ > all_) return too_many();
    return ok_status();
  }
  Status count_moves(std::size_t moves) {
    moves_ += moves;
    const std::size_t states = moves_ / moves_of_a_state;
    moves_ %= moves_of_a_state;
    return count(states);
  }

  Result<std::uint32_t> state() {
    if (program_.states_.size() >= most_ + 2) return too_complex();
    CAIRN_CHECK(count(1));
    CAIRN_CHECK(steps_.take());
    program_.states_.emplace_back();
    return static_cast<std::uint32_t>(program_.states_.size() - 1);
  }
  void free_move(std::uint32_t from, std::uint32_t to) {
    program_.states_[from].free.push_back(to);
  }

  /// What matches the node leads from one state to the other. The recursion is as deep as the
  /// pattern has groups.
  Status build(const RegexpNode& node, std::uint32_t from, std::uint32_t to) {
    switch (node.kind) {
      case Kind::nothing:
        return ok_status();
      case Kind::characters:
        CAIRN_CHECK(count_moves(node.ranges.size()));
        for (const auto& [low, high] : node.ranges)
          program_.states_[from].moves.push_back(
              {.first = program_.classes_.of(low), .last = program_.classes_.of(high), .to = to});
        return steps_.take(1 + node.ranges.size());
      case Kind::sequence:
        return sequence(node, from, to);
      case Kind::any_of:
        for (const RegexpTree& part : node.parts) {
          // Of its own, so that moves of a part that come back do not begin another one.
          CAIRN_TRY(const std::uint32_t own, state());
          free_move(from, own);
          CAIRN_CHECK(build(*part, own, to));
        }
        return ok_status();
      case Kind::repeat:
        return repeat(node, from, to);
      case Kind::all_of:
      case Kind::none_of:
        return combined(node, from, to);
    }
    return ok_status();
  }

  Status sequence(const RegexpNode& node, std::uint32_t from, std::uint32_t to) {
    for (const RegexpTree& part : node.parts) {
      CAIRN_TRY(const std::uint32_t next, state());
      CAIRN_CHECK(build(*part, from, next));
      from = next;
    }
    free_move(from, to);
    return ok_status();
  }

  Status repeat(const RegexpNode& node, std::uint32_t from, std::uint32_t to) {
    const RegexpNode& part = *node.parts.front();
    for (std::uint32_t i = 0; i < node.least; ++i) {
      CAIRN_TRY(const std::uint32_t next, state());
      CAIRN_CHECK(build(part, from, next));
      from = next;
    }
    if (node.most == RegexpNode::no_end) {
      CAIRN_TRY(const std::uint32_t around, state());
      CAIRN_TRY(const std::uint32_t back, state());
      free_move(from, around);
      CAIRN_CHECK(build(part, around, back));
      free_move(back, around);
      free_move(around, to);
      return ok_status();
    }
    for (std::uint32_t i = node.least; i < node.most; ++i) {
      CAIRN_TRY(const std::uint32_t own, state());
      CAIRN_TRY(const std::uint32_t next, state());
      free_move(from, own);
      free_move(from, to);
      CAIRN_CHECK(build(part, own, next));
      from = next;
    }
    free_move(from, to);
    return ok_status();
  }

  Status combined(const RegexpNode& node, std::uint32_t from, std::uint32_t to) {
    CAIRN_TRY(Deterministic whole, determined(*node.parts.front()));
    if (node.kind == Kind::none_of) {
      complement(whole);
    } else {
      for (std::size_t i = 1; i < node.parts.size(); ++i) {
        CAIRN_TRY(const Deterministic other, determined(*node.parts[i]));
        CAIRN_TRY(whole, both(whole, other));
      }
    }
    return embed(whole, from, to);
  }

  void close(States& states) const {
    std::vector<std::uint32_t> stack = states;
    std::sort(states.begin(), states.end());
    states.erase(std::unique(states.begin(), states.end()), states.end());
    std::vector<bool> seen(program_.states_.size(), false);
    for (const std::uint32_t one : states) seen[one] = true;
    while (!stack.empty()) {
      const std::uint32_t at = stack.back();
      stack.pop_back();
      for (const std::uint32_t free : program_.states_[at].free) {
        if (seen[free]) continue;
        seen[free] = true;
        states.push_back(free);
        stack.push_back(free);
      }
    }
    std::sort(states.begin(), states.end());
  }

  /// The node alone, with states that stay apart from those of the program: they are built at its
  /// end and taken away again.
  Result<Deterministic> determined(const RegexpNode& node) {
    const std::size_t before = program_.states_.size(), taken = taken_;
    CAIRN_TRY(const std::uint32_t from, state());
    CAIRN_TRY(const std::uint32_t to, state());
    CAIRN_CHECK(build(node, from, to));
    auto out = subsets(from, to);
    program_.states_.resize(before);
    taken_ = taken;
    return out;
  }

  Result<Deterministic> subsets(std::uint32_t from, std::uint32_t to) {
    const std::uint32_t classes = program_.classes_.count();
    Deterministic out;
    std::map<States, std::uint32_t> known;
    std::vector<States> order;
    const auto number_of = [&](States states) {
      close(states);
      const auto [at, is_new] = known.try_emplace(states, static_cast<std::uint32_t>(order.size()));
      if (is_new) {
        out.accepts.push_back(std::binary_search(states.begin(), states.end(), to));
        out.next.emplace_back(classes, nowhere_set);
        order.push_back(std::move(states));
      }
      return at->second;
    };
    number_of({from});
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (order.size() > most_) return too_complex();
      for (std::uint32_t c = 0; c < classes; ++c) {
        States targets;
        for (const std::uint32_t state : order[i])
          for (const RegexpProgram::Move& move : program_.states_[state].moves)
            if (c >= move.first && c <= move.last) targets.push_back(move.to);
        CAIRN_CHECK(take(1 + order[i].size() + program_.states_.size() / 16));
        if (!targets.empty()) out.next[i][c] = number_of(std::move(targets));
      }
    }
    return out;
  }

  // What ~ and & may take in all: some hundredths of a second for as many states as is usual.
  Status take(std::size_t work) {
    work_ += work;
    if (work_ > 150 * most_) return too_complex();
    return steps_.take(work);
  }

  static void complement(Deterministic& of) {
    const auto sink = static_cast<std::uint32_t>(of.next.size());
    const std::size_t classes = of.next.front().size();
    of.next.emplace_back(classes, sink);
    of.accepts.push_back(false);
    for (auto& row : of.next) std::replace(row.begin(), row.end(), nowhere_set, sink);
    of.accepts.flip();
  }

  Result<Deterministic> both(const Deterministic& a, const Deterministic& b) {
    const std::uint32_t classes = program_.classes_.count();
    Deterministic out;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> order;
    const auto number_of = [&](std::uint32_t x, std::uint32_t y) {
      const auto [at, is_new] = known.try_emplace({x, y}, static_cast<std::uint32_t>(order.size()));
      if (is_new) {
        out.accepts.push_back(a.accepts[x] && b.accepts[y]);
        out.next.emplace_back(classes, nowhere_set);
        order.emplace_back(x, y);
      }
      return at->second;
    };
    number_of(0, 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (order.size() > most_) return too_complex();
      CAIRN_CHECK(take(classes));
      for (std::uint32_t c = 0; c < classes; ++c) {
        const std::uint32_t x = a.next[order[i].first][c], y = b.next[order[i].second][c];
        if (x != nowhere_set && y != nowhere_set) out.next[i][c] = number_of(x, y);
      }
    }
    return out;
  }

  Status embed(const Deterministic& of, std::uint32_t from, std::uint32_t to) {
    const std::size_t first = program_.states_.size();
    for (std::size_t i = 0; i < of.next.size(); ++i) CAIRN_CHECK(state());
    free_move(from, static_cast<std::uint32_t>(first));
    for (std::size_t i = 0; i < of.next.size(); ++i) {
      CAIRN_CHECK(take(of.next[i].size()));
      auto& moves = program_.states_[first + i].moves;
      for (std::uint32_t c = 0; c < of.next[i].size(); ++c) {
        if (of.next[i][c] == nowhere_set) continue;
        const auto target = static_cast<std::uint32_t>(first + of.next[i][c]);
        if (!moves.empty() && moves.back().to == target && moves.back().last + 1 == c)
          moves.back().last = c;
        else
          moves.push_back({.first = c, .last = c, .to = target});
      }
      CAIRN_CHECK(count_moves(moves.size()));
      if (of.accepts[i]) free_move(static_cast<std::uint32_t>(first + i), to);
    }
    return ok_status();
  }

  RegexpProgram& program_;
  std::size_t most_;
  std::size_t all_;
  std::size_t& taken_;
  std::size_t moves_ = 0;  // that have not made a state yet
  std::string_view pattern_;
  os::Steps& steps_;
  std::size_t work_ = 0;
};

Result<std::shared_ptr<const RegexpProgram>> RegexpProgram::compile(std::string_view pattern,
                                                                    std::uint32_t flags, bool fold,
                                                                    const RegexpLimits& limits,
                                                                    std::size_t& taken,
                                                                    os::Steps& steps) {
  CAIRN_TRY(const RegexpTree tree, parse_regexp(pattern, flags, fold));
  std::shared_ptr<RegexpProgram> out(new RegexpProgram(CharacterClasses(*tree)));
  CAIRN_CHECK(RegexpCompiler(*out, limits, taken, pattern, steps).compile(*tree));
  return std::shared_ptr<const RegexpProgram>(std::move(out));
}

}  // namespace cairn::index
