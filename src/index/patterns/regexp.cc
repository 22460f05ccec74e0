// SPDX-License-Identifier: Apache-2.0
// Sets of states that are found out as texts lead to them.
#include "index/patterns/regexp.h"

#include <algorithm>

#include "index/errors.h"
#include "text/words.h"

namespace cairn::index {
namespace {

constexpr std::uint32_t unknown_set = UINT32_MAX;
constexpr std::size_t kept_bytes = 8u << 20;  // what one matcher knows of its sets

std::string key_of(const std::vector<std::uint32_t>& states) {
  return {reinterpret_cast<const char*>(states.data()), states.size() * sizeof(std::uint32_t)};
}

std::size_t letters_in(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) text::next_code_point(text, at);
  return count;
}

}  // namespace

Status check_regexp_length(std::string_view pattern, std::size_t most, std::string_view used_in) {
  const std::size_t length = letters_in(pattern);
  if (length <= most) return ok_status();
  return illegal_argument("The length of regex [" + std::to_string(length) + "] used in the " +
                          std::string(used_in) + " has exceeded the allowed maximum of [" +
                          std::to_string(most) +
                          "]. This maximum can be set by changing the [index.max_regex_length] "
                          "index level setting.");
}

CharacterClasses::CharacterClasses(const RegexpNode& root) : starts_({0}) {
  gather(root);
  std::sort(starts_.begin(), starts_.end());
  starts_.erase(std::unique(starts_.begin(), starts_.end()), starts_.end());
  for (char32_t c = 0; c < 128; ++c)
    ascii_.push_back(static_cast<std::uint32_t>(
        std::upper_bound(starts_.begin(), starts_.end(), c) - starts_.begin() - 1));
}

// The recursion is as deep as the pattern has groups, which the parser bounds.
void CharacterClasses::gather(const RegexpNode& node) {
  for (const auto& [low, high] : node.ranges) {
    starts_.push_back(low);
    starts_.push_back(high + 1);
  }
  for (const RegexpTree& part : node.parts) gather(*part);
}

std::uint32_t CharacterClasses::of(char32_t c) const {
  if (c < 128) return ascii_[c];
  return static_cast<std::uint32_t>(std::upper_bound(starts_.begin(), starts_.end(), c) -
                                    starts_.begin() - 1);
}

RegexpMatcher::RegexpMatcher(const RegexpProgram& program, os::Steps& steps)
    : program_(program), steps_(steps), seen_(program.states().size(), 0) {
  forget();
}

// The set that all texts begin with is the first.
void RegexpMatcher::forget() {
  sets_.clear();
  known_.clear();
  bytes_ = 0;
  ++round_;
  std::vector<std::uint32_t> first;
  close(program_.start(), first);
  add(std::move(first));
}

void RegexpMatcher::close(std::uint32_t state, std::vector<std::uint32_t>& out) {
  if (seen_[state] == round_) return;
  seen_[state] = round_;
  stack_.push_back(state);
  while (!stack_.empty()) {
    const std::uint32_t at = stack_.back();
    stack_.pop_back();
    out.push_back(at);
    for (const std::uint32_t free : program_.states()[at].free) {
      if (seen_[free] == round_) continue;
      seen_[free] = round_;
      stack_.push_back(free);
    }
  }
}

std::uint32_t RegexpMatcher::add(std::vector<std::uint32_t> states) {
  std::sort(states.begin(), states.end());
  const auto [at, is_new] =
      known_.try_emplace(key_of(states), static_cast<std::uint32_t>(sets_.size()));
  if (!is_new) return at->second;
  const std::size_t classes = program_.classes().count();
  bytes_ += 8 * states.size() + 4 * classes + 128;
  Set set;
  set.accepts = std::binary_search(states.begin(), states.end(), program_.end());
  set.states = std::move(states);
  set.next.assign(classes, unknown_set);
  sets_.push_back(std::move(set));
  return at->second;
}

std::uint32_t RegexpMatcher::step(std::uint32_t from, std::uint32_t of_class) {
  ++round_;
  std::vector<std::uint32_t> states;
  std::uint64_t work = 1;
  for (const std::uint32_t state : sets_[from].states)
    for (const RegexpProgram::Move& move : program_.states()[state].moves) {
      ++work;
      if (of_class >= move.first && of_class <= move.last) close(move.to, states);
    }
  (void)steps_.go_on(work / 4 + states.size() / 4);
  // What was found out goes; the texts after this one find it out again.
  if (bytes_ > kept_bytes) {
    forget();
    return add(std::move(states));
  }
  const std::uint32_t to = add(std::move(states));
  sets_[from].next[of_class] = to;
  return to;
}

bool RegexpMatcher::matches(std::string_view text) {
  if (!steps_.go_on(1 + text.size() / 8)) return false;
  std::uint32_t at = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::uint32_t of_class = program_.classes().of(text::next_code_point(text, i));
    const std::uint32_t known = sets_[at].next[of_class];
    at = known != unknown_set ? known : step(at, of_class);
    if (sets_[at].states.empty()) return false;
    if (!steps_.status().ok()) return false;
  }
  return sets_[at].accepts;
}

Beginning RegexpMatcher::beginning(std::string_view text) {
  if (!steps_.go_on(1 + text.size() / 8)) return {};
  std::uint32_t at = 0;
  for (std::size_t i = 0;;) {
    if (sets_[at].accepts) return {.kind = Beginning::Kind::fits, .bytes = i};
    if (sets_[at].states.empty()) return {.kind = Beginning::Kind::never, .bytes = i};
    if (i >= text.size() || !steps_.status().ok()) return {};
    const std::uint32_t of_class = program_.classes().of(text::next_code_point(text, i));
    const std::uint32_t known = sets_[at].next[of_class];
    at = known != unknown_set ? known : step(at, of_class);
  }
}

}  // namespace cairn::index
