// SPDX-License-Identifier: Apache-2.0
// What the nouns share: their verbs, and how one is found and run.
#pragma once

#include <functional>
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

/// Does the same with each word, and goes on where one fails. The exit status: of the last that
/// failed, partly_failed where others were done.
int for_each_word(const Arguments& arguments, const std::function<int(const std::string&)>& act);

/// The JSON object of a file, or of standard input ("-"). Errors: those of reading it;
/// invalid_argument, with the file's name.
Result<Json> read_json_object(const std::string& path);

/// Asks, and prints why where the status is not 200; the body, or the exit status.
struct Asked {
  Json body = {};
  int exit_code = 0;  // not zero: it has been explained
};
Asked ask_or_explain(Connection& connection, std::string method, const std::string& path,
                     const Json* body = nullptr);
/// The same for as long as it takes.
Asked wait_for(Connection& connection, std::string method, const std::string& path,
               const Json* body = nullptr);

/// Indented, on standard output.
void print_json(const Json& value);

}  // namespace cairn::cli
