// SPDX-License-Identifier: Apache-2.0
#include "script/methods.h"

#include <algorithm>
#include <array>

namespace cairn::script {
namespace {

std::array<std::span<const Method>, 6> all_methods() {
  return {text_methods(), list_methods(), map_methods(), number_methods(), date_methods(),
          field_methods()};
}

}  // namespace

const Method* find_method(Type of, std::string_view name, std::size_t arguments) {
  for (const auto table : all_methods())
    for (const Method& one : table)
      if (one.of == of && one.arguments == arguments && one.name == name) return &one;
  return nullptr;
}

}  // namespace cairn::script
