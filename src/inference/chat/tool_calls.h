// SPDX-License-Identifier: Apache-2.0
// Calls of tools that a model writes into its text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "inference/chat/json_scanner.h"
#include "os/random.h"

namespace cairn::inference {

/// How a family of models writes calls.
enum class ToolCallFormat {
  none,
  hermes,   // <tool_call>{"name": …, "arguments": {…}}</tool_call>, as Qwen too
  mistral,  // [TOOL_CALLS] [{"name": …, "arguments": {…}}, …]
  llama3,   // {"name": …, "parameters": {…}}, all of the text, or behind <|python_tag|>
};

/// The format that a chat template spells; none where it spells no known one.
ToolCallFormat tool_call_format(std::string_view template_source);
/// What begins a call; empty for none. Some tokenizers have it as a special token, which must be
/// among those that a TextStream prints.
std::string_view tool_call_marker(ToolCallFormat format);

struct ToolCall {
  std::string
      id;  // `call_` and 24 random letters and digits; for Mistral nine, as its templates ask
  std::string name;
  std::string arguments;  // a JSON object, as the model wrote it
  friend bool operator==(const ToolCall&, const ToolCall&) = default;
};

/// What a piece of text has made certain.
struct ToolCallPiece {
  std::string content;  // before, between and behind the calls
  std::vector<ToolCall> calls;
};

struct ToolCallLimits {
  std::size_t calls = 128;             // of one text; further ones stay text
  std::size_t held_bytes = 256 << 10;  // of one call; a longer one stays text
};

/// Takes calls out of a text that comes in pieces. What is no call stays text. The pieces do not
/// matter: together they give the same content and the same calls. White space around calls is
/// theirs. Content is handed out as soon as it cannot begin a call. Takes time in proportion to the
/// text. One thread at a time; `random` outlives it.
class ToolCallParser {
 public:
  ToolCallParser(ToolCallFormat format, os::Random& random, ToolCallLimits limits = {});

  /// The next bytes of the text. They may end inside a character; content never does unless the
  /// text is no UTF-8.
  ToolCallPiece push(std::string_view text);
  /// The text is over: the rest. A call of Hermes whose end mark is missing counts.
  ToolCallPiece finish();

 private:
  enum class State {
    opening,  // the text begins, white space apart: a call without a marker may come
    text,     // looks for the marker
    before,   // white space, then JSON
    json,
    closing,   // white space, then the end mark
    repeated,  // of Llama: a semicolon and one more call, or the end
  };

  void take(char c);
  void take_text(char c);
  void take_before(char c);
  void take_json(char c);
  void take_closing(char c);
  void take_repeated(char c);
  /// What was held is text after all, and `c` is looked at again.
  void give_up(char c);
  void release();
  void accept();
  /// The calls that `json_` is, into `pending_`; false where it is none.
  bool read_calls();

  ToolCallFormat format_;
  os::Random& random_;
  ToolCallLimits limits_;
  std::string_view marker_;
  State state_ = State::text;
  std::size_t matched_ = 0;    // bytes of the marker, or of the end mark
  bool is_alone_ = false;      // calls count only if nothing else is in the text
  bool separated_ = false;     // a semicolon came
  bool follows_call_ = false;  // no content came since
  std::string held_ = {};      // no content yet
  std::string json_ = {};
  JsonScanner scanner_ = {};
  std::vector<ToolCall> pending_ = {};
  std::size_t made_ = 0;
  ToolCallPiece out_ = {};
};

}  // namespace cairn::inference
