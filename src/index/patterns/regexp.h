// SPDX-License-Identifier: Apache-2.0
// Regular expressions over terms, in time that grows with the terms alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "index/patterns/regexp_syntax.h"
#include "os/steps.h"

namespace cairn::index {

/// Errors: illegal_argument_exception where a pattern has more than `most` characters; `used_in`
/// tells where it stood.
Status check_regexp_length(std::string_view pattern, std::size_t most, std::string_view used_in);

/// The characters that a pattern tells apart: those of one class it treats alike.
class CharacterClasses {
 public:
  explicit CharacterClasses(const RegexpNode& root);
  std::uint32_t count() const { return static_cast<std::uint32_t>(starts_.size()); }
  std::uint32_t of(char32_t c) const;

 private:
  void gather(const RegexpNode& node);
  std::vector<char32_t> starts_;  // of each class, ascending
  std::vector<std::uint32_t> ascii_;
};

/// What patterns may need. A state counts, and so does every fifth move between two.
struct RegexpLimits {
  std::size_t states = 10'000;        // of one pattern
  std::size_t all_states = SIZE_MAX;  // of all patterns of a request
};

/// A pattern made into states and the moves between them. Immutable; safe from any thread.
class RegexpProgram {
 public:
  struct Move {
    std::uint32_t first = 0, last = 0;  // classes
    std::uint32_t to = 0;
  };
  struct State {
    std::vector<Move> moves;
    std::vector<std::uint32_t> free;  // states that come without a character
  };

  /// At most `limits.states` of them, also on the way to those of ~ and &. What the program keeps is
  /// added to `taken`, which is beyond `limits.all_states` where that was too much. Errors: those of
  /// parse_regexp; too_complex_to_determinize_exception; timeout, cancelled.
  static Result<std::shared_ptr<const RegexpProgram>> compile(std::string_view pattern,
                                                              std::uint32_t flags, bool fold,
                                                              const RegexpLimits& limits,
                                                              std::size_t& taken, os::Steps& steps);

  const CharacterClasses& classes() const { return classes_; }
  const std::vector<State>& states() const { return states_; }
  std::uint32_t start() const { return start_; }
  std::uint32_t end() const { return end_; }             // whoever is here has matched
  const std::string& prefix() const { return prefix_; }  // of every text that matches

 private:
  friend class RegexpCompiler;
  explicit RegexpProgram(CharacterClasses classes) : classes_(std::move(classes)) {}
  CharacterClasses classes_;
  std::vector<State> states_;
  std::uint32_t start_ = 0, end_ = 0;
  std::string prefix_;
};

/// How a text begins, as far as something that looks at beginnings has to know.
struct Beginning {
  enum class Kind {
    fits,   // the first `bytes` match, and fewer do not
    never,  // no text that begins with the first `bytes` matches in any part
    open    // the text ends before it is known
  };
  Kind kind = Kind::open;
  std::size_t bytes = 0;
};

/// Asks one program of text after text, and keeps what it has found out about sets of states, up to
/// a bound of memory. One thread; the program and the steps outlive it.
class RegexpMatcher {
 public:
  RegexpMatcher(const RegexpProgram& program, os::Steps& steps);
  /// Whether all of the text matches. False once the steps have ended.
  bool matches(std::string_view text);
  /// The shortest beginning of the text that matches, or that nothing that matches begins with.
  /// Open once the steps have ended.
  Beginning beginning(std::string_view text);

 private:
  struct Set {
    std::vector<std::uint32_t> states;
    std::vector<std::uint32_t> next;  // by class; unknown: not found out yet
    bool accepts = false;
  };
  std::uint32_t add(std::vector<std::uint32_t> states);
  std::uint32_t step(std::uint32_t from, std::uint32_t of_class);
  void close(std::uint32_t state, std::vector<std::uint32_t>& out);
  void forget();

  const RegexpProgram& program_;
  os::Steps& steps_;
  std::vector<Set> sets_;
  std::unordered_map<std::string, std::uint32_t> known_;  // by the bytes of the states
  std::vector<std::uint32_t> seen_;                       // by state: the round it was reached in
  std::vector<std::uint32_t> stack_;
  std::uint32_t round_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace cairn::index
