// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/files/path_rules.h"

#include <doctest/doctest.h>

#include "os/random.h"

namespace cairn::connectors::path_rules_test {

namespace {

bool matches(std::string_view pattern, std::string_view path, bool is_folder = false) {
  const auto parsed = PathPattern::parse(pattern);
  REQUIRE_MESSAGE(parsed.ok(), (parsed.ok() ? std::string() : parsed.error().message));
  return parsed->matches(path, is_folder);
}

/// The meaning written down as it is said, in time that grows as it likes. `begins`: at the
/// beginning of a part.
bool slow(std::string_view pattern, std::string_view path, bool begins) {
  if (pattern.empty()) return path.empty();
  if (begins && pattern == "**") return !path.empty() && path[0] != '/';
  if (begins && pattern.starts_with("**/")) {
    if (slow(pattern.substr(3), path, true)) return true;
    for (std::size_t i = 0; i < path.size(); ++i)
      if (path[i] == '/' && slow(pattern.substr(3), path.substr(i + 1), true)) return true;
    return false;
  }
  if (pattern[0] == '*') {
    for (std::size_t i = 0; i <= path.size(); ++i) {
      if (slow(pattern.substr(1), path.substr(i), false)) return true;
      if (i < path.size() && path[i] == '/') break;
    }
    return false;
  }
  if (path.empty()) return false;
  if (pattern[0] == '?') return path[0] != '/' && slow(pattern.substr(1), path.substr(1), false);
  return pattern[0] == path[0] && slow(pattern.substr(1), path.substr(1), path[0] == '/');
}

bool slow_pattern(std::string_view pattern, std::string_view path) {
  const bool anchored = pattern.find('/') != std::string_view::npos;
  if (pattern.starts_with('/')) pattern.remove_prefix(1);
  if (anchored) return slow(pattern, path, true);
  return slow("**/" + std::string(pattern), path, true);
}

std::string some_of(os::Random& random, std::string_view letters, std::size_t most) {
  std::string out;
  const auto next = [&] { return static_cast<unsigned char>(random.bytes(1)[0]); };
  for (std::size_t n = next() % (most + 1); n > 0; --n) out += letters[next() % letters.size()];
  return out;
}

}  // namespace

TEST_CASE("path patterns: names at any depth, paths from the root, folders, classes") {
  CHECK(matches("*.txt", "a.txt"));
  CHECK(matches("*.txt", "deep/down/a.txt"));
  CHECK_FALSE(matches("/*.txt", "deep/a.txt"));
  CHECK(matches("docs/*.txt", "docs/a.txt"));
  CHECK_FALSE(matches("docs/*.txt", "docs/deep/a.txt"));
  CHECK(matches("docs/**/*.txt", "docs/a.txt"));
  CHECK(matches("docs/**/*.txt", "docs/x/y/a.txt"));
  CHECK(matches("**/build", "a/b/build"));
  CHECK(matches("build/", "a/build", true));
  CHECK_FALSE(matches("build/", "a/build", false));
  CHECK(matches("a/**", "a/b/c"));
  CHECK_FALSE(matches("a/**", "a"));
  CHECK(matches("[a-c]?[!x].md", "bzy.md"));
  CHECK_FALSE(matches("[a-c]?[!x].md", "bzx.md"));
  CHECK(matches("a[]]b", "a]b"));
  CHECK(matches("\\*.c", "*.c"));
  CHECK_FALSE(matches("\\*.c", "a.c"));
  CHECK(matches("[never", "[never"));
  CHECK_FALSE(PathPattern::parse("/").ok());
  CHECK_FALSE(PathPattern::parse(std::string(1025, 'a')).ok());
}

TEST_CASE("path patterns: random ones match what their meaning, tried slowly, matches") {
  const auto random = os::seeded_random(17);
  int matched = 0;
  for (int i = 0; i < 40'000; ++i) {
    std::string pattern = some_of(*random, "ab/*?*", 8);
    while (pattern.ends_with('/')) pattern.pop_back();
    const std::string path = some_of(*random, "ab/", 8);
    if (pattern.empty() || pattern == "/") continue;
    const auto parsed = PathPattern::parse(pattern);
    if (!parsed.ok()) continue;
    const bool wanted = slow_pattern(pattern, path);
    matched += wanted;
    CHECK_MESSAGE(parsed->matches(path, false) == wanted, pattern << " and " << path);
  }
  CHECK(matched > 1'000);
}

TEST_CASE("path patterns: stars upon stars take no longer than pattern times path") {
  std::string pattern, path(4'000, 'a');
  for (int i = 0; i < 500; ++i) pattern += "a*";
  CHECK_FALSE(matches(pattern + "b", path));
  std::string folders;
  for (int i = 0; i < 300; ++i) folders += "**/";
  CHECK_FALSE(matches(folders + "b", path));
}

TEST_CASE("ignore files: the last line that speaks of a path counts; comments and blanks do not") {
  const IgnoreFile rules("", "# all logs\n*.log\n!keep.log\n\n/out/\n\\#odd  \nspaced\\ \r\n");
  CHECK(rules.judge("a/b.log", false) == true);
  CHECK(rules.judge("a/keep.log", false) == false);
  CHECK(rules.judge("out", true) == true);
  CHECK_FALSE(rules.judge("a/out", true).has_value());
  CHECK(rules.judge("#odd", false) == true);
  CHECK(rules.judge("spaced ", false) == true);
  CHECK_FALSE(rules.judge("a.txt", false).has_value());
  const IgnoreFile within("sub", "/a.txt\n");
  CHECK(within.judge("sub/a.txt", false) == true);
  CHECK_FALSE(within.judge("sub/deep/a.txt", false).has_value());
}

}  // namespace cairn::connectors::path_rules_test
