// SPDX-License-Identifier: Apache-2.0
// The one main of every unit test program.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <string_view>

/// A program whose tests start it again as a child of theirs says what the child does: words begin
/// with "child".
[[gnu::weak]] int run_as_child_of_a_test(int count, char** words);

int main(int count, char** words) {
  if (run_as_child_of_a_test != nullptr && count > 1 && std::string_view(words[1]) == "child")
    return run_as_child_of_a_test(count - 2, words + 2);
  return doctest::Context(count, words).run();
}
