// SPDX-License-Identifier: Apache-2.0
// What the nouns share: their verbs, and how one is found and run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/connection.h"
#include "format/json.h"

namespace cairn::cli {

/// `cairn <noun> <verb>`; every verb takes the options of a Connection besides.
struct Verb {
  std::string_view name;
  Syntax syntax;
  int (*run)(const Arguments&, Connection&);
};

struct Noun {
  std::string_view name;
  std::string_view usage;  // all of its verbs
  const std::vector<Verb>& verbs;
};

/// Finds the verb, reads its arguments, connects, runs it. The exit status.
int run_noun(const Noun& noun, const std::vector<std::string>& words,
             const Environment& environment);

/// `help`, or --help or -h wherever it stands before a "--".
bool asks_for_help(const std::vector<std::string>& words);

/// Says why and how to use it, on standard error. The exit status.
int misused(std::string_view why, std::string_view usage);

/// Indented, on standard output.
void print_json(const Json& value);

}  // namespace cairn::cli
