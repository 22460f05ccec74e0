// SPDX-License-Identifier: Apache-2.0
#include "auth/policy/policy_pattern.h"

#include "base/strings.h"

namespace cairn::auth {
namespace {

constexpr char16_t any_run = 256;
constexpr char16_t any_one = 257;

char16_t unit(char c, bool fold) {
  const auto byte = static_cast<unsigned char>(c);
  if (fold && byte >= 'A' && byte <= 'Z') return static_cast<char16_t>(byte + 32);
  return byte;
}

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// The place behind the character at `at`, which may have several bytes.
std::size_t next_character(std::string_view text, std::size_t at) {
  ++at;
  while (at < text.size() && continues(text[at])) ++at;
  return at;
}

// Goes back to the last run only: that is enough, for what a later run takes an earlier one may
// leave.
bool glob_match(std::u16string_view glob, std::string_view text, bool fold) {
  std::size_t g = 0, t = 0, run = std::u16string_view::npos, mark = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == any_run) {
      run = g++;
      mark = t;
    } else if (g < glob.size() && glob[g] == any_one) {
      t = next_character(text, t);
      ++g;
    } else if (g < glob.size() && glob[g] == unit(text[t], fold)) {
      ++g;
      ++t;
    } else if (run != std::u16string_view::npos) {
      g = run + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == any_run) ++g;
  return g == glob.size();
}

void append_text(std::u16string& glob, std::string_view text, bool fold) {
  for (const char c : text) glob += unit(c, fold);
}

/// What stands between ${ and }: a key, and perhaps a text for when there is no value.
struct Variable {
  std::string_view key;
  std::optional<std::string> otherwise;
};

Variable read_variable(std::string_view inside) {
  const auto comma = inside.find(',');
  Variable out{trim(inside.substr(0, comma)), {}};
  if (comma == std::string_view::npos) return out;
  const std::string_view quoted = trim(inside.substr(comma + 1));
  if (quoted.size() >= 2 && quoted.front() == '\'' && quoted.back() == '\'')
    out.otherwise = std::string(quoted.substr(1, quoted.size() - 2));
  return out;
}

}  // namespace

PolicyPattern PolicyPattern::compile(std::string_view text, const PatternParams& params) {
  PolicyPattern out;
  out.fold_case_ = params.fold_case;
  out.pieces_.emplace_back();
  const auto glob = [&]() -> std::u16string& {
    if (out.pieces_.back().variable) out.pieces_.emplace_back();
    return out.pieces_.back().glob;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto end = params.variables && text.substr(at).starts_with("${") ? text.find('}', at)
                                                                           : std::string_view::npos;
    if (end != std::string_view::npos) {
      const std::string_view inside = text.substr(at + 2, end - at - 2);
      at = end;
      if (inside == "*" || inside == "?" || inside == "$") {
        append_text(glob(), inside, params.fold_case);
        out.text_ += inside;
        continue;
      }
      Variable variable = read_variable(inside);
      Piece piece;
      piece.variable = find_policy_key(variable.key).value_or(PolicyKey{});
      piece.otherwise = std::move(variable.otherwise);
      out.pieces_.push_back(std::move(piece));
      out.open_ = out.variables_ = true;
      continue;
    }
    if (params.wildcards && (text[at] == '*' || text[at] == '?')) {
      glob() += text[at] == '*' ? any_run : any_one;
      out.open_ = true;
      continue;
    }
    glob() += unit(text[at], params.fold_case);
    out.text_ += text[at];
  }
  return out;
}

std::optional<std::u16string> PolicyPattern::filled(const PolicyFacts& facts) const {
  std::u16string out;
  std::vector<std::string> values;
  for (const Piece& piece : pieces_) {
    if (!piece.variable) {
      out += piece.glob;
      continue;
    }
    values.clear();
    const bool there = facts.find(*piece.variable, values) && values.size() == 1;
    if (!there && !piece.otherwise) return std::nullopt;
    append_text(out, there ? std::string_view(values[0]) : *piece.otherwise, fold_case_);
  }
  return out;
}

std::u16string PolicyPattern::widened() const {
  std::u16string out;
  for (const Piece& piece : pieces_) {
    if (piece.variable)
      out += any_run;
    else
      out += piece.glob;
  }
  return out;
}

bool PolicyPattern::matches(std::string_view subject, const PolicyFacts& facts) const {
  if (!open_) return fold_case_ ? glob_match(pieces_[0].glob, subject, true) : text_ == subject;
  if (!variables_) return glob_match(pieces_[0].glob, subject, fold_case_);
  const auto glob = filled(facts);
  return glob && glob_match(*glob, subject, fold_case_);
}

bool PolicyPattern::may_match(std::string_view subject) const {
  return glob_match(widened(), subject, fold_case_);
}

// Follows every way through the pattern at once: whoever has not run out of pattern can go on with
// a text that fits the rest.
bool PolicyPattern::may_match_beginning(std::string_view prefix) const {
  const std::u16string glob = widened();
  std::vector<bool> at(glob.size() + 1, false);
  const auto skip_runs = [&] {
    for (std::size_t g = 0; g < glob.size(); ++g)
      if (at[g] && glob[g] == any_run) at[g + 1] = true;
  };
  at[0] = true;
  skip_runs();
  for (std::size_t t = 0; t < prefix.size(); ++t) {
    std::vector<bool> next(glob.size() + 1, false);
    for (std::size_t g = 0; g < glob.size(); ++g) {
      if (!at[g]) continue;
      if (glob[g] == any_run)
        next[g] = true;
      else if (glob[g] == any_one || glob[g] == unit(prefix[t], fold_case_))
        next[g + 1] = true;
    }
    at.swap(next);
    skip_runs();
  }
  for (const bool reached : at)
    if (reached) return true;
  return false;
}

}  // namespace cairn::auth
