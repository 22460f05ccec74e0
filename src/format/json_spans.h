// SPDX-License-Identifier: Apache-2.0
// Where the values of a JSON text stand, without a tree of it: for large answers of which some
// parts count, as they were written.
#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"

namespace cairn {

/// Each member of the object that `text` is, in order: its name as it is written, between its
/// quotes, and its value as text. Names that are written with escapes are not unescaped. What is
/// inside of a value is not checked: parse_json() does that, for the values that count. An error of
/// `each` ends it and is given back. One pass, no memory.
/// Errors: invalid_argument, x_content_parse_exception, where `text` is no object.
Status for_each_json_member(
    std::string_view text,
    const std::function<Status(std::string_view name, std::string_view value)>& each);

/// The same for the elements of an array.
Status for_each_json_element(std::string_view text,
                             const std::function<Status(std::string_view value)>& each);

}  // namespace cairn
