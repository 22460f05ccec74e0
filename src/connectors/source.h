// SPDX-License-Identifier: Apache-2.0
// What a kind of source offers: its configuration, a list of items, and each item's text.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "os/deadline.h"

namespace cairn::connectors {

/// One thing that a source holds. `version` changes when the thing may have changed.
struct SourceItem {
  std::string path;     // unique within the source, "/" between parts
  std::string version;  // opaque
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ms = 0;
};

struct SourceDocument {
  std::string title;
  std::string body;
  std::string content_hash;  // of the bytes that were read
};

struct UnreadableItem {
  std::string path;  // of a file, or of a folder whose content is unknown now
  std::string reason;
};

struct SourceListing {
  std::vector<SourceItem> items;  // ascending by path
  std::size_t skipped = 0;        // of a kind that holds no text, by name
  std::vector<UnreadableItem> unreadable;
};

/// An opened source. Used by one thread at a time.
class Source {
 public:
  virtual ~Source() = default;
  virtual Result<SourceListing> list(const os::Deadline& deadline) = 0;
  /// Errors: unsupported (no text inside), too_large, not_found, permission_denied, invalid_argument.
  /// None of them is fatal to a run.
  virtual Result<SourceDocument> read(const SourceItem& item, const os::Deadline& deadline) = 0;
};

/// A kind of source, under the `service_type` that names it.
class SourceType {
 public:
  virtual ~SourceType() = default;
  /// The configuration entries with their types, labels and default values.
  virtual Json configuration_schema() const = 0;
  /// Refuses values that can never work. `configuration` is the map of entries with their values.
  virtual Status validate(const Json& configuration) const = 0;
  virtual Result<std::unique_ptr<Source>> open(const Json& configuration) const = 0;
};

using SourceTypes = std::map<std::string, std::unique_ptr<const SourceType>, std::less<>>;

/// The value of an entry: its `value`, or its `default_value`.
const Json& configured(const Json& configuration, std::string_view field);

}  // namespace cairn::connectors
