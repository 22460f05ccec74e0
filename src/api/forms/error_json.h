// SPDX-License-Identifier: Apache-2.0
// Errors as the platform's clients read them: one table of codes and statuses, and the body.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"

namespace cairn::api {

/// The name on the wire: `code`, or what the kind is called where that is empty.
std::string_view wire_type(const Error& error);
/// By the code; where the table has none, by the kind. The detail "_status" (a number) wins.
int status_of(const Error& error);

/// The error as an object: type, reason, its details in order, caused_by. Details whose name begins
/// with _ are for the dispatcher and left out; "line" and "col" become numbers; a name that ends in
/// ":json" holds JSON text. Also the form of an error inside an item of _bulk.
Json error_object(const Error& error, bool with_stack_trace = false);

/// {"error": {"root_cause": [...], type, reason, ...}, "status": n}
Json error_body(const Error& error, bool with_stack_trace = false);

/// A refusal of the limiter (gate/refusal.h) in a body that every client understands: message and
/// documentation_url as those of code-hosting services look for them, then what error_body() gives.
Json refusal_body(const Error& error);

/// Shorthands for handlers.
Error illegal_argument(std::string message);
Error parse_fault(std::string message);
/// "Validation Failed: 1: a;2: b;"
Error validation_fault(const std::vector<std::string>& faults);

}  // namespace cairn::api
