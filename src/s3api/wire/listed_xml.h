// SPDX-License-Identifier: Apache-2.0
// The <Contents> of a page, written straight from the rows: a page of a thousand is the one reply
// whose making costs more than its sending. What s3::ObjectElement writes is the measure of it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "objectstore/listed_object.h"
#include "s3/operations/list_operations.h"

namespace cairn::s3api {

class ListedXml {
 public:
  using OwnerOf = std::function<s3::OwnerElement(const std::string& canonical_id)>;
  /// `owner_of`: how owners are shown; empty: they are not. `page` is how many there may be.
  ListedXml(bool url_coded, OwnerOf owner_of, std::size_t page);

  void add(const objectstore::ListedObject& object);
  std::size_t count() const { return count_; }
  std::string take() { return std::move(text_); }

 private:
  void add_time(std::int64_t unix_ms);
  void add_owner(std::string_view id);

  const bool url_coded_;
  const OwnerOf owner_of_;
  const std::size_t page_;
  std::string text_;
  std::size_t count_ = 0;
  std::int64_t second_ = INT64_MIN;  // what `time_` says
  std::string time_;
  std::string owner_id_;  // whom `owner_` shows
  std::string owner_;
};

}  // namespace cairn::s3api
