// SPDX-License-Identifier: Apache-2.0
// A reply to bytes, in the form that the caller asked for.
#pragma once

#include <string>
#include <string_view>

#include "api/call.h"
#include "api/forms/filter_path.h"
#include "api/forms/media.h"
#include "base/result.h"
#include "net/http/message.h"

namespace cairn::api {

/// The query parameters that every route has.
struct Form {
  bool pretty = false;
  bool error_trace = false;
  bool yaml = false;
  FilterPath filter{""};
};

inline constexpr std::string_view common_parameters[] = {"pretty", "human", "filter_path",
                                                         "error_trace", "format"};

/// Errors: invalid_argument, for a value that is none of what it may be. `out` holds what could be
/// read before it, so that the error itself can be rendered.
Status read_form(const net::QueryParameters& query, const Media& media, Form& out);

struct Rendered {
  std::string_view content_type;  // constant text, or the reply's own
  std::string text;
};
/// Takes the body out of `reply`, which outlives what it gives.
Rendered render(Reply& reply, const Form& form, const Media& media);

}  // namespace cairn::api
