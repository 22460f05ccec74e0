// SPDX-License-Identifier: Apache-2.0
// What filters leave of a segment, by bits that are kept where they are asked for often.
#include "index/query/filter_cache.h"
#include "index/query/top_terms.h"

namespace cairn::index {
namespace {

Result<std::shared_ptr<const BitSet>> accepted_by(const QueryContext& context,
                                                  const TermsShape& shape, std::size_t segment) {
  if (shape.filters.size() == 1 && shape.excluded.empty())
    return all_matching_bits(context, *shape.filters[0], segment);
  auto bits = std::make_shared<BitSet>(context.view.segments[segment].segment->doc_count());
  bits->set_all();
  for (const Plan* filter : shape.filters) {
    CAIRN_TRY(const auto own, all_matching_bits(context, *filter, segment));
    *bits &= *own;
  }
  for (const Plan* excluded : shape.excluded) {
    CAIRN_TRY(const auto own, all_matching_bits(context, *excluded, segment));
    bits->subtract(*own);
  }
  return std::shared_ptr<const BitSet>(std::move(bits));
}

// Null where the bits of this filter are not kept in this segment.
FilterCache* cache_for(const QueryContext& context, std::string_view key, std::size_t segment) {
  const bool small =
      context.view.segments[segment].segment->doc_count() < FilterCache::documents_min;
  return key.empty() || small ? nullptr : context.view.filters.get();
}

}  // namespace

Result<std::shared_ptr<const BitSet>> kept_bits(const QueryContext& context, const Plan& filter,
                                                std::string_view key, std::size_t segment) {
  FilterCache* const kept = cache_for(context, key, segment);
  const auto& of = context.view.segments[segment].segment;
  if (kept != nullptr)
    if (auto bits = kept->find(of, key)) return bits;
  CAIRN_TRY(auto bits, all_matching_bits(context, filter, segment));
  if (kept != nullptr) kept->offer(of, key, bits);
  return bits;
}

Result<Narrowed> narrowed_by(const QueryContext& context, const TermsShape& shape,
                             std::size_t segment) {
  const SegmentView& view = context.view.segments[segment];
  Narrowed out{.accepted = nullptr, .deleted = view.deleted};
  if (shape.filters.empty() && shape.excluded.empty()) return out;
  FilterCache* const kept = cache_for(context, shape.narrowing_key, segment);
  if (kept != nullptr) out.accepted = kept->find(view.segment, shape.narrowing_key);
  if (out.accepted != nullptr) return out;
  CAIRN_TRY(out.accepted, accepted_by(context, shape, segment));
  if (kept != nullptr) kept->offer(view.segment, shape.narrowing_key, out.accepted);
  return out;
}

}  // namespace cairn::index
