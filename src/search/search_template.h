// SPDX-License-Identifier: Apache-2.0
// Searches that are made from a template and values. Source: docs/reference/search-templates.md.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "format/json.h"
#include "index/templates/stored_scripts.h"

namespace cairn::search {

/// Kept templates by their ids. Errors: resource_not_found_exception.
using FindTemplate = std::function<Result<index::StoredScript>(std::string_view id)>;

/// Which template, and what is filled in.
struct TemplateRequest {
  std::string id = {};      // of a kept one; empty: `source` is the template
  std::string source = {};
  Json values = {};         // an object, or null for none
  bool explain = false;
  bool profile = false;
};

/// What a body gives a template, beside its `id` or `source`. Errors: parsing_exception,
/// illegal_argument_exception, action_request_validation_exception.
Result<TemplateRequest> read_template_request(std::string_view text);
/// The members `id` or `source` of an object that is a template.
Result<TemplateRequest> read_template(std::string_view text, const std::string& path,
                                      const Json& json);

/// The body of a search: the template with its values, as JSON. Errors: script_exception; those of
/// `find`; x_content_parse_exception where it is no JSON, with the position in what was made.
Result<Json> render_search(const TemplateRequest& request, const FindTemplate& find);

}  // namespace cairn::search
