// SPDX-License-Identifier: Apache-2.0
// Source: the paginators of the S3 service model.
#include "objectclient/pages.h"

#include <string>
#include <string_view>

#include "objectclient/faults.h"

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
    {"ListRegionalBucketsInput", "", "next_token", "next_token"},
    {"ListPartsInput", "is_truncated", "next_part_number_marker", "part_number_marker"},
    {"ListBucketsInput", "", "continuation_token", "continuation_token"},
    {"ListDirectoryBucketsInput", "", "continuation_token", "continuation_token"},
    {"ListAccessPointsForDirectoryBucketsInput", "", "next_token", "next_token"},
    {"ListAccessPointsInput", "", "next_token", "next_token"},
    {"AccessGrantsPageInput", "", "next_token", "next_token"},
    {"ListAccessGrantsLocationsInput", "", "next_token", "next_token"},
    {"ListAccessGrantsInput", "", "next_token", "next_token"}};

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

/// The text of a marker, or of a number; empty where there is none, and for the number 0, with
/// which every listing of parts begins.
std::string token_text(const void* value, s3::Type type) {
  if (value == nullptr) return {};
  if (type != s3::Type::integer) return *static_cast<const std::string*>(value);
  const auto number = *static_cast<const std::int64_t*>(value);
  return number == 0 ? std::string() : std::to_string(number);
}

/// True where the caller asked for pages of nothing, of which there is no end.
bool asks_for_nothing(const s3::Shape& shape, const void* input) {
  for (const std::string_view name : {"max_keys", "max_uploads", "max_parts"}) {
    s3::Type type{};
    const void* const most = value_at(shape, input, name, type);
    if (most != nullptr && *static_cast<const std::int64_t*>(most) == 0) return true;
  }
  return false;
}

}  // namespace

Status check_next_page(const s3::Shape& input_shape, const void* input,
                       const s3::Shape& output_shape, const void* output) {
  bool goes_on = false;
  bool says_where = false;
  bool moves = false;
  std::string_view missing;
  for (const Turn& turn : turns) {
    if (turn.listing != input_shape.name) continue;
    s3::Type type{};
    if (!turn.more.empty()) {
      const void* const more = value_at(output_shape, output, turn.more, type);
      if (more == nullptr || !*static_cast<const bool*>(more)) return ok_status();
      goes_on = true;
    }
    const void* token = value_at(output_shape, output, turn.from, type);
    if (token == nullptr && turn.from == "next_marker")
      token = last_key(output_shape, output, type);
    const std::string next = token_text(token, type);
    if (missing.empty()) missing = turn.from;
    if (next.empty()) continue;
    goes_on = says_where = true;
    moves = moves || next != token_text(value_at(input_shape, input, turn.to, type), type);
  }
  if (!goes_on || asks_for_nothing(input_shape, input)) return ok_status();
  if (!says_where)
    return unexpected_reply("the listing says that it goes on, and not where: " +
                            std::string(missing) + " is not there");
  if (!moves) return unexpected_reply("the listing gives the same page for ever");
  return ok_status();
}

std::string page_token(const s3::Shape& input_shape, const void* input) {
  std::string out;
  for (const Turn& turn : turns) {
    if (turn.listing != input_shape.name) continue;
    s3::Type type{};
    const void* const value = value_at(input_shape, input, turn.to, type);
    out += token_text(value, type) + '\0';
  }
  return out;
}

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
