// SPDX-License-Identifier: Apache-2.0
// ListObjects and ListObjectsV2.
#include <algorithm>

#include "s3/checksum.h"
#include "s3/errors.h"
#include "s3api/access/account_book.h"
#include "s3api/directory/directory.h"
#include "s3api/directory/upload_folders.h"
#include "s3api/wire/continuation.h"
#include "s3api/handlers.h"
#include "s3api/wire/listed_xml.h"
#include "s3api/objects/listings.h"

namespace cairn::s3api {
namespace {

// What a page shows beside what it always shows.
struct Extras {
  bool owner = false;
  bool restore = false;
  bool upload_folders = false;  // of a directory bucket
};

s3::ObjectElement describe(const Call& call, s3::Object&& object, const Extras& extras) {
  s3::ObjectElement out{.key = std::move(object.key),
                        .last_modified = s3::Time{object.modified_ms / 1000 * 1000},
                        .etag = quoted(object.etag),
                        .size = static_cast<std::int64_t>(object.size_bytes),
                        .storage_class = std::move(object.attributes.storage_class)};
  if (object.checksum) {
    out.checksum_algorithm = {std::string(s3::name_of(object.checksum->algorithm))};
    out.checksum_type = s3::name_of(object.checksum->type);
  }
  if (extras.owner) out.owner = owner_element(call, object.owner.id);
  if (extras.restore) out.restore_status = restore_status_of(object, call.context.clock.unix_ms());
  return out;
}

struct Shown {
  std::size_t count = 0;         // of objects and prefixes together
  std::string next_start_after;  // empty at the end
};

// What is restored stands far behind in a row, so that such a page takes whole objects.
template <class Output>
Result<Shown> fill_from_objects(const Call& call, const s3::ListParams& params,
                                const Extras& extras, Output& out) {
  CAIRN_TRY(s3::ListPage page, call.engine().list(call.address.bucket, params, call.deadline()));
  if (extras.upload_folders) CAIRN_CHECK(add_upload_folders(call, params, page));
  out.contents.reserve(page.objects.size());
  for (s3::Object& object : page.objects)
    out.contents.push_back(describe(call, std::move(object), extras));
  for (std::string& prefix : page.common_prefixes)
    out.common_prefixes.push_back({.prefix = std::move(prefix)});
  return Shown{page.objects.size() + page.common_prefixes.size(), page.next_start_after};
}

template <class Output>
Result<Shown> fill_from_rows(Call& call, const s3::ListParams& params, const Extras& extras,
                             Output& out) {
  ListedXml::OwnerOf owner_of;
  if (extras.owner) owner_of = [&](const std::string& id) { return owner_element(call, id); };
  ListedXml xml(out.encoding_type == "url", std::move(owner_of), params.limit);
  const objectstore::PageVisitor visitor{
      .object = [&](const objectstore::ListedObject& object) { xml.add(object); },
      .prefix =
          [&](std::string_view prefix) {
            out.common_prefixes.push_back({.prefix = std::string(prefix)});
          }};
  CAIRN_TRY(std::string next,
            call.engine().list(call.address.bucket, params, visitor, call.deadline()));
  const std::size_t count = xml.count() + out.common_prefixes.size();
  call.prepared = s3::PreparedElements{.member = "contents", .text = xml.take()};
  return Shown{count, std::move(next)};
}

template <class Output>
Result<Shown> fill(Call& call, const s3::ListParams& params, const Extras& extras, Output& out) {
  out.is_truncated = false;
  if (params.limit == 0) return Shown{};
  const bool whole = extras.restore || extras.upload_folders;
  CAIRN_TRY(Shown shown, whole ? fill_from_objects(call, params, extras, out)
                               : fill_from_rows(call, params, extras, out));
  out.is_truncated = !shown.next_start_after.empty();
  return shown;
}

std::string text_or_empty(const std::optional<std::string>& text) { return text.value_or(""); }

}  // namespace

bool wants_restore_status(const std::vector<std::string>& attributes) {
  return std::find(attributes.begin(), attributes.end(), "RestoreStatus") != attributes.end();
}

std::optional<s3::RestoreStatusElement> restore_status_of(const s3::Object& object,
                                                          std::int64_t now_ms) {
  const auto& restore = object.restore;
  if (!restore || restore->expires_ms <= now_ms) return std::nullopt;
  s3::RestoreStatusElement out{.is_restore_in_progress = restore->is_ongoing(now_ms)};
  if (restore->is_there(now_ms) && restore->expires_ms != s3::Restore::never)
    out.restore_expiry_date = s3::Time{restore->expires_ms};
  return out;
}

Result<s3::ListObjectsOutput> list_objects(Call& call, const s3::ListObjectsInput& in) {
  CAIRN_TRY(const std::int64_t limit, page_limit("max-keys", in.max_keys));
  const bool with_restore = wants_restore_status(in.optional_object_attributes);
  s3::ListObjectsOutput out{.name = in.bucket,
                            .prefix = text_or_empty(in.prefix),
                            .marker = text_or_empty(in.marker),
                            .max_keys = limit,
                            .encoding_type = in.encoding_type};
  CAIRN_TRY(const Shown shown, fill(call,
                                    {.prefix = text_or_empty(in.prefix),
                                     .delimiter = text_or_empty(in.delimiter),
                                     .start_after = text_or_empty(in.marker),
                                     .limit = static_cast<std::size_t>(limit),
                                     .with_state = with_restore},
                                    {.owner = true, .restore = with_restore}, out));
  if (in.delimiter && !in.delimiter->empty()) {
    out.delimiter = in.delimiter;
    if (!shown.next_start_after.empty()) out.next_marker = shown.next_start_after;
  }
  return out;
}

Result<s3::ListObjectsV2Output> list_objects_v2(Call& call, const s3::ListObjectsV2Input& in) {
  CAIRN_CHECK(check_directory_listing(call, in.prefix, in.delimiter));
  CAIRN_TRY(const std::int64_t limit, page_limit("max-keys", in.max_keys));
  CAIRN_TRY(const std::string after,
            start_of_page(in.continuation_token, text_or_empty(in.start_after)));
  const bool with_restore = wants_restore_status(in.optional_object_attributes);
  s3::ListObjectsV2Output out{.name = in.bucket,
                              .prefix = text_or_empty(in.prefix),
                              .start_after = in.start_after,
                              .continuation_token = in.continuation_token,
                              .max_keys = limit,
                              .encoding_type = in.encoding_type};
  if (in.delimiter && !in.delimiter->empty()) out.delimiter = in.delimiter;
  const s3::ListParams params{.prefix = text_or_empty(in.prefix),
                              .delimiter = text_or_empty(in.delimiter),
                              .start_after = after,
                              .limit = static_cast<std::size_t>(limit),
                              .with_state = with_restore};
  CAIRN_TRY(const bool upload_folders, has_upload_folders(call, params));
  CAIRN_TRY(const Shown shown, fill(call, params,
                                    {.owner = in.fetch_owner.value_or(false),
                                     .restore = with_restore,
                                     .upload_folders = upload_folders},
                                    out));
  if (!shown.next_start_after.empty())
    out.next_continuation_token = continuation_token(shown.next_start_after);
  out.key_count = static_cast<std::int64_t>(shown.count);
  return out;
}

}  // namespace cairn::s3api
