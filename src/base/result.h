// SPDX-License-Identifier: Apache-2.0
// What every call that can fail gives back: a value or an Error.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/assert.h"

namespace cairn {

/// What a caller can do about a failure. Closed: a new kind is a change to every wire table.
enum class ErrorKind {
  invalid_argument,     // the request is wrong; the same request fails again
  unauthenticated,      // no credentials, or credentials that do not verify
  permission_denied,    // known caller, not allowed
  not_found,            // the thing named does not exist
  already_exists,       // the thing to create exists
  conflict,             // the state forbids it at the moment; look again, then decide
  precondition_failed,  // a condition that the caller stated does not hold
  too_large,            // over a limit on size or number
  unsupported,          // understood, not offered here
  rate_limited,         // over a limit on rate; wait and retry
  timeout,              // the deadline passed first; the work may go on
  cancelled,            // ended on request or by shutdown
  unavailable,          // not ready or not reachable; a retry may help
  storage_full,         // no space left; nothing that was acknowledged is lost
  corrupt,              // stored bytes do not verify; never retried
  internal,             // a fault of Cairn
};

/// The snake_case name of a kind, as logs and metrics show it.
std::string_view name_of(ErrorKind kind);

/// Why something failed. `code` is the wire name (`NoSuchBucket`, `index_not_found_exception`), or
/// empty where the wire table gives a kind its default. `message` is for people: what, which, and
/// what to do. `details` are extra members of an error body, in order.
struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string code = {};
  std::string message = {};
  std::vector<std::pair<std::string, std::string>> details = {};
  std::shared_ptr<const Error> cause = {};  // immutable once set

  Error&& with_detail(std::string name, std::string value) && {
    details.emplace_back(std::move(name), std::move(value));
    return std::move(*this);
  }
};

/// The same error with `context: ` before its message. For room borders only.
Error with_context(Error error, std::string_view context);

/// An Error on the heap, or none: what a Result holds of one. Its copies and its end are compiled
/// once, for they stand behind every call that can fail.
class HeldError {
 public:
  HeldError() = default;
  explicit HeldError(Error&& error);
  HeldError(HeldError&& other) noexcept : error_(std::exchange(other.error_, nullptr)) {}
  HeldError(const HeldError& other) : error_(other.error_ == nullptr ? nullptr : copy(*other)) {}
  HeldError& operator=(HeldError other) noexcept {
    std::swap(error_, other.error_);
    return *this;
  }
  ~HeldError() {
    if (error_ != nullptr) destroy(error_);
  }
  Error& operator*() const { return *error_; }
  bool is_there() const { return error_ != nullptr; }

 private:
  static Error* copy(const Error& error);
  static void destroy(Error* error) noexcept;
  Error* error_ = nullptr;
};

/// A value, or the Error that prevented it. Must be looked at: dropping one is a warning.
/// Reading `value()` of a failure, or `error()` of a success or of what was moved from, is a bug
/// and aborts.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  Result(T value)
      : value_(std::in_place, std::move(value)) {}       // NOLINT(google-explicit-constructor)
  Result(Error error) : error_(std::move(error)) {}      // NOLINT
  Result(HeldError error) : error_(std::move(error)) {}  // NOLINT

  /// From what converts to the value: a derived pointer, a literal, an optional's content.
  template <class Other>
  requires(std::is_convertible_v<Other, T> && !std::is_same_v<std::remove_cvref_t<Other>, T> &&
           !std::is_same_v<std::remove_cvref_t<Other>, Error> &&
           !std::is_same_v<std::remove_cvref_t<Other>, HeldError> &&
           !std::is_same_v<std::remove_cvref_t<Other>, Result>)
      Result(Other&& value)  // NOLINT(google-explicit-constructor)
      : value_(std::in_place, std::forward<Other>(value)) {}

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }

  T& value() & { return *checked(); }
  const T& value() const& { return *checked(); }
  T&& value() && { return std::move(*checked()); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  Error& error() & { return failure(); }
  const Error& error() const& { return failure(); }
  Error&& error() && { return std::move(failure()); }
  /// The error for a caller of the caller, as CAIRN_TRY gives it on.
  HeldError held_error() && { return std::move(error_); }
  HeldError held_error() const& { return error_; }

  T value_or(T other) && { return ok() ? std::move(*this).value() : std::move(other); }

 private:
  std::optional<T>& checked() {
    CAIRN_ASSERT(value_.has_value());
    return value_;
  }
  const std::optional<T>& checked() const {
    CAIRN_ASSERT(value_.has_value());
    return value_;
  }
  Error& failure() const {
    CAIRN_ASSERT(error_.is_there());
    return *error_;
  }
  std::optional<T> value_;
  HeldError error_;
};

struct Unit {
  friend bool operator==(Unit, Unit) { return true; }
};

/// Success without a value, or an Error.
using Status = Result<Unit>;
inline Status ok_status() { return Unit{}; }

}  // namespace cairn

#define CAIRN_CONCAT_(a, b) a##b
#define CAIRN_CONCAT(a, b) CAIRN_CONCAT_(a, b)
#define CAIRN_TRY_(temporary, binding, ...)                                              \
  auto&& temporary = (__VA_ARGS__);                                                      \
  if (!temporary.ok()) return std::forward<decltype(temporary)>(temporary).held_error(); \
  binding = std::forward<decltype(temporary)>(temporary).value()

/// `CAIRN_TRY(auto x, f());` binds the value of f(), or returns its Error from this function.
#define CAIRN_TRY(binding, ...) \
  CAIRN_TRY_(CAIRN_CONCAT(cairn_try_, __COUNTER__), binding, __VA_ARGS__)

#define CAIRN_CHECK_(temporary, ...)                                    \
  do {                                                                  \
    if (auto&& temporary = (__VA_ARGS__); !temporary.ok())              \
      return std::forward<decltype(temporary)>(temporary).held_error(); \
  } while (false)

/// `CAIRN_CHECK(f());` returns the Error of f() from this function, if there is one.
#define CAIRN_CHECK(...) CAIRN_CHECK_(CAIRN_CONCAT(cairn_check_, __COUNTER__), __VA_ARGS__)
