// SPDX-License-Identifier: Apache-2.0
// An option's value, which knows whether somebody gave it.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace cairn::objectclient {

/// Marks a default where an option is declared.
template <class T>
struct ByDefault {
  T value;
};
template <class T>
ByDefault<T> by_default(T value) {
  return {std::move(value)};
}

/// A value that a caller may give: `.max_attempts = 5`. What nobody gave can still be filled in
/// from the environment, a profile or a mode, in that order, and is the default at last.
template <class T>
class Setting {
 public:
  Setting() = default;
  template <class U>
  requires(std::is_convertible_v<U, T> &&
           (!std::is_same_v<T, bool> || std::is_same_v<std::remove_cvref_t<U>, bool>))
      Setting(
          U&& value)  // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload)
      : value_(std::forward<U>(value)), given_(true) {}
  template <class U>
  Setting(ByDefault<U> value)  // NOLINT(google-explicit-constructor)
      : value_(std::move(value.value)) {}
  Setting(std::initializer_list<std::string> values)  // NOLINT(google-explicit-constructor)
      requires std::is_same_v<T, std::vector<std::string>> : value_(values),
                                                             given_(true) {}

  bool given() const { return given_; }
  const T& operator*() const { return value_; }
  const T* operator->() const { return &value_; }
  /// Sets the value unless somebody gave one.
  void fall_back(T value) {
    if (!given_) value_ = std::move(value);
  }

 private:
  T value_{};
  bool given_ = false;
};

}  // namespace cairn::objectclient
