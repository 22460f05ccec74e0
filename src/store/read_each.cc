// SPDX-License-Identifier: Apache-2.0
#include "store/read_each.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "os/threads/thread.h"

namespace cairn::store {
namespace {

constexpr std::size_t at_a_time = 16;
constexpr std::size_t alone_max = 4;  // so few are not worth threads

using Reads = std::vector<std::optional<Result<Object>>>;

Reads read_all(Store& store, const std::vector<ObjectInfo>& objects, const os::Deadline& deadline) {
  Reads out(objects.size());
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  const auto read = [&] {
    for (std::size_t i = next++; i < objects.size() && !failed; i = next++) {
      out[i] = store.get(objects[i].key, deadline);
      if (!out[i]->ok() && out[i]->error().kind != ErrorKind::not_found) failed = true;
    }
  };
  std::vector<os::Thread> others;
  if (objects.size() > alone_max)
    for (std::size_t i = 1; i < std::min(at_a_time, objects.size()); ++i) {
      auto thread = os::Thread::start({.name = "cairn-read"}, read);
      if (!thread.ok()) break;  // those that there are do it
      others.push_back(std::move(*thread));
    }
  read();
  others.clear();  // they end
  return out;
}

}  // namespace

Status read_each(Store& store, std::string_view prefix, const os::Deadline& deadline,
                 const std::function<Status(Object& object)>& each) {
  ListParams params;
  params.prefix = prefix;
  for (;;) {
    CAIRN_TRY(const ListPage page, store.list(params, deadline));
    Reads reads = read_all(store, page.objects, deadline);
    for (std::size_t i = 0; i < reads.size(); ++i) {
      if (!reads[i]) continue;  // behind one that failed
      if (!reads[i]->ok() && reads[i]->error().kind == ErrorKind::not_found) continue;
      CAIRN_CHECK(*reads[i]);
      Object& object = **reads[i];
      object.info.key = page.objects[i].key;
      CAIRN_CHECK(each(object));
    }
    if (page.next_start_after.empty()) return ok_status();
    params.start_after = page.next_start_after;
  }
}

}  // namespace cairn::store
