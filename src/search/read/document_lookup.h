// SPDX-License-Identifier: Apache-2.0
// Documents that a query names, read with the rights of who asks.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "format/json.h"
#include "index/templates/stored_scripts.h"

namespace cairn::search {

struct DocumentName {
  std::string index;
  std::string id;
  std::string routing = {};
  friend auto operator<=>(const DocumentName&, const DocumentName&) = default;
};

struct FoundDocument {
  std::string index;   // its own name, where an alias was named
  std::string source;  // JSON text
};

/// Gives a document as a get of it does; nothing where it is not there. Errors:
/// index_not_found_exception; security_exception where the caller may not read the index.
using FindDocument = std::function<Result<std::optional<FoundDocument>>(const DocumentName& name)>;

/// Gives a script that is kept by its id. Errors: resource_not_found_exception.
using FindScript = std::function<Result<index::StoredScript>(std::string_view id)>;

/// The documents of one request, each read once. One thread.
class DocumentLookup {
 public:
  static constexpr std::size_t documents_max = 64;
  static constexpr std::size_t bytes_max = 64u << 20;  // of all sources

  /// `find` empty: nothing is looked up here, and asking is an error.
  /// `scripts` empty: the same of kept scripts.
  explicit DocumentLookup(FindDocument find, FindScript scripts = {})
      : find_(std::move(find)), scripts_(std::move(scripts)) {}

  /// Errors: those of FindScript; illegal_argument_exception where none is looked up.
  Result<index::StoredScript> script(std::string_view id) const;

  /// The source; null where the document is not there. Lives as long as the object. Errors: those
  /// of FindDocument; illegal_argument_exception for more documents than a request may name.
  Result<const Json*> source(const DocumentName& name);
  /// The own name of the index of a document whose source was given; else the one in `name`.
  const std::string& index_of(const DocumentName& name) const;

 private:
  FindDocument find_;
  FindScript scripts_;
  struct Known {
    std::string index;
    Json source;
  };
  std::map<DocumentName, Known> known_;
  std::size_t bytes_ = 0;
};

}  // namespace cairn::search
