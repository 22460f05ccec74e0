// SPDX-License-Identifier: Apache-2.0
#include "script/errors.h"

#include <algorithm>
#include <memory>

#include "base/strings.h"
#include "format/json.h"
#include "script/utf16.h"

namespace cairn::script {
namespace {

/// The bytes of a source that an error shows.
struct Shown {
  std::size_t from = 0;
  std::size_t to = 0;
};

bool is_inside_character(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

Json stack_of(std::string_view source, std::size_t at, Shown shown) {
  std::string snippet = shown.from > 0 ? "... " : "";
  snippet += source.substr(shown.from, shown.to - shown.from);
  if (shown.to < source.size()) snippet += " ...";
  std::string pointer(shown.from > 0 ? 4 : 0, ' ');
  pointer.append(utf16_length(source.substr(shown.from, at - shown.from)), ' ');
  return Json::array({snippet, pointer + "^---- HERE"});
}

Error script_error(std::string_view source, const Fault& fault, std::string reason, Shown shown) {
  const std::size_t at = std::min<std::size_t>(fault.at, source.size());
  while (shown.from > 0 && is_inside_character(source, shown.from)) --shown.from;
  while (is_inside_character(source, shown.to)) ++shown.to;
  const std::string_view before = source.substr(0, at);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  Json position = Json::object(
      {{"offset", static_cast<std::int64_t>(utf16_length(before))},
       {"start", static_cast<std::int64_t>(utf16_length(source.substr(0, shown.from)))},
       {"end", static_cast<std::int64_t>(utf16_length(source.substr(0, shown.to)))}});
  Error out{.kind = ErrorKind::invalid_argument,
            .code = "script_exception",
            .message = std::move(reason)};
  out.details = {{"script_stack:json", stack_of(source, at, shown).dump()},
                 {"script", std::string(source)},
                 {"lang", "painless"},
                 {"position:json", position.dump()},
                 {"line", std::to_string(line)},
                 {"col", std::to_string(1 + utf16_length(before.substr(line_start)))}};
  out.cause = std::make_shared<const Error>(
      Error{.kind = ErrorKind::invalid_argument, .code = fault.type, .message = fault.reason});
  return out;
}

}  // namespace

Error compile_error(std::string_view source, const Fault& fault) {
  constexpr std::size_t around = 25;
  const std::size_t at = std::min<std::size_t>(fault.at, source.size());
  return script_error(source, fault, "compile error",
                      {.from = at - std::min(at, around),
                       .to = std::min(source.size(), at + around)});
}

Error runtime_error(std::string_view source, const Fault& fault,
                    const std::vector<std::uint32_t>& statements) {
  const auto after = std::upper_bound(statements.begin(), statements.end(), fault.at);
  const std::size_t from = after == statements.begin() ? 0 : *(after - 1);
  const std::size_t to = after == statements.end() ? source.size() : *after;
  return script_error(source, fault, "runtime error", {.from = from, .to = to});
}

}  // namespace cairn::script
