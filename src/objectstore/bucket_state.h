// SPDX-License-Identifier: Apache-2.0
// What a bucket is like at one moment: its facts and its configuration documents. Immutable, shared
// by all who read it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "s3/model.h"

namespace cairn::objectstore {

/// A configuration document as it was put. Safe from any thread.
class BucketDocument {
 public:
  BucketDocument(std::string text, std::uint64_t generation)
      : text_(std::move(text)), generation_(generation) {}
  const std::string& text() const { return text_; }
  /// Differs from that of every other document that any bucket ever had.
  std::uint64_t generation() const { return generation_; }

  /// What `parse(text)` makes of it, made once, by the first who asks. `T` is one type for each
  /// name of a document.
  template <class T, class Parse>
  std::shared_ptr<const T> parsed(Parse parse) const {
    std::call_once(once_, [&] { parsed_ = std::make_shared<const T>(parse(text_)); });
    return std::static_pointer_cast<const T>(parsed_);
  }

 private:
  const std::string text_;
  const std::uint64_t generation_;
  mutable std::once_flag once_;
  mutable std::shared_ptr<const void> parsed_;
};
using DocumentPointer = std::shared_ptr<const BucketDocument>;

struct BucketState {
  s3::Bucket bucket;
  std::uint64_t generation = 0;  // grows with every change of this bucket
  std::map<std::string, DocumentPointer, std::less<>> documents = {};

  /// Null where there is none.
  DocumentPointer document(std::string_view name) const {
    const auto found = documents.find(name);
    return found == documents.end() ? nullptr : found->second;
  }
};
using BucketView = std::shared_ptr<const BucketState>;

/// What is to become different; what is not given stays.
struct BucketChange {
  std::optional<std::uint64_t> if_generation = {};  // of the state that the change was made for
  std::optional<s3::Versioning> versioning = {};    // never back to off
  std::optional<s3::ObjectLock> object_lock = {};
  std::optional<s3::Ownership> ownership = {};
  /// By name: the new text, or nothing to remove it.
  std::map<std::string, std::optional<std::string>> documents = {};
};

}  // namespace cairn::objectstore
