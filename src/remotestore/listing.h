// SPDX-License-Identifier: Apache-2.0
// One page of a store's keys, merged from the names that are keys and the names that lie aside.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "os/deadline.h"
#include "remotestore/wire.h"
#include "store/store.h"

namespace cairn::remotestore {

struct ListingParams {
  Wire& wire;
  std::string prefix;       // of the store's names
  bool plain_keys = false;  // nothing lies aside
  /// What a caller sees of an object; its key is filled in already.
  std::function<store::ObjectInfo(std::string key, const RemoteInfo& info)> shown;
};

Result<store::ListPage> list_page(const ListingParams& where, const store::ListParams& params,
                                  const os::Deadline& deadline);

}  // namespace cairn::remotestore
