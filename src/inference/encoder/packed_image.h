// SPDX-License-Identifier: Apache-2.0
// Packed weights as one run of bytes, so that a later start has nothing to pack.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "inference/encoder/packed_encoder.h"
#include "kernels/buffer.h"

namespace cairn::inference {

/// All weights behind a header: what it was made of (`key`), and a checksum.
kernels::Buffer<std::byte> write_packed(const PackedEncoder& encoder, std::string_view key);

/// The weights, whose arrays lie in `image`, which must outlive them. The shape is the caller's: it
/// comes from config.json. Errors: corrupt for an image of another key, format or length, or one
/// whose checksum does not fit.
Result<PackedEncoder> read_packed(const kernels::Buffer<std::byte>& image, std::string_view key,
                                  const EncoderShape& shape);

}  // namespace cairn::inference
