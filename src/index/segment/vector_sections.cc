// SPDX-License-Identifier: Apache-2.0
#include "index/segment/vector_sections.h"

namespace cairn::index {

bool wants_vector_index(const VectorRules& rules, std::uint32_t rows) {
  return !rules.is_exact && rows >= indexed_rows_min;
}

void write_vector_index(const VectorIndexWriter& writer, const std::string& field,
                        std::vector<std::uint32_t> docs, std::uint32_t doc_count, SegmentOut& out) {
  out.begin(SectionKind::vector_fine, field);
  writer.fine([&](std::string_view bytes) { out.write(bytes); });
  out.section(SectionKind::vector_coarse, field, writer.coarse());
  bool same = docs.size() == doc_count;
  for (std::uint32_t row = 0; row < docs.size() && same; ++row) same = docs[row] == row;
  if (same) docs.clear();
  out.hot_section(SectionKind::vector_index, field, writer.index(docs));
}

}  // namespace cairn::index
