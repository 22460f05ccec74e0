// SPDX-License-Identifier: Apache-2.0
#include "index/query/term_filter.h"

#include "index/errors.h"
#include "index/mapping/values.h"
#include "index/view.h"

namespace cairn::index {
namespace {

void add_documents(PostingsCursor cursor, BitSet& bits) {
  for (std::uint32_t b = 0; b < cursor.block_count(); ++b) {
    cursor.load(b);
    for (std::uint32_t i = 0; i < cursor.count(); ++i) bits.set(cursor.docs()[i]);
  }
}

}  // namespace

PlanPtr terms_matching(std::string field, TermFilter filter, float boost) {
  return bits_plan(
      [field = std::move(field), filter = std::move(filter)](
          const QueryContext& c, std::size_t segment) -> Result<std::shared_ptr<const BitSet>> {
        const Segment& s = *c.view.segments[segment].segment;
        const TermsReader* reader = s.terms(field);
        if (reader == nullptr) return std::shared_ptr<const BitSet>();
        const TermFilter::Asks takes =
            filter.make_takes ? filter.make_takes(c.steps) : filter.takes;
        auto bits = std::make_shared<BitSet>(s.doc_count());
        TermsWalk walk(*reader, false);
        CAIRN_CHECK(walk.seek(filter.start, c.deadline));
        for (;;) {
          CAIRN_TRY(const bool any, walk.next(c.deadline));
          if (!any || !filter.goes_on(walk.term())) break;
          CAIRN_CHECK(c.steps.take(2 + walk.term().size() * filter.weight / 8));
          if (!takes(walk.term())) continue;
          CAIRN_TRY(auto cursor, reader->postings(walk.entry(), c.deadline));
          CAIRN_CHECK(c.steps.take(cursor.doc_freq() / 4));
          add_documents(std::move(cursor), *bits);
        }
        CAIRN_CHECK(c.steps.status());
        return std::shared_ptr<const BitSet>(std::move(bits));
      },
      boost);
}

Result<const Field*> field_with_terms(const QueryContext& context, const std::string& name,
                                      const char* kind) {
  const Field* field = context.view.mapping->find(name);
  if (field == nullptr && name == "_id")
    return query_error("Can only use " + std::string(kind) +
                       " queries on keyword, text and wildcard fields - not on [_id] which is of "
                       "type [_id]");
  if (field == nullptr) return field;
  if (field->type == FieldType::text || field->type == FieldType::keyword) return field;
  return query_error("Can only use " + std::string(kind) +
                     " queries on keyword, text and wildcard fields - not on [" + name +
                     "] which is of type [" + std::string(name_of(field->declared_type())) + "]");
}

std::string normalised(const Field& field, const std::string& value) {
  if (field.type != FieldType::keyword || field.normalizer.empty()) return value;
  const auto term = exact_term(field, Json(value));
  return term ? *term : value;
}

}  // namespace cairn::index
