// SPDX-License-Identifier: Apache-2.0
// Calls of tools in a model's text, whole and in pieces, which must agree; a text without calls
// comes out as it went in.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "format/json.h"
#include "inference/chat/tool_calls.h"

namespace {

using namespace cairn;
using inference::ToolCallFormat;

inference::ToolCallPiece parsed(ToolCallFormat format, std::string_view text, std::size_t step) {
  const auto random = os::seeded_random(1);
  inference::ToolCallParser parser(format, *random, {.calls = 4, .held_bytes = 1 << 10});
  inference::ToolCallPiece out;
  const auto add = [&out](inference::ToolCallPiece piece) {
    out.content += piece.content;
    for (auto& call : piece.calls) out.calls.push_back(std::move(call));
  };
  for (std::size_t at = 0; at < text.size(); at += step) add(parser.push(text.substr(at, step)));
  add(parser.finish());
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const ToolCallFormat format : {ToolCallFormat::none, ToolCallFormat::hermes,
                                      ToolCallFormat::mistral, ToolCallFormat::llama3}) {
    const auto whole = parsed(format, text, size + 1);
    const auto bytes = parsed(format, text, 1);
    if (whole.content != bytes.content || whole.calls != bytes.calls) std::abort();
    if (whole.calls.size() > 4) std::abort();
    if (whole.calls.empty() && whole.content != text) std::abort();
    for (const auto& call : whole.calls) {
      const auto arguments = parse_json(call.arguments);
      if (call.name.empty() || !arguments.ok() || !arguments->is_object()) std::abort();
    }
  }
  return 0;
}
