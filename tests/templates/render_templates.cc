// SPDX-License-Identifier: Apache-2.0
// Cairn's side of the comparison of chat templates. Each line of standard input is an object
// {"template", "variables", "trusted"}; a line for each goes out: {"spans": [[text,
// from_template]]} or {"error": message}.
#include <cstdio>
#include <iostream>
#include <string>

#include "format/json.h"
#include "inference/templates/chat_template.h"

namespace {

using cairn::Json;
using cairn::inference::ChatTemplate;

Json rendered(const Json& test) {
  const auto parsed = ChatTemplate::parse(test.string_or("template"));
  if (!parsed.ok()) return Json::object({{"error", parsed.error().message}});
  const Json none = Json::object();
  const Json* variables = test.find("variables");
  const Json* trusted = test.find("trusted");
  const auto spans =
      parsed->render(variables == nullptr ? none : *variables, trusted == nullptr ? none : *trusted,
                     {.now_s = test.int_or("now")}, cairn::os::Deadline::never());
  if (!spans.ok()) return Json::object({{"error", spans.error().message}});
  Json all = Json::array();
  for (const auto& span : *spans) all.push(Json::array({span.text, span.from_template}));
  return Json::object({{"spans", all}});
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto test = cairn::parse_json(line);
    if (!test.ok()) {
      std::fprintf(stderr, "%s\n", test.error().message.c_str());
      return 2;
    }
    std::printf("%s\n", rendered(*test).dump().c_str());
  }
  return 0;
}
