// SPDX-License-Identifier: Apache-2.0
// The vector index of a segment, and a search through what opens. The first four bytes say how many
// documents there are.
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "index/vectors/vector_search.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn;
  using namespace cairn::index;
  if (size < 4 + sizeof(VectorIndexHeader)) return 0;
  std::uint32_t documents = 0;
  std::memcpy(&documents, data, 4);
  documents %= 4096;
  // As in a segment: at the start of a cache line.
  std::vector<std::uint64_t> aligned((size + 7) / 8);
  auto* const bytes = reinterpret_cast<char*>(aligned.data());
  std::memcpy(bytes, data + 4, size - 4);
  VectorIndexHeader header;
  std::memcpy(&header, bytes, sizeof header);
  const std::uint64_t fine =
      std::uint64_t{header.rows} * fine_row_bytes(Rotation::padded(header.dims));
  const auto index = VectorIndex::open({bytes, size - 4}, documents, fine, "key");
  if (!index.ok()) return 0;
  const std::vector<float> vector(index->dims(), 0.5f);
  const VectorQuery query(index->nearness(), vector);
  std::vector<std::uint64_t> passing(documents / 64 + 1, 0);
  for (std::uint32_t doc = 0; doc < documents; doc += 2) passing[doc / 64] |= 1ull << (doc % 64);
  const os::Deadline deadline = os::Deadline::in_ms(60'000);
  std::string codes, signs;
  CodeReader reader;
  reader.fine = [&](std::uint32_t list) -> Result<CodeBytes> {
    codes.assign(index->fine_length(list), '\x37');
    return CodeBytes{.owner = nullptr, .bytes = codes};
  };
  reader.distance = [](std::uint32_t row) -> Result<float> { return static_cast<float>(row); };
  for (const int filtered : {0, 1, 2}) {  // filtered by signs and rows; by coarse codes
    if (filtered == 2)
      reader.coarse = [&](std::uint32_t, std::uint32_t count) -> Result<CodeBytes> {
        signs.assign(count * coarse_row_bytes(index->padded()), '\x35');
        return CodeBytes{.owner = nullptr, .bytes = signs};
      };
    os::Steps steps(deadline);
    NearestRows nearest(5, 3);
    const AllowedDocs allowed{.passing = filtered > 0 ? passing.data() : nullptr,
                              .count = documents,
                              .documents = documents};
    (void)search_vectors(*index, query, allowed, {}, reader, nearest, steps).ok();
  }
  return 0;
}
