// SPDX-License-Identifier: Apache-2.0
#include "cli/manual.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace cairn::cli::manual_test {
namespace {

const std::vector<CommandPage> pages = {
    {"serve", "usage: cairn serve [--data DIR] [--set KEY=VALUE]...\n"},
    {"key",
     "usage: cairn key create --name NAME [--json]\n"
     "                        [--kind KIND]\n"
     "         a text about --kind, and em-dashes -- of no option\n"
     "       cairn key delete|disable --objects ACCESS_KEY...\n"
     "every command: [--server URL]\n"}};

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE(
    "completions: the options of a command are those of its usage, and of all commands of its "
    "page") {
  const auto all = options_of_commands(pages);
  using Options = std::vector<std::string>;
  REQUIRE(all.size() == 4);
  CHECK(all.at("serve") == Options{"--data", "--set"});
  CHECK(all.at("key create") == Options{"--name", "--json", "--kind", "--server"});
  CHECK(all.at("key delete") == Options{"--objects", "--server"});
  CHECK(all.at("key disable") == all.at("key delete"));
}

TEST_CASE("completions: what a paragraph says of a verb is that verb's") {
  const auto all = options_of_commands({{"indices",
                                         "usage: cairn indices list [--json]\n"
                                         "       cairn indices delete NAME [--yes]\n"
                                         "       cairn indices stats\n"
                                         "list: --json, and --hidden.\n"
                                         "list and delete: --all\n"
                                         "NAMES: --none\n"
                                         "every command: [--server URL]\n"}});
  using Options = std::vector<std::string>;
  CHECK(all.at("indices list") == Options{"--json", "--hidden", "--all", "--none", "--server"});
  CHECK(all.at("indices stats") == Options{"--server"});
}

TEST_CASE("completions: every command of the room has one, with the server that it asks") {
  const auto all = options_of_commands(command_pages());
  for (const char* words : {"key create", "key rotate", "limits show", "model import", "model list",
                            "search", "add", "top", "bulk load", "indices list", "endpoints create",
                            "repositories verify", "snapshots restore"}) {
    CAPTURE(words);
    REQUIRE(all.count(words) == 1);
    const auto& options = all.at(words);
    CHECK(std::find(options.begin(), options.end(), "--server") != options.end());
  }
  for (const char* words : {"objects cp", "objects sync", "objects presign"}) {
    REQUIRE(all.count(words) == 1);
    const auto& options = all.at(words);
    CHECK(std::find(options.begin(), options.end(), "--endpoint-url") != options.end());
  }
}

TEST_CASE("completions: there is a script for each of three shells") {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const auto script = completion_script(shell, pages);
    REQUIRE(script.ok());
    CHECK(has(*script, "create delete disable"));
  }
  const auto none = completion_script("tcsh", pages);
  REQUIRE_FALSE(none.ok());
  CHECK(has(none.error().message, "tcsh"));
}

TEST_CASE("manual: texts are shown as they are") {
  CHECK(roff_text(".a 'b\n'c\\d-e\n.f") == "\\&.a 'b\n\\&'c\\ed\\-e\n\\&.f");
  CHECK(roff_block("a\n\n") == ".nf\na\n.fi\n");
  const std::string page = program_manual(pages, "0.1.0");
  for (const char* part :
       {".TH CAIRN 1", ".SS cairn key", "\\-\\-kind KIND", ".SH EXIT STATUS", "cairn.yaml (5)"})
    CHECK(has(page, part));
}

}  // namespace cairn::cli::manual_test
