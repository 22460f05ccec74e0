// SPDX-License-Identifier: Apache-2.0
// Compact text goes out as it is; anything else passes through a tree.
#include "api/forms/render.h"

#include "api/forms/error_json.h"
#include "api/forms/yaml.h"

namespace cairn::api {
namespace {

Result<bool> flag(const std::string& value) {
  if (value.empty() || value == "true") return true;
  if (value == "false") return false;
  return illegal_argument("Failed to parse value [" + value +
                          "] as only [true] or [false] are allowed.");
}

}  // namespace

Status read_form(const net::QueryParameters& query, const Media& media, Form& out) {
  out.yaml = media.yaml;
  for (const auto& [name, value] : query) {
    if (name == "pretty") {
      CAIRN_TRY(out.pretty, flag(value));
    } else if (name == "error_trace") {
      CAIRN_TRY(out.error_trace, flag(value));
    } else if (name == "human") {
      CAIRN_CHECK(flag(value));
    } else if (name == "filter_path") {
      out.filter = FilterPath(value);
    } else if (name == "format") {
      // What the column listings print anyway; JSON stays JSON under it, as in the platform.
      if (value != "json" && value != "yaml" && value != "text")
        return illegal_argument("Invalid value [" + value +
                                "] for the parameter [format]; it may be [json], [yaml] or [text]");
      out.yaml = value == "yaml";
    }
  }
  return ok_status();
}

Rendered render(Reply& reply, const Form& form, const Media& media) {
  if (!reply.is_json) return {reply.content_type, std::move(reply.text)};
  const bool as_is = !form.pretty && !form.yaml && form.filter.empty();
  if (!reply.text.empty()) {
    if (as_is) return {media.reply_type, std::move(reply.text)};
    auto parsed = parse_json(reply.text, {.depth = 1000});
    if (!parsed.ok()) return {media.reply_type, std::move(reply.text)};
    reply.body = std::move(*parsed);
  }
  if (!form.filter.empty()) reply.body = form.filter.apply(reply.body);
  if (form.yaml) return {"application/yaml", to_yaml(reply.body)};
  std::string text = reply.body.dump(form.pretty);
  if (form.pretty) text += '\n';
  return {media.reply_type, std::move(text)};
}

}  // namespace cairn::api
