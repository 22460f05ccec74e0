// SPDX-License-Identifier: Apache-2.0
// The errors of scripts, in the shape that clients of the field know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cairn::script {

/// What is wrong, and at which byte of the source.
struct Fault {
  std::string type = "illegal_argument_exception";
  std::string reason = {};
  std::uint32_t at = 0;
};

/// script_exception, `compile error`: with script_stack, script, lang, position, line and col; the
/// fault is its cause.
Error compile_error(std::string_view source, const Fault& fault);
/// script_exception, `runtime error`. `statements`: where statements begin, ascending.
Error runtime_error(std::string_view source, const Fault& fault,
                    const std::vector<std::uint32_t>& statements);

}  // namespace cairn::script
