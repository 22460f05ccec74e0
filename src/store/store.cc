// SPDX-License-Identifier: Apache-2.0
// What every Store can do through its interface.
#include "store/store.h"

namespace cairn::store {

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
