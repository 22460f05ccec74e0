// SPDX-License-Identifier: Apache-2.0
#include "s3api/directory/upload_folders.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "objectstore/core/multipart.h"

namespace cairn::s3api {
namespace {

// Those behind the beginning of the page and before its end.
Result<std::vector<std::string>> folders_of(const Call& call, const s3::ListParams& params,
                                            const s3::ListPage& page) {
  std::vector<std::string> folders;
  objectstore::ListUploadsParams asked{.prefix = params.prefix,
                                       .delimiter = params.delimiter,
                                       .key_marker = params.start_after};
  for (;;) {
    CAIRN_TRY(objectstore::UploadsPage uploads,
              call.engine().uploads().list(call.address.bucket, asked, call.deadline()));
    for (std::string& folder : uploads.common_prefixes)
      if (!page.truncated || folder <= page.next_start_after) folders.push_back(std::move(folder));
    const bool past_end = page.truncated && uploads.next_key_marker > page.next_start_after;
    if (!uploads.truncated || past_end) return folders;
    asked.key_marker = std::move(uploads.next_key_marker);
    asked.upload_id_marker = std::move(uploads.next_upload_id_marker);
  }
}

// Keys and folders are in one order; the last of both goes first.
void drop_last(s3::ListPage& page) {
  const bool folder = page.objects.empty() || (!page.common_prefixes.empty() &&
                                               page.common_prefixes.back() > page.objects.back().key);
  if (folder)
    page.common_prefixes.pop_back();
  else
    page.objects.pop_back();
}

std::string last_of(const s3::ListPage& page) {
  const std::string key = page.objects.empty() ? "" : page.objects.back().key;
  return page.common_prefixes.empty() ? key : std::max(key, page.common_prefixes.back());
}

}  // namespace

Result<bool> has_upload_folders(const Call& call, const s3::ListParams& params) {
  if (!call.directory || params.delimiter.empty()) return false;
  CAIRN_TRY(const objectstore::UploadsPage page,
            call.engine().uploads().list(call.address.bucket,
                                         {.prefix = params.prefix, .limit = 1}, call.deadline()));
  return !page.uploads.empty();
}

Status add_upload_folders(const Call& call, const s3::ListParams& params, s3::ListPage& page) {
  CAIRN_TRY(std::vector<std::string> folders, folders_of(call, params, page));
  std::vector<std::string> all;
  std::set_union(page.common_prefixes.begin(), page.common_prefixes.end(), folders.begin(),
                 folders.end(), std::back_inserter(all));
  page.common_prefixes = std::move(all);
  while (page.objects.size() + page.common_prefixes.size() > params.limit) {
    drop_last(page);
    page.truncated = true;
    page.next_start_after = last_of(page);
  }
  return ok_status();
}

}  // namespace cairn::s3api
