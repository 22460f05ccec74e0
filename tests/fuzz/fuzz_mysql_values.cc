// SPDX-License-Identifier: Apache-2.0
// Whatever a server says a value is: the document stays JSON, and a literal has no way out.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "connectors/sources/databases/mysql_values.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn;
  using namespace cairn::connectors;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto kind = static_cast<MysqlKind>(data[0] % mysql_kinds);
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("value");
  append_mysql_value(json, kind, text);
  json.key("next").null().end_object();
  const auto read = parse_json(out, {.depth = 1000});
  if (!read.ok() || read->as_object().size() != 2) std::abort();
  for (const char c : mysql_literal(kind, text)) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       std::string_view("_ '.+-").find(c) != std::string_view::npos;
    if (!plain) std::abort();
  }
  return 0;
}
