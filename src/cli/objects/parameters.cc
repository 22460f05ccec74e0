// SPDX-License-Identifier: Apache-2.0
#include "cli/objects/parameters.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "objectclient/call/value_json.h"
#include "os/files/files.h"

namespace cairn::cli {
namespace {

using objectclient::Value;
using s3::Member;
using s3::Type;

constexpr std::size_t document_bytes_max = 16 << 20;

std::string squeezed_name(std::string_view name) {
  std::string out = lower_ascii(name);
  std::erase_if(out, [](char c) { return c == '-' || c == '_'; });
  return out;
}

std::optional<std::string> file_named_by(std::string_view text) {
  for (const std::string_view start : {"@", "file://", "fileb://"})
    if (text.starts_with(start)) return std::string(text.substr(start.size()));
  return std::nullopt;
}

/// Names as the client has them, where the JSON has those of the wire or of another tool.
Json with_client_names(const s3::Shape& shape, const Json& given) {
  if (!given.is_object()) return given;
  Json out = Json::object();
  for (const auto& [name, value] : given.as_object()) {
    const auto found =
        std::find_if(shape.members.begin(), shape.members.end(),
                     [word = std::string_view(name)](const Member& m) {
                       return is_same_name(m.name, word) || is_same_name(m.wire.name, word);
                     });
    if (found == shape.members.end()) {
      out.set(name, value);
    } else if (found->type == Type::structure) {
      out.set(found->name, with_client_names(found->shape(), value));
    } else if (found->type == Type::structure_list && value.is_array()) {
      Json list = Json::array();
      for (const Json& element : value.as_array())
        list.push(with_client_names(found->shape(), element));
      out.set(found->name, std::move(list));
    } else {
      out.set(found->name, value);
    }
  }
  return out;
}

Json pairs_as_object(std::string_view text) {
  Json out = Json::object();
  for (const auto pair : split(text, ',')) {
    const auto equals = pair.find('=');
    if (equals == std::string_view::npos) return {};
    out.set(trim(pair.substr(0, equals)), std::string(pair.substr(equals + 1)));
  }
  return out;
}

bool looks_like_json(std::string_view text, char opening) {
  const std::string_view inner = trim(text);
  return !inner.empty() && inner.front() == opening;
}

/// Lists of texts: JSON, "a,b", or the option several times.
Result<Value> text_list_of(const std::vector<std::string>& texts) {
  Value::List out;
  for (const std::string& given : texts) {
    CAIRN_TRY(const std::string text, text_or_file(given));
    if (looks_like_json(text, '[')) {
      CAIRN_TRY(const Value list, Value::from_json(text));
      out.insert(out.end(), list.elements()->begin(), list.elements()->end());
      continue;
    }
    for (const auto piece : split(text, ',')) out.emplace_back(trim(piece));
  }
  return Value::list(std::move(out));
}

/// Seconds since 1970, or text in ISO 8601 or as HTTP has it.
Value time_of_text(const std::string& text) {
  if (const auto seconds = parse_number<double>(text)) return *seconds;
  return text;
}

/// Documents and secrets may come from files; keys and prefixes never do: they may begin with @.
bool may_come_from_file(const Member& member) {
  return member.wire.place != s3::Place::bucket && member.wire.place != s3::Place::key &&
         member.wire.place != s3::Place::query && member.name != "copy_source";
}

Result<Value> value_of_parameter(const Member& member, const std::vector<std::string>& texts) {
  const std::string& last = texts.back();
  switch (member.type) {
    case Type::boolean:
      return last.empty() ? Value(true) : Value(last);
    case Type::integer:
      return Value(last);
    case Type::time:
      return time_of_text(last);
    case Type::text_map:
      return read_text_map(last);
    case Type::text_list:
      return text_list_of(texts);
    case Type::text: {
      if (!may_come_from_file(member)) return Value(last);
      const bool document = member.wire.place == s3::Place::raw_body;
      if (last.starts_with("@") && !document) return Value(last);
      CAIRN_TRY(std::string text, text_or_file(last));
      return Value(std::move(text));
    }
    case Type::structure:
    case Type::structure_list: {
      CAIRN_TRY(const std::string text, text_or_file(last));
      CAIRN_TRY(const Json json, parse_json(text));
      if (member.type == Type::structure)
        return objectclient::value_of(with_client_names(member.shape(), json));
      Json list = Json::array();
      if (!json.is_array()) return objectclient::value_of(json);
      for (const Json& element : json.as_array())
        list.push(with_client_names(member.shape(), element));
      return objectclient::value_of(list);
    }
  }
  return Value(last);
}

}  // namespace

bool is_same_name(std::string_view a, std::string_view b) {
  return squeezed_name(a) == squeezed_name(b);
}

std::string option_of_parameter(std::string_view parameter) {
  std::string out = "--" + std::string(parameter);
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

void add_parameters(const s3::Shape& input, Syntax& syntax) {
  for (const Member& member : input.members) {
    const std::string word = option_of_parameter(member.name);
    (member.type == Type::boolean ? syntax.switches : syntax.options).push_back(word);
  }
}

std::vector<std::string> with_known_spelling(std::vector<std::string> words, const Syntax& syntax) {
  const auto known = [](const std::vector<std::string>& names, std::string_view name) {
    return std::find_if(names.begin(), names.end(),
                        [&](const std::string& one) { return is_same_name(one, name); });
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string& word = words[i];
    if (word == "--") break;
    if (!word.starts_with("--")) continue;
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string rest = equals == std::string::npos ? "" : word.substr(equals);
    for (const auto* names : {&syntax.flags, &syntax.switches, &syntax.options}) {
      const auto found = known(*names, name);
      if (found == names->end()) continue;
      word = *found + rest;
      if (names == &syntax.options && rest.empty()) ++i;  // its value is no option
      break;
    }
  }
  return words;
}

Result<std::string> text_or_file(std::string_view text) {
  if (const auto path = file_named_by(text))
    return os::read_file(os::system_files(), *path, document_bytes_max);
  return std::string(text);
}

Result<Value> read_text_map(std::string_view text) {
  CAIRN_TRY(const std::string whole, text_or_file(text));
  Json map;
  if (looks_like_json(whole, '{')) {
    CAIRN_TRY(map, parse_json(whole));
  } else {
    map = pairs_as_object(whole);
  }
  if (!map.is_object())
    return Error{ErrorKind::invalid_argument, {}, "write a=b,c=d, or a JSON object"};
  return objectclient::value_of(map);
}

Result<GivenParameters> read_parameters(const s3::Shape& input, const Arguments& arguments) {
  GivenParameters given;
  for (const Member& member : input.members) {
    const std::string word = option_of_parameter(member.name);
    const auto texts = arguments.options(word);
    if (texts.empty()) continue;
    auto value = value_of_parameter(member, texts);
    if (value.ok()) {
      given.params.emplace_back(std::string(member.name), *std::move(value));
      continue;
    }
    if (value.error().kind != ErrorKind::invalid_argument)
      return with_context(std::move(value).error(), word);
    given.faults.push_back(word + ": " + value.error().message);
    given.params.emplace_back(std::string(member.name), texts.back());
  }
  return given;
}

}  // namespace cairn::cli
