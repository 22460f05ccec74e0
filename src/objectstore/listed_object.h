// SPDX-License-Identifier: Apache-2.0
// What a listing shows of an object, as it lies in its row.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "s3/model.h"

namespace cairn::objectstore {

/// Views into a row: good until the call that was given it returns.
struct ListedObject {
  std::string_view key;
  std::uint64_t serial = 0;
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ms = 0;
  std::string_view etag;  // without quotes
  std::string_view storage_class;
  std::string_view owner_id;  // canonical
  std::string_view owner_account;
  struct Checksum {
    s3::ChecksumAlgorithm algorithm = {};
    s3::ChecksumType type = {};
    std::string_view value;
  };
  std::optional<Checksum> checksum = {};
};

/// Who hears of the objects and common prefixes of a page, in order.
struct PageVisitor {
  std::function<void(const ListedObject&)> object;
  std::function<void(std::string_view prefix)> prefix;
};

}  // namespace cairn::objectstore
