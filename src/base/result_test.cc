// SPDX-License-Identifier: Apache-2.0
// Tests of result.h.
#include "base/result.h"

#include <doctest/doctest.h>

#include <array>
#include <set>

using namespace cairn;

namespace {

struct Animal {
  virtual ~Animal() = default;
  virtual int legs() const = 0;
};
struct Bird final : Animal {
  int legs() const override { return 2; }
};

Error no_such(std::string_view what) {
  return {.kind = ErrorKind::not_found, .code = "not_here", .message = "no " + std::string(what)};
}

Result<int> number(bool good) {
  if (!good) return no_such("number");
  return 7;
}

Result<std::string> text_of_number(bool good) {
  CAIRN_TRY(const int n, number(good));
  CAIRN_TRY(const int m, number(good));
  return std::to_string(n + m);
}

Status only_check(bool good) {
  CAIRN_CHECK(number(good));
  return ok_status();
}

Result<std::unique_ptr<Animal>> bird() { return std::make_unique<Bird>(); }

Result<int> through_move_only() {
  CAIRN_TRY(const auto animal, bird());
  return animal->legs();
}

}  // namespace

TEST_CASE("result: a value passes, an error returns from the caller") {
  CHECK(text_of_number(true).value() == "14");
  const auto failed = text_of_number(false);
  REQUIRE(!failed.ok());
  CHECK(failed.error().kind == ErrorKind::not_found);
  CHECK(failed.error().code == "not_here");
  CHECK(failed.error().message == "no number");
  CHECK(only_check(true).ok());
  CHECK(!only_check(false).ok());
  CHECK(through_move_only().value() == 2);
}

TEST_CASE("result: value_or, arrow and conversion") {
  CHECK(number(true).value_or(1) == 7);
  CHECK(number(false).value_or(1) == 1);
  const Result<std::string> literal = "abc";
  CHECK(literal->size() == 3);
  CHECK(bool(literal));
}

TEST_CASE("result: copies are apart, and what was moved from is no success") {
  Result<std::string> failed = no_such("text");
  Result<std::string> copy = failed;
  copy.error().message = "another";
  CHECK(failed.error().message == "no text");
  const Result<std::string> moved = std::move(failed);
  CHECK(moved.error().message == "no text");
  CHECK_FALSE(failed.ok());  // NOLINT(bugprone-use-after-move)
  failed = std::string("good");
  CHECK(*failed == "good");
  failed = copy;
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().message == "another");
  const Error taken = std::move(failed).error();
  CHECK(taken.message == "another");
  CHECK_FALSE(std::is_copy_constructible_v<Result<std::unique_ptr<int>>>);
  CHECK(std::is_nothrow_move_constructible_v<Result<std::string>>);
  CHECK(sizeof(Status) <= 2 * sizeof(void*));
}

TEST_CASE("error: context goes before the message, details keep their order") {
  const Error error =
      with_context(no_such("key").with_detail("b", "1").with_detail("a", "2"), "opening");
  CHECK(error.message == "opening: no key");
  REQUIRE(error.details.size() == 2);
  CHECK(error.details[0].first == "b");
  CHECK(error.details[1].second == "2");
}

TEST_CASE("error: every kind has a name of its own") {
  constexpr std::array kinds = {ErrorKind::invalid_argument,
                                ErrorKind::unauthenticated,
                                ErrorKind::permission_denied,
                                ErrorKind::not_found,
                                ErrorKind::already_exists,
                                ErrorKind::conflict,
                                ErrorKind::precondition_failed,
                                ErrorKind::too_large,
                                ErrorKind::unsupported,
                                ErrorKind::rate_limited,
                                ErrorKind::timeout,
                                ErrorKind::cancelled,
                                ErrorKind::unavailable,
                                ErrorKind::storage_full,
                                ErrorKind::corrupt,
                                ErrorKind::internal};
  std::set<std::string_view> names;
  for (const ErrorKind kind : kinds) names.insert(name_of(kind));
  CHECK(names.size() == kinds.size());
}
