// SPDX-License-Identifier: Apache-2.0
#include "index/query/hit_groups.h"

#include "index/errors.h"
#include "index/mapping/values.h"

namespace cairn::index {

Status check_collapse(const Mapping& mapping, const std::string& name) {
  const Field* field = mapping.find(name);
  if (field == nullptr)
    return illegal_argument("no mapping found for `" + name + "` in order to collapse on");
  if (field->type != FieldType::keyword && !is_number(field->type))
    return illegal_argument("collapse is not supported for the field [" + name + "] of the type [" +
                            std::string(name_of(field->declared_type())) + "]");
  if (!field->doc_values)
    return illegal_argument("cannot collapse on field `" + name + "` without `doc_values`");
  return ok_status();
}

Result<HitGroups> HitGroups::open(const QueryContext& context, std::size_t segment,
                                  const std::string& name) {
  HitGroups out;
  const Field* field = context.view.mapping->find(name);
  if (field == nullptr) return out;
  const Segment& s = context.view.segments[segment].of(name);
  CAIRN_TRY(out.column_, s.column(field->name, context.deadline));
  if (field->type == FieldType::keyword) out.terms_ = s.terms(field->name);
  out.floating_ = is_number(field->type) && !is_whole_number(field->type);
  return out;
}

HitGroups::Number HitGroups::of(std::uint32_t doc, os::Steps& steps) const {
  if (column_ == nullptr) return std::nullopt;
  const auto [first, last] = column_->reader.range(doc);
  if (first == last) return std::nullopt;
  if (last - first > 1) {
    steps.fail(illegal_argument("failed to collapse " + std::to_string(doc) +
                                ", the collapse field must be single valued"));
    return std::nullopt;
  }
  return column_->reader.value(first);
}

Result<SortValue> HitGroups::show(const Number& group, const os::Deadline& deadline) const {
  if (!group) return SortValue();
  if (terms_ != nullptr) {
    CAIRN_TRY(auto term, terms_->term_at(static_cast<std::uint64_t>(*group), deadline));
    return SortValue(std::move(term));
  }
  return floating_ ? SortValue(key_double(*group)) : SortValue(*group);
}

}  // namespace cairn::index
