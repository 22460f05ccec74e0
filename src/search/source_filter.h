// SPDX-License-Identifier: Apache-2.0
// Which part of a document's source a hit shows.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "format/json.h"

namespace cairn::index {
class Mapping;
}

namespace cairn::search {

struct SourceFilter {
  bool enabled = true;
  std::vector<std::string> includes = {};  // paths, with *; empty: all
  std::vector<std::string> excludes = {};
  bool exclude_vectors = false;  // see without_vectors()

  bool is_all() const {
    return enabled && includes.empty() && excludes.empty() && !exclude_vectors;
  }
};

/// Reads `_source`: true, false, a pattern, a list of patterns, or {includes, excludes}.
/// `takes_vectors`: exclude_vectors may stand there too.
Result<SourceFilter> parse_source_filter(std::string_view text, const Json& json,
                                         bool takes_vectors = false);

/// The same filter for documents of one mapping: where vectors are left out, their fields
/// (dense_vector, sparse_vector) are among `excludes`.
SourceFilter without_vectors(SourceFilter filter, const index::Mapping& mapping);

/// Whether so many patterns may go over every hit. Errors: illegal_argument_exception for more than
/// 1,024 that have a *.
Status check_patterns(const SourceFilter& filter);

/// A filter made ready for many sources: a path costs the patterns with a * in them, not all.
class SourceCut {
 public:
  explicit SourceCut(const SourceFilter& filter);
  /// The members of an object that the filter lets through; a path that is included brings all
  /// that is below it.
  Json of(const Json& source) const;

 private:
  struct Patterns {
    std::unordered_set<std::string> exact;
    std::vector<std::string> wild;
    static Patterns of(const std::vector<std::string>& all);
    bool match(const std::string& path) const;
  };
  bool keep(const Json& value, const std::string& path, bool included, Json& out) const;

  bool enabled_ = true;
  Patterns includes_, excludes_;
};

/// The same for one source.
Json filter_source(const Json& source, const SourceFilter& filter);

/// Values of a dotted path, in the order of the document; lists are taken apart. A path may be
/// written with dots in the names of members.
std::vector<Json> values_at(const Json& source, std::string_view path);

}  // namespace cairn::search
