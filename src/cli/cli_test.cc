// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/table.h"

using namespace cairn;
using namespace cairn::cli;

TEST_CASE("arguments: options, flags, words") {
  const Syntax syntax{.options = {"--name", "--fact"}, .flags = {"--json"}, .words_max = 3};
  const auto parsed = Arguments::parse(
      {"a", "--name", "x", "--json", "--fact=1", "--fact", "2", "--", "--name"}, syntax);
  REQUIRE(parsed.ok());
  CHECK(parsed->words() == std::vector<std::string>{"a", "--name"});
  CHECK(parsed->option("--name") == "x");
  CHECK(parsed->options("--fact") == std::vector<std::string>{"1", "2"});
  CHECK(parsed->flag("--json"));
  CHECK_FALSE(parsed->option("--other").has_value());
}

TEST_CASE("arguments: what does not fit is named") {
  const Syntax syntax{.options = {"--name"}, .flags = {"--json"}, .words_min = 1, .words_max = 1};
  const auto message = [&](const std::vector<std::string>& words) {
    const auto parsed = Arguments::parse(words, syntax);
    return parsed.ok() ? std::string() : parsed.error().message;
  };
  CHECK(message({"a"}).empty());
  CHECK(message({}) == "too few arguments");
  CHECK(message({"a", "b"}) == "unexpected argument b");
  CHECK(message({"a", "--nmae", "x"}) == "unknown option --nmae; did you mean --name?");
  CHECK(message({"-z0ONga"}) == "unknown option -z0ONga; if it is none, write -- before it");
  CHECK(message({"--", "-z0ONga"}).empty());
  CHECK(message({"a", "--name"}) == "--name needs a value");
  CHECK(message({"a", "--json=1"}) == "--json takes no value");
}

TEST_CASE("arguments: switches with and without a value; all in order") {
  const Syntax syntax{.options = {"--name"}, .flags = {}, .switches = {"--fast", "--deep"}};
  const auto parsed = Arguments::parse(
      {"--fast", "true", "--no-deep", "--name", "--fast", "--fast=maybe", "--deep"}, syntax);
  REQUIRE(parsed.ok());
  CHECK(parsed->options("--fast") == std::vector<std::string>{"true", "maybe"});
  CHECK(parsed->options("--deep") == std::vector<std::string>{"false", ""});
  CHECK(parsed->option("--name") == "--fast");
  REQUIRE(parsed->in_order().size() == 5);
  CHECK(parsed->in_order()[1] == std::pair<std::string, std::string>("--deep", "false"));
  CHECK_FALSE(Arguments::parse({"--no-name"}, syntax).ok());
}

TEST_CASE("table: aligned for people, tabs for programs") {
  CHECK(format_table({"ID", "NAME"}, {{"1", "long name"}, {"22", "x\ty"}}, true) ==
        "ID  NAME\n1   long name\n22  x y\n");
  CHECK(format_table({"ID", "NAME"}, {{"1", "a"}}, false) == "1\ta\n");
}

TEST_CASE("commands: bad usage, no key, no server") {
  const Environment none = [](std::string_view) { return std::nullopt; };
  CHECK_FALSE(run({"serve"}, none).has_value());
  CHECK(run({"key"}, none) == usage_error);
  CHECK(run({"key", "paint"}, none) == usage_error);
  CHECK(run({"key", "show"}, none) == usage_error);
  CHECK(run({"key", "rotate"}, none) == usage_error);
  CHECK(run({"key", "rotate", "id", "--key-file", "/nonexistent/key"}, none) == no_input);
  CHECK(run({"key", "list", "--key-file", "/nonexistent/key"}, none) == no_input);
  CHECK(run({"key", "list", "--server", "nonsense:"}, none) == usage_error);
  CHECK(run({"key", "create", "--objects", "--policy"}, none) == usage_error);
  CHECK(run({"key", "disable", "--objects"}, none) == usage_error);
  CHECK(run({"key", "list", "--objects", "--key-file", "/nonexistent/key"}, none) == no_input);
  CHECK(run({"limits"}, none) == usage_error);
  CHECK(run({"limits", "--help"}, none) == success);
  CHECK(run({"limits", "show", "--help"}, none) == success);
  CHECK(run({"key", "create", "--name", "a", "--help"}, none) == success);
  CHECK(run({"objects", "sign", "--help"}, none) == success);
  CHECK(run({"objects", "--help"}, none) == success);
  CHECK(run({"objects"}, none) == usage_error);
  CHECK(run({"objects", "paint"}, none) == usage_error);
  CHECK(run({"limits", "show"}, none) == usage_error);
  CHECK(run({"limits", "status", "--key-file", "/nonexistent/key"}, none) == no_input);
}
