// SPDX-License-Identifier: Apache-2.0
// Completions for shells.
// Sources: bash(1) "Programmable Completion", zshcompsys(1), fish's `complete`.
#include <algorithm>
#include <set>

#include "base/strings.h"
#include "cli/manual.h"

namespace cairn::cli {
namespace {

using Options = std::map<std::string, std::vector<std::string>>;

bool is_word(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-|") == std::string_view::npos &&
         text.front() != '-';
}

/// "--name" of "[--name" and "--name]...".
std::vector<std::string> options_in(std::string_view line) {
  std::vector<std::string> out;
  for (auto at = line.find("--"); at != std::string_view::npos; at = line.find("--", at + 2)) {
    const auto end = line.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-", at);
    const std::string_view name = line.substr(at, end == std::string_view::npos ? end : end - at);
    if (name.size() > 2 && (at == 0 || line[at - 1] != '-')) out.emplace_back(name);
  }
  return out;
}

/// Where a usage stands in its text: "key create" and "key delete" of "cairn key create|delete".
std::vector<std::string> commands_at(std::string_view line) {
  line = trim(line);
  if (line.starts_with("usage: ")) line.remove_prefix(7);
  if (!line.starts_with("cairn ")) return {};
  const auto words = split(line, ' ');
  std::vector<std::string> out;
  const bool has_verb = words.size() > 2 && is_word(words[2]);
  if (words.size() < 2 || !is_word(words[1])) return {};
  if (!has_verb) return {std::string(words[1])};
  for (const auto verb : split(words[2], '|'))
    out.push_back(std::string(words[1]) + " " + std::string(verb));
  return out;
}

/// "key create" of a line "create: …" on the page of `cairn key`; of "create and delete: …" both.
std::vector<std::string> verbs_named(const std::string& noun, std::string_view line,
                                     const std::vector<std::string>& of_page) {
  const auto colon = line.find(':');
  std::vector<std::string> out;
  if (colon == std::string_view::npos) return out;
  for (const auto word : split(line.substr(0, colon), ' ')) {
    if (word == "and") continue;
    std::string named = noun + " " + std::string(word);
    if (std::find(of_page.begin(), of_page.end(), named) == of_page.end()) return {};
    out.push_back(std::move(named));
  }
  return out;
}

std::set<std::string> nouns_of(const Options& all) {
  std::set<std::string> out;
  for (const auto& [words, options] : all) out.insert(words.substr(0, words.find(' ')));
  return out;
}

std::vector<std::string> verbs_of(const Options& all, const std::string& noun) {
  std::vector<std::string> out;
  for (const auto& [words, options] : all)
    if (words.starts_with(noun + " ")) out.push_back(words.substr(noun.size() + 1));
  return out;
}

std::string first_words(const Options& all) {
  const auto nouns = nouns_of(all);
  return join(std::vector<std::string>(nouns.begin(), nouns.end()), " ");
}

/// Branches of a `case` of noun and verb, as bash and zsh have it: the options that may follow.
std::string option_cases(const Options& all) {
  std::string out;
  for (const auto& [words, options] : all) {
    const bool has_verb = words.find(' ') != std::string::npos;
    if (!options.empty())
      out += "      " + (has_verb ? "'" + words + "'" : "'" + words + " '*") + ") known='" +
             join(options, " ") + "' ;;\n";
  }
  return out;
}

/// The same of a noun: its verbs.
std::string verb_cases(const Options& all) {
  std::string out;
  for (const auto& noun : nouns_of(all))
    if (const auto verbs = verbs_of(all, noun); !verbs.empty())
      out += "      " + noun + ") known='" + join(verbs, " ") + "' ;;\n";
  return out;
}

std::string bash_script(const Options& all) {
  return "# Completion of cairn for bash.\n"
         "_cairn() {\n"
         "  local known='' word=${COMP_WORDS[COMP_CWORD]}\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    known='" +
         first_words(all) +
         "'\n"
         "  elif [[ $word == -* ]]; then\n"
         "    case \"${COMP_WORDS[1]} ${COMP_WORDS[2]}\" in\n" +
         option_cases(all) +
         "    esac\n"
         "  elif [ \"$COMP_CWORD\" -eq 2 ]; then\n"
         "    case ${COMP_WORDS[1]} in\n" +
         verb_cases(all) +
         "    esac\n"
         "  fi\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$known\" -- \"$word\")\n"
         "}\n"
         "complete -o default -F _cairn cairn\n";
}

std::string zsh_script(const Options& all) {
  return "#compdef cairn\n"
         "# Completion of cairn for zsh.\n"
         "_cairn() {\n"
         "  local known=''\n"
         "  if (( CURRENT == 2 )); then\n"
         "    known='" +
         first_words(all) +
         "'\n"
         "  elif [[ $words[CURRENT] == -* ]]; then\n"
         "    case \"$words[2] $words[3]\" in\n" +
         option_cases(all) +
         "    esac\n"
         "  elif (( CURRENT == 3 )); then\n"
         "    case $words[2] in\n" +
         verb_cases(all) +
         "    esac\n"
         "  fi\n"
         "  if [[ -n $known ]]; then compadd -- ${=known}; else _files; fi\n"
         "}\n"
         "_cairn \"$@\"\n";
}

std::string fish_script(const Options& all) {
  std::string out = "# Completion of cairn for fish.\n";
  out += "complete -c cairn -n __fish_use_subcommand -f -a '" + first_words(all) + "'\n";
  for (const auto& noun : nouns_of(all))
    if (const auto verbs = verbs_of(all, noun); !verbs.empty())
      out += "complete -c cairn -n '__fish_seen_subcommand_from " + noun +
             "; and test (count (commandline -opc)) -eq 2' -f -a '" + join(verbs, " ") + "'\n";
  for (const auto& [words, options] : all) {
    std::string when = "__fish_seen_subcommand_from " + words.substr(0, words.find(' '));
    if (const auto space = words.find(' '); space != std::string::npos)
      when += "; and __fish_seen_subcommand_from " + words.substr(space + 1);
    for (const auto& option : options)
      out += "complete -c cairn -n '" + when + "' -l " + option.substr(2) + "\n";
  }
  return out;
}

}  // namespace

Options options_of_commands(const std::vector<CommandPage>& pages) {
  Options all;
  for (const auto& [noun, text] : pages) {
    std::vector<std::string> at, of_page;
    for (const auto line : split(text, '\n')) {
      if (auto found = commands_at(line); !found.empty()) {
        at = std::move(found);
        for (const auto& words : at) {
          all[words];
          if (std::find(of_page.begin(), of_page.end(), words) == of_page.end())
            of_page.push_back(words);
        }
      }
      // What follows is of all that the page has said, or of the verbs that the paragraph names.
      if (line.starts_with("every command"))
        at = of_page;
      else if (auto named = verbs_named(noun, line, of_page); !named.empty())
        at = std::move(named);
      for (const auto& option : options_in(line))
        for (const auto& words : at)
          if (auto& has = all[words]; std::find(has.begin(), has.end(), option) == has.end())
            has.push_back(option);
    }
  }
  return all;
}

Result<std::string> completion_script(std::string_view shell,
                                      const std::vector<CommandPage>& pages) {
  const Options all = options_of_commands(pages);
  if (shell == "bash") return bash_script(all);
  if (shell == "zsh") return zsh_script(all);
  if (shell == "fish") return fish_script(all);
  return Error{
      .kind = ErrorKind::invalid_argument,
      .message = "cairn completes in bash, zsh and fish, not in [" + std::string(shell) + "]"};
}

}  // namespace cairn::cli
