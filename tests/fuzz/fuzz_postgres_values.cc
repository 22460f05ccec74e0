// SPDX-License-Identifier: Apache-2.0
// Whatever a server says a value is: the document stays JSON.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "connectors/sources/databases/postgres_values.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn;
  using namespace cairn::connectors;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const ColumnType type{.kind = static_cast<ColumnKind>(data[0] % 6),
                        .is_array = (data[0] & 0x80) != 0};
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("value");
  append_column(json, type, text);
  json.key("next").null().end_object();
  const auto read = parse_json(out, {.depth = 1000});
  if (!read.ok() || read->as_object().size() != 2) std::abort();
  return 0;
}
