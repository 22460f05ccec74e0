// SPDX-License-Identifier: Apache-2.0
#include "cli/add/wishes.h"

#include <doctest/doctest.h>

namespace cairn::cli::wishes_test {

TEST_CASE("add: a folder gives its index a name") {
  CHECK(name_of_folder("/home/me/My Books/") == "my-books");
  CHECK(name_of_folder("/srv/docs") == "docs");
  CHECK(name_of_folder("/srv/_old-.2024.") == "old-.2024");
  CHECK(name_of_folder("/srv/B\xc3\xbc"
                       "cher 2") == "b-cher-2");
  CHECK(name_of_folder("/").empty());
  CHECK(name_of_folder("/srv/\xd0\xba").empty());
}

TEST_CASE("add: schedules are words or fields of cron") {
  CHECK(*cron_of_schedule("daily") == "0 0 3 * * ?");
  CHECK(*cron_of_schedule("hourly") == "0 0 * * * ?");
  CHECK(*cron_of_schedule("0 30 2 * * ?") == "0 30 2 * * ?");
  for (const auto* wrong : {"", "weekly", "* * * * *"}) CHECK_FALSE(cron_of_schedule(wrong).ok());
  CHECK(crontab_of_schedule("daily") == "0 3 * * *");
  CHECK(crontab_of_schedule("hourly") == "0 * * * *");
  CHECK(crontab_of_schedule("0 30 2 * * ?") == "MINUTE HOUR * * *");
}

TEST_CASE("add: a title is a question, without what a shell would read") {
  CHECK(question_of_title("wait(2) - wait for process to change state") ==
        "wait for process to change state");
  CHECK(question_of_title("$(rm -rf) \"quoted\" `text`") == "rm rf quoted text");
  CHECK(question_of_title("README").empty());
  CHECK(question_of_title("one two three four five six seven eight") ==
        "one two three four five six seven");
  CHECK(shell_word("/a/b-c.d") == "/a/b-c.d");
  CHECK(shell_word("it's me") == "'it'\\''s me'");
  CHECK(shell_word("") == "''");
}

}  // namespace cairn::cli::wishes_test
