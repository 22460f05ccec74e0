// SPDX-License-Identifier: Apache-2.0
// Templates of searches: values, a line, then the template. What is made stays within its bounds,
// and a value that is put into a JSON string leaves it one.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "format/json.h"
#include "format/mustache.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn;
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::size_t line = all.find('\n');
  const auto values = parse_json(all.substr(0, line));
  const std::string_view text = line == std::string_view::npos ? all : all.substr(line + 1);
  const MustacheLimits limits{.depth = 20, .output_bytes = 1 << 16, .steps = 20'000};
  const auto read = Mustache::parse(text, limits);
  if (!read.ok() && read.error().code != "script_exception") std::abort();
  if (!read.ok() || !values.ok()) return 0;
  for (const auto escape : {MustacheEscape::none, MustacheEscape::json, MustacheEscape::form}) {
    const auto made = read->render(*values, escape, limits);
    if (made.ok() && made->size() > limits.output_bytes) std::abort();
  }
  const auto quoted = Mustache::parse("\"{{.}}\"");
  const auto made = quoted->render(*values, MustacheEscape::json);
  if (made.ok() && !parse_json(*made).ok()) std::abort();
  return 0;
}
