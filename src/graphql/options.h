// SPDX-License-Identifier: Apache-2.0
// What bounds a GraphQL request, before any of it runs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cairn::graphql {

struct Options {
  std::size_t document_bytes = 256 << 10;
  std::size_t tokens = 20'000;
  std::size_t nesting = 64;    // of braces, brackets and types in the text
  std::size_t depth = 20;      // of fields in fields, fragments put in
  std::size_t fields = 5'000;  // of an operation, fragments put in
  std::size_t aliases = 200;
  std::size_t operations = 50;     // of a document, of which one runs
  std::size_t batch = 10;          // operations in one request
  std::uint64_t nodes = 500'000;   // that connections may return
  std::size_t page_max = 100;      // of one connection
  std::uint64_t calls = 10'000;    // of resolvers, where all pages are full
  std::int64_t query_ms = 30'000;  // after which a query begins no further field
  std::size_t answer_values = 1'000'000;
  std::size_t answer_bytes = 64 << 20;
  std::size_t errors = 100;  // of validation; more are not looked for
};

}  // namespace cairn::graphql
