// SPDX-License-Identifier: Apache-2.0
#include "index/query/nested_keys.h"

#include "index/errors.h"

namespace cairn::index {

Result<std::shared_ptr<const NestedKeys>> NestedKeys::make(const QueryContext& context,
                                                           const SortKey& key,
                                                           const QueryReader& read_query) {
  auto out = std::make_shared<NestedKeys>();
  const ViewState* above = &context.view;
  for (const SortKey::Nested& wanted : key.nested) {
    Level level;
    CAIRN_TRY(level.view, nested_view(*above, wanted.path));
    if (level.view == nullptr)
      return query_error("[nested] failed to find nested object under path [" + wanted.path + "]");
    above = &level.view->state;
    if (!wanted.filter.is_null()) {
      if (!read_query) return illegal_argument("[nested] takes no [filter] here");
      const auto query = read_query(wanted.filter);
      if (!query && query.error().kind == ErrorKind::invalid_argument)
        return of_request(query.error(), true);
      if (!query) return query.error();
      const auto within = context_within(context, level.view->state);
      auto filter = make_plan(*within, *query);
      take_counts(context, *within);
      if (!filter) return std::move(filter).error();
      level.filter = std::move(*filter);
    }
    out->most_ = std::min(out->most_, wanted.max_children);
    out->levels_.push_back(std::move(level));
  }
  const std::string& path = key.nested.back().path;
  for (std::size_t i = 0; i + 1 < out->levels_.size(); ++i) {
    CAIRN_TRY(out->levels_[i].within, nested_view(out->levels_[i].view->state, path));
  }
  CAIRN_TRY(out->objects_, nested_view(context.view, path));
  return std::shared_ptr<const NestedKeys>(std::move(out));
}

Result<ObjectsOfSegment> NestedKeys::open(const QueryContext& context, std::size_t segment) const {
  ObjectsOfSegment out{.view = objects_.get(), .index = segment, .most = most_};
  std::shared_ptr<BitSet> accepted;
  for (const Level& level : levels_)
    if (level.filter != nullptr) CAIRN_CHECK(narrow(context, segment, level, accepted));
  out.accepted = std::move(accepted);
  return out;
}

Status NestedKeys::narrow(const QueryContext& context, std::size_t segment, const Level& level,
                          std::shared_ptr<BitSet>& accepted) const {
  const auto within = context_within(context, level.view->state);
  CAIRN_TRY(const auto passing, all_matching_bits(*within, *level.filter, segment));
  const std::uint32_t count = this->segment(segment).doc_count();
  CAIRN_CHECK(context.steps.take(count / 64));
  if (level.within == nullptr) {
    if (accepted == nullptr)
      accepted = std::make_shared<BitSet>(*passing);
    else
      *accepted &= *passing;
    return ok_status();
  }
  if (accepted == nullptr) {
    accepted = std::make_shared<BitSet>(count);
    accepted->set_all();
  }
  CAIRN_CHECK(context.steps.take(count));
  for (std::uint32_t object = 0; object < count; ++object)
    if (!passing->test(level.within->parent(segment, object))) accepted->reset(object);
  return ok_status();
}

}  // namespace cairn::index
