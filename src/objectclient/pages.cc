// SPDX-License-Identifier: Apache-2.0
// Source: the paginators of the S3 service model.
#include "objectclient/pages.h"

#include <string>
#include <string_view>

namespace cairn::objectclient {
namespace {

/// Which member of a result becomes which parameter of the next call.
struct Turn {
  std::string_view listing;  // the shape of its parameters
  std::string_view more;     // the member that says that there are more; empty: the token does
  std::string_view from;
  std::string_view to;
};
constexpr Turn turns[] = {
    {"ListObjectsV2Input", "is_truncated", "next_continuation_token", "continuation_token"},
    {"ListObjectsInput", "is_truncated", "next_marker", "marker"},
    {"ListObjectVersionsInput", "is_truncated", "next_key_marker", "key_marker"},
    {"ListObjectVersionsInput", "is_truncated", "next_version_id_marker", "version_id_marker"},
    {"ListMultipartUploadsInput", "is_truncated", "next_key_marker", "key_marker"},
    {"ListMultipartUploadsInput", "is_truncated", "next_upload_id_marker", "upload_id_marker"},
    {"ListPartsInput", "is_truncated", "next_part_number_marker", "part_number_marker"},
    {"ListBucketsInput", "", "continuation_token", "continuation_token"},
    {"ListDirectoryBucketsInput", "", "continuation_token", "continuation_token"}};

/// The member, where the structure has a value of it; else null.
void* value_at(const s3::Shape& shape, const void* structure, std::string_view name,
               s3::Type& type) {
  const s3::Member* const member = shape.find(name);
  if (member == nullptr) return nullptr;
  void* const field = member->field(const_cast<void*>(structure));  // NOLINT: only read
  if (!member->access->has(field)) return nullptr;
  type = member->type;
  return member->access->value(field);
}

/// ListObjects without a delimiter gives no marker: the last key is it.
void* last_key(const s3::Shape& shape, const void* output, s3::Type& type) {
  const s3::Member* const contents = shape.find("contents");
  if (contents == nullptr) return nullptr;
  void* const field = contents->field(const_cast<void*>(output));  // NOLINT: only read
  const std::size_t count = contents->access->size(field);
  if (count == 0) return nullptr;
  return value_at(contents->shape(), contents->access->at(field, count - 1), "key", type);
}

}  // namespace

bool turn_page(const s3::Shape& input_shape, void* input, const s3::Shape& output_shape,
               const void* output) {
  bool turned = false;
  for (const Turn& turn : turns) {
    if (turn.listing != input_shape.name) continue;
    s3::Type type{};
    if (!turn.more.empty()) {
      const void* const more = value_at(output_shape, output, turn.more, type);
      if (more == nullptr || !*static_cast<const bool*>(more)) return false;
    }
    void* token = value_at(output_shape, output, turn.from, type);
    if (token == nullptr && turn.from == "next_marker")
      token = last_key(output_shape, output, type);
    const s3::Member& parameter = *input_shape.find(turn.to);
    void* const into = parameter.access->value(parameter.field(input));
    if (token == nullptr) {
      // A second marker that is not there must not stay from the page before.
      if (turned && type == s3::Type::text) static_cast<std::string*>(into)->clear();
      continue;
    }
    if (type == s3::Type::integer)
      *static_cast<std::int64_t*>(into) = *static_cast<const std::int64_t*>(token);
    else
      *static_cast<std::string*>(into) = *static_cast<const std::string*>(token);
    turned = turn.more.empty() ? !static_cast<const std::string*>(token)->empty() : true;
  }
  return turned;
}

}  // namespace cairn::objectclient
