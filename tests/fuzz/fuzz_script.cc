// SPDX-License-Identifier: Apache-2.0
// Scripts: parameters, a line, then the source. What compiles runs within its bounds, and every
// error is one of scripts.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "format/json.h"
#include "os/deadline.h"
#include "os/steps.h"
#include "script/script.h"
#include "script/testing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn;
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::size_t line = all.find('\n');
  if (line == std::string_view::npos) return 0;
  const auto params = parse_json(all.substr(0, line));
  if (!params.ok() || !params->is_object()) return 0;
  const std::string_view source = all.substr(line + 1);
  const script::Limits limits{.loops = 2'000, .value_bytes = 1 << 16};
  const script::TestFields fields;
  static const Json values = *parse_json(
      R"({"l": [1, 2, 3], "d": [0.5], "b": [true], "t": ["2026-01-31T08:05:09.123Z"],
          "k": ["a", "bé"], "v": [1, 2, 3], "y": [1, 2, 3]})");
  for (const auto use :
       {script::Use::score, script::Use::sort_number, script::Use::number, script::Use::filter,
        script::Use::sort_text, script::Use::value, script::Use::emit_boolean,
        script::Use::emit_date, script::Use::emit_double, script::Use::emit_keyword,
        script::Use::emit_long}) {
    const auto made = script::Program::compile(source, use, *params, &fields, limits);
    if (!made.ok()) {
      if (made.error().code != "script_exception" && source.size() <= limits.source_bytes) std::abort();
      continue;
    }
    // What is a script for some mapping is one for none.
    if (!script::Program::compile(source, use, {}, nullptr, limits).ok()) std::abort();
    const os::Deadline deadline = os::Deadline::never();
    os::Steps steps(deadline);
    script::TestDocument document(**made, values);
    script::Run run(**made, document, steps);
    for (int i = 0; i < 2 && steps.status().ok(); ++i) {
      double number = 0;
      bool truth = false;
      std::string text;
      Json json;
      script::Emitted emitted;
      const bool done = script::is_emitting(use)     ? run.emitted(emitted)
                        : script::gives_number(use)  ? run.number(1, number)
                        : use == script::Use::filter ? run.truth(truth)
                        : i == 0                     ? run.text(text)
                                                     : run.json(json);
      if (emitted.size() > limits.emitted_values) std::abort();
      if (done != steps.status().ok()) std::abort();
      if (!done && steps.status().error().code != "script_exception") std::abort();
      if (text.size() > 8 * limits.value_bytes) std::abort();
    }
  }
  return 0;
}
