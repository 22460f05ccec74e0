// SPDX-License-Identifier: Apache-2.0
// The objects below a prefix.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/objects/places/entry.h"
#include "cli/objects/service.h"

namespace cairn::cli {

struct ListingPage {
  std::vector<std::string> prefixes = {};  // whole ones
  std::vector<Entry> objects = {};         // names behind the prefix
};

/// The next page; nothing after the last.
using NextPage = std::function<Result<std::optional<ListingPage>>()>;

/// An empty delimiter lists all that is below. `more` are other parameters of list_objects_v2.
NextPage listing_pages(const Service& service, const std::string& bucket, const std::string& prefix,
                       const std::string& delimiter, const Params& more = {});

/// The same object by object.
NextEntry listed_entries(const Service& service, const std::string& bucket,
                         const std::string& prefix, const Params& more = {});

/// The instant of a result; 0 where it has none.
std::int64_t time_ms_of(const Value& value);

/// All versions, delete markers among them, as identifiers of delete_objects: pages of at most
/// 1,000.
using NextIdentifiers = std::function<Result<std::optional<Value::List>>()>;
NextIdentifiers version_pages(const Service& service, const std::string& bucket,
                              const std::string& prefix);

}  // namespace cairn::cli
