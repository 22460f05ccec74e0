// SPDX-License-Identifier: Apache-2.0
// Tags of buckets and objects: what may be one, in bodies and in header fields.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "s3/model.h"
#include "s3/operations/bucket_operations.h"

namespace cairn::s3 {

inline constexpr std::size_t object_tags_max = 10;
inline constexpr std::size_t bucket_tags_max = 50;
inline constexpr std::size_t tag_key_characters_max = 128;
inline constexpr std::size_t tag_value_characters_max = 256;

enum class Tagged { object, bucket, new_bucket };

/// From a body. Errors: InvalidTag (with TagKey and TagValue), BadRequest (too many).
Result<Tags> tags_of(const std::vector<TagElement>& elements, Tagged what);

/// From x-amz-tagging: the parameters of a query. Errors: InvalidArgument, and those above.
Result<Tags> tags_of_field(std::string_view field);

std::vector<TagElement> tag_elements(const Tags& tags);

}  // namespace cairn::s3
