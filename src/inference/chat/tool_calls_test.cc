// SPDX-License-Identifier: Apache-2.0
#include "inference/chat/tool_calls.h"

#include <doctest/doctest.h>

#include "format/json.h"

namespace cairn::inference::tool_calls_test {
namespace {

using Format = ToolCallFormat;

/// `content|name(arguments)|…`
std::string shown(const ToolCallPiece& piece) {
  std::string out = piece.content;
  for (const ToolCall& call : piece.calls) out += "|" + call.name + call.arguments;
  return out;
}

ToolCallPiece parsed(Format format, std::string_view text, std::size_t step,
                     ToolCallLimits limits = {}) {
  const auto random = os::seeded_random(1);
  ToolCallParser parser(format, *random, limits);
  ToolCallPiece out;
  const auto add = [&out](ToolCallPiece piece) {
    out.content += piece.content;
    for (ToolCall& call : piece.calls) out.calls.push_back(std::move(call));
  };
  for (std::size_t at = 0; at < text.size(); at += step) add(parser.push(text.substr(at, step)));
  add(parser.finish());
  return out;
}

/// Of the whole; pieces of every length must give the same.
std::string calls_of(Format format, std::string_view text, ToolCallLimits limits = {}) {
  const ToolCallPiece whole = parsed(format, text, text.size() + 1, limits);
  for (const std::size_t step : {1U, 2U, 3U, 7U}) {
    const ToolCallPiece pieces = parsed(format, text, step, limits);
    CHECK(pieces.content == whole.content);
    CHECK(pieces.calls == whole.calls);
  }
  return shown(whole);
}

struct Row {
  std::string_view text;
  std::string_view calls;
};

void check(Format format, std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(calls_of(format, row.text) == row.calls);
  }
}

}  // namespace

TEST_CASE("tool calls: of Hermes and Qwen") {
  check(
      Format::hermes,
      {
          {"", ""},
          {"Hi. ", "Hi. "},
          {R"(<tool_call>{"name":"f","arguments":{"a":1}}</tool_call>)", R"(|f{"a":1})"},
          {"Let me see.\n\n<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": [1, \"}\"]}}\n"
           "</tool_call>\n<tool_call>\n{\"arguments\": {}, \"name\": \"g\"}\n</tool_call>\n",
           "Let me see.|f{\"a\": [1, \"}\"]}|g{}"},
          // The end mark within a string; none at the end of the text.
          {R"(<tool_call>{"name":"f","arguments":{"a":"</tool_call>"}})",
           R"(|f{"a":"</tool_call>"})"},
          {R"(<tool_call>{"name":"f","arguments":{}}</tool)", "|f{}"},
          {R"(<tool_call>{"name":"f"}</tool_call>)", "|f{}"},
          {R"(<tool_call>{"name":"f","arguments":{"n":1.50,"n":12345678901234567890123}}</tool_call>x)",
           R"(x|f{"n":1.50,"n":12345678901234567890123})"},
          {R"(<tool_call>{"name":"f","arguments":1,"na\u006de":"g","arguments":{"b":2}}</tool_call>)",
           R"(|g{"b":2})"},
          // What is none stays, as it is.
          {"<tool_call> is a tag", "<tool_call> is a tag"},
          {"a < b <tool", "a < b <tool"},
          {"<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":",
           "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":"},
          {R"(<tool_call>{"name":"f","arguments":{}} no</tool_call>)",
           R"(<tool_call>{"name":"f","arguments":{}} no</tool_call>)"},
          {R"(<tool_call>{"name":"","arguments":{}}</tool_call> )",
           R"(<tool_call>{"name":"","arguments":{}}</tool_call> )"},
          {R"(<tool_call>{"name":1,"arguments":{}}</tool_call>)",
           R"(<tool_call>{"name":1,"arguments":{}}</tool_call>)"},
          {R"(<tool_call>{"name":"f","arguments":"x"}</tool_call>)",
           R"(<tool_call>{"name":"f","arguments":"x"}</tool_call>)"},
          {R"(<tool_call>["f"]</tool_call>)", R"(<tool_call>["f"]</tool_call>)"},
          // One that is none hides no other.
          {R"(<tool_call><tool_call>{"name":"f","arguments":{}}</tool_call>)", "<tool_call>|f{}"},
          {R"(<<tool_call>{"a" b <tool_call>{"name":"f"}</tool_call> c )",
           R"(<<tool_call>{"a" b c |f{})"},
          {"<tool_call>{\"name\":\"\xff\"}</tool_call>",
           "<tool_call>{\"name\":\"\xff\"}</tool_call>"},
      });
}

TEST_CASE("tool calls: of Mistral") {
  check(
      Format::mistral,
      {
          {R"([TOOL_CALLS] [{"name": "f", "arguments": {"a": [1]}}, {"name": "g", "arguments": {}}])",
           R"(|f{"a": [1]}|g{})"},
          {R"(Yes [TOOL_CALLS][{"name":"f","arguments":{},"id":"x"}] done)", "Yes done|f{}"},
          {"[TOOL_CALLS] []", "[TOOL_CALLS] []"},
          {R"([TOOL_CALLS] [{"name":"f","arguments":{}}, 1])",
           R"([TOOL_CALLS] [{"name":"f","arguments":{}}, 1])"},
          {R"([TOOL_CALLS] {"name":"f","arguments":{}})",
           R"([TOOL_CALLS] {"name":"f","arguments":{}})"},
          {"[1] [TOOL", "[1] [TOOL"},
          {R"([TOOL_CALLS] [{"name":"f","arguments":{}})",
           R"([TOOL_CALLS] [{"name":"f","arguments":{}})"},
      });
}

TEST_CASE("tool calls: of Llama") {
  check(Format::llama3,
        {
            {R"({"name": "f", "parameters": {"a": "b"}})", R"(|f{"a": "b"})"},
            {"\n {\"name\":\"f\",\"arguments\":{}}\n", "|f{}"},
            {R"({"name":"f","parameters":{}}; {"name":"g","parameters":{}})", "|f{}|g{}"},
            {R"(<|python_tag|>{"type":"function","name":"f","parameters":{}})", "|f{}"},
            {R"(Well. <|python_tag|> {"name":"f","parameters":{}};{"name":"g","parameters":{}} )",
             "Well.|f{}|g{}"},
            {R"(<|python_tag|>{"name":"f","parameters":{}} and so on)", " and so on|f{}"},
            // An answer in JSON is none, nor an example in a text.
            {R"({"name": "Ann", "age": 7})", R"({"name": "Ann", "age": 7})"},
            {R"({"name":"f","parameters":{}} is a call)",
             R"({"name":"f","parameters":{}} is a call)"},
            {R"({"name":"f","parameters":{}};)", R"({"name":"f","parameters":{}};)"},
            {R"({"name":"f","parameters":{}};;{"name":"f","parameters":{}})",
             R"({"name":"f","parameters":{}};;{"name":"f","parameters":{}})"},
            {R"(See {"name":"f","parameters":{}})", R"(See {"name":"f","parameters":{}})"},
            {R"(<|python_tag|>search.call(query="x"))", R"(<|python_tag|>search.call(query="x"))"},
            {"{ not JSON }", "{ not JSON }"},
            {" ", " "},
        });
}

TEST_CASE("tool calls: a text without a format has none") {
  check(Format::none,
        {{R"(<tool_call>{"name":"f"}</tool_call> )", R"(<tool_call>{"name":"f"}</tool_call> )"}});
}

TEST_CASE("tool calls: a stream gives content as soon as it cannot begin a call") {
  const auto random = os::seeded_random(1);
  ToolCallParser parser(Format::hermes, *random);
  const auto next = [&parser](std::string_view text) { return shown(parser.push(text)); };
  CHECK(next("Hel") == "Hel");
  CHECK(next("lo ") == "lo");
  CHECK(next("you") == " you");
  CHECK(next(" <tool") == "");
  CHECK(next("s>") == " <tools>");
  CHECK(next("<tool_call>{") == "");
  CHECK(next("oops") == "<tool_call>{oops");
  CHECK(next("\n<tool_call>\n{\"name\": \"f\", \"argu") == "");
  CHECK(next("ments\": {}}") == "");
  CHECK(next("</tool_call>") == "|f{}");
  CHECK(next("\n") == "");
  CHECK(shown(parser.finish()) == "");
}

TEST_CASE("tool calls: each has an id of its own") {
  const std::string text =
      R"(<tool_call>{"name":"f"}</tool_call><tool_call>{"name":"f"}</tool_call>)";
  const ToolCallPiece piece = parsed(Format::hermes, text, 1000);
  REQUIRE(piece.calls.size() == 2);
  CHECK(piece.calls[0].id != piece.calls[1].id);
  for (const ToolCall& call : piece.calls) {
    CHECK(call.id.size() == 29);
    CHECK(call.id.starts_with("call_"));
    CHECK(call.id.find_first_not_of(
              "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", 5) ==
          std::string::npos);
  }
  const ToolCallPiece of_mistral = parsed(Format::mistral, R"([TOOL_CALLS][{"name":"f"}])", 1000);
  REQUIRE(of_mistral.calls.size() == 1);
  CHECK(of_mistral.calls[0].id.size() == 9);
}

TEST_CASE("tool calls: beyond the limits text stays text") {
  const std::string call = R"(<tool_call>{"name":"f"}</tool_call>)";
  CHECK(calls_of(Format::hermes, call + call + call, {.calls = 2}) == call + "|f{}|f{}");
  CHECK(calls_of(Format::mistral, R"([TOOL_CALLS][{"name":"f"},{"name":"f"}])", {.calls = 1}) ==
        R"([TOOL_CALLS][{"name":"f"},{"name":"f"}])");
  const std::string two = R"({"name":"f","parameters":{}};{"name":"f","parameters":{}})";
  CHECK(calls_of(Format::llama3, two, {.calls = 1}) == two);
  const std::string long_call =
      R"(<tool_call>{"name":"f","arguments":{"a":")" + std::string(100, 'x') + R"("}}</tool_call>)";
  CHECK(calls_of(Format::hermes, long_call + call, {.held_bytes = 64}) == long_call + "|f{}");
  const std::string space(200, ' ');
  CHECK(calls_of(Format::hermes, space, {.held_bytes = 64}) == space);
  const std::string name = R"(<tool_call>{"name":")" + std::string(257, 'n') + R"("}</tool_call>)";
  CHECK(calls_of(Format::hermes, name) == name);
  const std::string deep =
      "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":" + std::string(80, '[') +
      std::string(80, ']') + "}}</tool_call>";
  CHECK(calls_of(Format::hermes, deep) == deep);
}

TEST_CASE("tool calls: the format is what the template spells") {
  CHECK(tool_call_format("{{ '<tool_call>' }}") == Format::hermes);
  CHECK(tool_call_format("{{ '[TOOL_CALLS]' }}") == Format::mistral);
  CHECK(tool_call_format("<|start_header_id|> {{ '\"parameters\": ' }}") == Format::llama3);
  CHECK(tool_call_format("<|python_tag|>") == Format::llama3);
  CHECK(tool_call_format("<|im_start|>") == Format::none);
  CHECK(tool_call_marker(Format::mistral) == "[TOOL_CALLS]");
  CHECK(tool_call_marker(Format::none).empty());
}

TEST_CASE("tool calls: the scanner takes what the JSON parser takes") {
  const std::string_view texts[] = {"{}",
                                    "[]",
                                    R"({"a":1})",
                                    R"([1,-0,1.5e+3,0.1,"\u00e9\"",true,false,null,{}])",
                                    "[1,]",
                                    "[,1]",
                                    "[01]",
                                    "[1.]",
                                    "[.5]",
                                    "[-]",
                                    "[1e]",
                                    "[+1]",
                                    "{\"a\"}",
                                    "{\"a\":}",
                                    "{,}",
                                    "{\"a\":1,}",
                                    "{1:2}",
                                    "[tru]",
                                    "[nulll]",
                                    "[\"\\x\"]",
                                    "[\"\\u12g4\"]",
                                    "[\"\n\"]",
                                    "[1 2]",
                                    "{]",
                                    "[}",
                                    "[\"a\":1]",
                                    " [ 1 , { \"a\" : [ ] } ] ",
                                    "[[[[]]]]",
                                    "1",
                                    "\"a\"",
                                    "[1}",
                                    "{\"a\":1]",
                                    "[--1]",
                                    "[1-1]",
                                    "[1e5.5]",
                                    "[\"\\u00E9\"]",
                                    "[false,]"};
  for (const std::string_view text : texts) {
    CAPTURE(text);
    JsonScanner scanner;
    JsonScanner::Step step = JsonScanner::Step::more;
    std::size_t at = text.find_first_not_of(' ');
    while (at < text.size() && step == JsonScanner::Step::more) step = scanner.push(text[at++]);
    const bool whole = step == JsonScanner::Step::whole &&
                       text.find_first_not_of(' ', at) == std::string_view::npos;
    const auto json = parse_json(text);
    CHECK(whole == (json.ok() && (json->is_array() || json->is_object())));
  }
}

}  // namespace cairn::inference::tool_calls_test
