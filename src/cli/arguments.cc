// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.h"

#include <algorithm>

#include "base/strings.h"

namespace cairn::cli {
namespace {

Error usage(std::string message) {
  return {.kind = ErrorKind::invalid_argument, .message = std::move(message)};
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Error unknown(std::string_view name, const Syntax& syntax) {
  std::vector<std::string> known = syntax.options;
  known.insert(known.end(), syntax.flags.begin(), syntax.flags.end());
  known.insert(known.end(), syntax.switches.begin(), syntax.switches.end());
  std::string message = "unknown option " + std::string(name);
  if (const auto near = nearest(name, known)) message += "; did you mean " + *near + "?";
  else if (!name.starts_with("--")) message += "; if it is none, write -- before it";
  return usage(message);
}

}  // namespace

void Arguments::add(std::string name, std::string value) {
  values_.emplace(name, value);
  in_order_.emplace_back(std::move(name), std::move(value));
}

bool Arguments::add_switch(const std::string& name, const std::vector<std::string>& words,
                           std::size_t& at, const Syntax& syntax) {
  const auto equals = words[at].find('=');
  if (contains(syntax.switches, name)) {
    std::string value = equals == std::string::npos ? "" : words[at].substr(equals + 1);
    const bool value_follows = equals == std::string::npos && at + 1 < words.size() &&
                               (words[at + 1] == "true" || words[at + 1] == "false");
    if (value_follows) value = words[++at];
    add(name, std::move(value));
    return true;
  }
  const bool negated = name.starts_with("--no-") && equals == std::string::npos &&
                       contains(syntax.switches, "--" + name.substr(5));
  if (negated) add("--" + name.substr(5), "false");
  return negated;
}

Result<Arguments> Arguments::parse(const std::vector<std::string>& words, const Syntax& syntax) {
  Arguments out;
  bool only_words = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (only_words || word.size() < 2 || word[0] != '-') {
      out.words_.push_back(word);
      continue;
    }
    if (word == "--") {
      only_words = true;
      continue;
    }
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (contains(syntax.flags, name)) {
      if (equals != std::string::npos) return usage(name + " takes no value");
      out.add(name, "");
    } else if (contains(syntax.options, name)) {
      if (equals == std::string::npos && i + 1 == words.size())
        return usage(name + " needs a value");
      std::string value = equals == std::string::npos ? words[++i] : word.substr(equals + 1);
      out.add(name, std::move(value));
    } else if (!out.add_switch(name, words, i, syntax)) {
      return unknown(name, syntax);
    }
  }
  if (out.words_.size() < syntax.words_min) return usage("too few arguments");
  if (out.words_.size() > syntax.words_max)
    return usage("unexpected argument " + out.words_[syntax.words_max]);
  return out;
}

bool Arguments::flag(std::string_view name) const { return values_.find(name) != values_.end(); }

std::optional<std::string> Arguments::option(std::string_view name) const {
  const auto all = options(name);
  return all.empty() ? std::nullopt : std::optional(all.back());
}

std::vector<std::string> Arguments::options(std::string_view name) const {
  std::vector<std::string> out;
  const auto [first, last] = values_.equal_range(name);
  for (auto at = first; at != last; ++at) out.push_back(at->second);
  return out;
}

}  // namespace cairn::cli
