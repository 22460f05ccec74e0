// SPDX-License-Identifier: Apache-2.0
#include "inference/templates/chat_template.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/strings.h"
#include "inference/errors.h"
#include "inference/templates/interpreter.h"

namespace cairn::inference {
namespace {

constexpr std::size_t most_source_bytes = 256 << 10;
constexpr std::size_t most_variables = 256;

Result<templates::Value> text_from_json(templates::Machine& machine, std::string_view text,
                                        templates::Origin origin) {
  if (!is_utf8(text)) return bad_request("chat template: a string among the variables is no UTF-8");
  CAIRN_CHECK(machine.spend_bytes(text.size()));
  return templates::text_value(text, origin);
}

Result<templates::Value> value_from_json(templates::Machine& machine, const Json& json,
                                         templates::Origin origin, int depth) {
  if (depth > templates::most_nested_values)
    return bad_request("chat template: the variables are nested too deep");
  CAIRN_CHECK(machine.spend(1));
  switch (json.type()) {
    case Json::Type::null:
      return templates::none_value();
    case Json::Type::boolean:
      return templates::boolean_value(json.as_bool());
    case Json::Type::integer:
      return templates::integer_value(json.as_int());
    case Json::Type::unsigned_integer:
      if (json.as_unsigned() > INT64_MAX) return templates::number_value(json.as_double());
      return templates::integer_value(json.as_int());
    case Json::Type::number:
      return templates::number_value(json.as_double());
    case Json::Type::string:
      return text_from_json(machine, json.as_string(), origin);
    case Json::Type::array: {
      std::vector<templates::Value> items;
      items.reserve(json.as_array().size());
      for (const Json& element : json.as_array()) {
        CAIRN_TRY(templates::Value item, value_from_json(machine, element, origin, depth + 1));
        items.push_back(std::move(item));
      }
      return machine.heap.list(std::move(items), false);
    }
    case Json::Type::object: {
      const templates::Value out = machine.heap.dict();
      for (const auto& [name, member] : json.as_object()) {
        CAIRN_TRY(templates::Value key, text_from_json(machine, name, origin));
        CAIRN_TRY(templates::Value value, value_from_json(machine, member, origin, depth + 1));
        out.dict->set(std::move(key), std::move(value));
      }
      return out;
    }
  }
  return templates::Value();
}

/// Templates spell control tokens around roles, so those of this set count as the template's own.
/// A role that is none of them is text like any other.
bool is_role(std::string_view text) {
  static constexpr std::string_view roles[] = {"system", "developer", "user", "assistant", "tool"};
  return std::find(std::begin(roles), std::end(roles), text) != std::end(roles);
}

void vouch_for_roles(const templates::Value& messages) {
  if (!messages.is(templates::Value::Kind::list)) return;
  for (const templates::Value& message : messages.list->items) {
    if (!message.is(templates::Value::Kind::dict)) continue;
    const templates::Value* role = message.dict->find(std::string_view("role"));
    if (role == nullptr || !role->is_text() || !is_role(role->bytes())) continue;
    message.dict->set(templates::text_value("role", templates::Origin::value),
                      templates::text_value(role->bytes(), templates::Origin::source));
  }
}

Status define_all(templates::Machine& machine, templates::Interpreter& interpreter,
                  const Json& variables, templates::Origin origin) {
  if (!variables.is_object()) return ok_status();
  if (variables.as_object().size() > most_variables)
    return bad_request("chat template: there are more than 256 variables");
  for (const auto& [name, json] : variables.as_object()) {
    if (name.size() > templates::most_name_bytes)
      return bad_request("chat template: the name of a variable has more than 256 bytes");
    CAIRN_TRY(templates::Value value, value_from_json(machine, json, origin, 0));
    if (name == "messages") vouch_for_roles(value);
    interpreter.define(name, std::move(value));
  }
  return ok_status();
}

}  // namespace

struct ChatTemplate::Impl {
  templates::Syntax syntax;
};

ChatTemplate::ChatTemplate(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
ChatTemplate::~ChatTemplate() = default;
ChatTemplate::ChatTemplate(ChatTemplate&&) noexcept = default;
ChatTemplate& ChatTemplate::operator=(ChatTemplate&&) noexcept = default;

Result<ChatTemplate> ChatTemplate::parse(std::string_view source) {
  if (source.size() > most_source_bytes) {
    return status_error(ErrorKind::too_large, "chat template: the source has " +
                                                  std::to_string(source.size()) +
                                                  " bytes; at most 262144 are offered");
  }
  if (!is_utf8(source)) return bad_request("chat template: the source is no UTF-8");
  CAIRN_TRY(templates::Syntax syntax, templates::parse_template(source));
  auto impl = std::make_unique<Impl>();
  impl->syntax = std::move(syntax);
  return ChatTemplate(std::move(impl));
}

Result<std::vector<PromptSpan>> ChatTemplate::render(const Json& variables, const Json& trusted,
                                                     const RenderOptions& options,
                                                     const os::Deadline& deadline) const {
  templates::Machine machine(options.limits, deadline);
  machine.now_s = options.now_s;
  templates::Interpreter interpreter(machine);
  CAIRN_CHECK(define_all(machine, interpreter, trusted, templates::Origin::source));
  CAIRN_CHECK(define_all(machine, interpreter, variables, templates::Origin::value));
  templates::Text text;
  CAIRN_CHECK(interpreter.run(impl_->syntax, text));
  std::vector<PromptSpan> out;
  text.for_each_run([&out](std::string_view bytes, templates::Origin origin) {
    out.push_back({std::string(bytes), origin == templates::Origin::source});
  });
  return out;
}

std::string text_of(const std::vector<PromptSpan>& spans) {
  std::string out;
  for (const PromptSpan& span : spans) out += span.text;
  return out;
}

}  // namespace cairn::inference
