// SPDX-License-Identifier: Apache-2.0
// What every Store can do through its interface.
#include "store/store.h"

#include "store/folding.h"

namespace cairn::store {

std::string after_prefix(std::string prefix) {
  while (!prefix.empty()) {
    const auto last = static_cast<unsigned char>(prefix.back());
    if (last < 0xff) {
      prefix.back() = static_cast<char>(last + 1);
      return prefix;
    }
    prefix.pop_back();
  }
  return prefix;
}

Status for_each_object(Store& store, std::string_view prefix, const os::Deadline& deadline,
                       const std::function<Status(const ObjectInfo&)>& each) {
  ListParams params;
  params.prefix = prefix;
  for (;;) {
    CAIRN_TRY(const ListPage page, store.list(params, deadline));
    for (const ObjectInfo& info : page.objects) CAIRN_CHECK(each(info));
    if (page.next_start_after.empty()) return ok_status();
    params.start_after = page.next_start_after;
  }
}

}  // namespace cairn::store
