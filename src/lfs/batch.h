// SPDX-License-Identifier: Apache-2.0
// What clients ask: batches of objects to move, and one object to verify.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cairn::lfs {

enum class Operation { download, upload };

/// An object as the client names it. The oid may be any text.
struct NamedObject {
  std::string oid;
  std::uint64_t size_bytes = 0;
};

struct Batch {
  Operation operation = Operation::download;
  std::string hash_algo = "sha256";
  std::vector<NamedObject> objects = {};
};

/// Reads the body of a batch request (git-lfs docs/api/batch.md). Unknown members and `ref` are
/// passed over. Errors: invalid_argument with status 422, and the member; too_large for more than
/// `objects_max` objects.
Result<Batch> read_batch(std::string_view body, std::size_t objects_max);

/// Reads the body of a verify request. Errors: invalid_argument with status 422.
Result<NamedObject> read_verify(std::string_view body);

/// Understood, but not to be done: status 422.
Error unprocessable(std::string message);

}  // namespace cairn::lfs
