// SPDX-License-Identifier: Apache-2.0
// What an interpreter changes for a while, and puts back.
#pragma once

#include <string_view>
#include <utility>

#include "inference/templates/value.h"

namespace cairn::inference::templates {

/// Statements and expressions within each other, over all calls: what the stack of a worker holds.
inline constexpr int most_levels_at_work = 200;

class Counted {
 public:
  explicit Counted(int& count) : count_(count) { ++count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --count_; }

 private:
  int& count_;
};

/// Another value, until this ends.
template <class Held>
class Instead {
 public:
  Instead(Held& place, Held other) : place_(place), before_(std::exchange(place, other)) {}
  Instead(const Instead&) = delete;
  Instead& operator=(const Instead&) = delete;
  ~Instead() { place_ = before_; }

 private:
  Held& place_;
  Held before_;
};

/// Output goes into another text.
class OutputInto : private Instead<Text*> {
 public:
  OutputInto(Text*& place, Text& other) : Instead(place, &other) {}
};

/// A scope within the one at work.
class ScopeWithin {
 public:
  ScopeWithin(Heap& heap, Scope*& at_work)
      : heap_(heap), at_work_(at_work), own_(heap.scope(at_work)) {
    at_work_ = own_;
  }
  ScopeWithin(const ScopeWithin&) = delete;
  ScopeWithin& operator=(const ScopeWithin&) = delete;
  ~ScopeWithin() {
    at_work_ = own_->parent;
    heap_.end(own_);
  }

 private:
  Heap& heap_;
  Scope*& at_work_;
  Scope* own_;
};

inline Value* find_name(Scope& scope, std::string_view name) {
  for (auto& [known, value] : scope.names)
    if (known == name) return &value;
  return nullptr;
}

inline void set_name(Scope& scope, std::string_view name, Value value) {
  if (Value* there = find_name(scope, name)) {
    *there = std::move(value);
  } else {
    scope.names.emplace_back(name, std::move(value));
  }
}

}  // namespace cairn::inference::templates
