// SPDX-License-Identifier: Apache-2.0
// An index as a request names it: by its own name, or by aliases, which may narrow it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "index/indices.h"

namespace cairn::index {

/// Used like a pointer to its index. A value, safe to copy.
class NamedIndex {
 public:
  /// By its own name.
  NamedIndex(std::shared_ptr<Index> index)  // NOLINT(google-explicit-constructor)
      : index_(std::move(index)), names_({index_->name()}) {}
  NamedIndex(std::shared_ptr<Index> index, std::vector<std::string> names,
             std::shared_ptr<const Json> filter, bool hides_documents = false)
      : index_(std::move(index)),
        names_(std::move(names)),
        filter_(std::move(filter)),
        hides_documents_(hides_documents) {}

  Index* operator->() const { return index_.get(); }
  Index& operator*() const { return *index_; }
  Index* get() const { return index_.get(); }
  const std::shared_ptr<Index>& index() const { return index_; }

  /// What it was reached by; rights are asked for each.
  const std::vector<std::string>& names() const { return names_; }
  /// A query that searches through these names are narrowed by; null: nothing narrows them.
  const std::shared_ptr<const Json>& filter() const { return filter_; }
  /// The filter has parts that are no alias's (ResolveOptions::narrows): whoever asks may not even
  /// learn of a word in what it leaves out.
  bool hides_documents() const { return hides_documents_; }

 private:
  std::shared_ptr<Index> index_;
  std::vector<std::string> names_;
  std::shared_ptr<const Json> filter_ = {};
  bool hides_documents_ = false;
};

}  // namespace cairn::index
