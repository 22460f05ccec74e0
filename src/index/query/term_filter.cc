// SPDX-License-Identifier: Apache-2.0
#include "index/query/term_filter.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "index/errors.h"
#include "index/mapping/values.h"
#include "index/query/runtime_reader.h"
#include "index/view.h"

namespace cairn::index {
namespace {

void read_all_documents(PostingsCursor cursor, std::vector<std::uint32_t>& docs) {
  docs.clear();
  for (std::uint32_t b = 0; b < cursor.block_count(); ++b) {
    cursor.load(b);
    docs.insert(docs.end(), cursor.docs().begin(), cursor.docs().begin() + cursor.count());
  }
}

/// Filters over the terms of one field, walked side by side.
class TermsTogether {
 public:
  TermsTogether(const QueryContext& context, const TermsReader& reader, std::uint32_t doc_count,
                std::vector<const TermFilter*> filters)
      : context_(context), reader_(reader), filters_(std::move(filters)), walk_(reader, false) {
    order_.resize(filters_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return filters_[a]->start < filters_[b]->start;
    });
    for (std::size_t i = 0; i < filters_.size(); ++i)
      out_.push_back(std::make_shared<BitSet>(doc_count));
  }

  /// The documents of each filter.
  Result<std::vector<std::shared_ptr<BitSet>>> run() {
    while (next_ < order_.size() || !active_.empty()) {
      // Nobody asks for what lies before the first term of the next one.
      if (active_.empty())
        CAIRN_CHECK(walk_.seek(filters_[order_[next_]]->start, context_.deadline));
      CAIRN_TRY(const bool any, walk_.next(context_.deadline));
      if (!any) break;
      CAIRN_CHECK(visit(walk_.term()));
    }
    CAIRN_CHECK(context_.steps.status());
    return std::move(out_);
  }

 private:
  struct Active {
    std::size_t filter = 0;
    TermFilter::Asks takes;
  };

  Status visit(const std::string& term) {
    for (; next_ < order_.size() && filters_[order_[next_]]->start <= term; ++next_) {
      const TermFilter& filter = *filters_[order_[next_]];
      active_.push_back(
          {.filter = order_[next_],
           .takes = filter.make_takes ? filter.make_takes(context_.steps) : filter.takes});
    }
    std::erase_if(active_, [&](const Active& one) { return !filters_[one.filter]->goes_on(term); });
    bool read = false;
    for (const Active& one : active_) {
      CAIRN_CHECK(context_.steps.take(2 + term.size() * filters_[one.filter]->weight / 8));
      if (!one.takes(term)) continue;
      if (!read) {
        CAIRN_TRY(auto cursor, reader_.postings(walk_.entry(), context_.deadline));
        read_all_documents(std::move(cursor), docs_);
        read = true;
      }
      CAIRN_CHECK(context_.steps.take(docs_.size() / 4));
      for (const std::uint32_t doc : docs_) out_[one.filter]->set(doc);
    }
    return ok_status();
  }

  const QueryContext& context_;
  const TermsReader& reader_;
  std::vector<const TermFilter*> filters_;
  std::vector<std::size_t> order_;  // by where they start
  std::size_t next_ = 0;            // of `order_`: those before it have begun
  std::vector<Active> active_;
  TermsWalk walk_;
  std::vector<std::uint32_t> docs_;
  std::vector<std::shared_ptr<BitSet>> out_;
};

// The same of values that are no terms.
std::function<RuntimeTest::Asks(os::Steps&)> as_test(TermFilter filter) {
  return [filter = std::move(filter)](os::Steps& steps) -> RuntimeTest::Asks {
    const TermFilter::Asks takes = filter.make_takes ? filter.make_takes(steps) : filter.takes;
    return [&filter, takes, &steps](const std::string& text) {
      if (!steps.go_on(1 + text.size() * filter.weight / 8)) return false;
      return text >= filter.start && filter.goes_on(text) && takes(text);
    };
  };
}

}  // namespace

Status find_together(const QueryContext& context, std::size_t segment, const std::string& field,
                     const std::vector<const MatchingTerms*>& all) {
  const Segment& s = *context.view.segments[segment].segment;
  const TermsReader* reader = s.terms(field);
  if (reader == nullptr) return ok_status();
  std::vector<const TermFilter*> filters;
  for (const MatchingTerms* one : all) filters.push_back(&one->filter);
  CAIRN_TRY(auto found, TermsTogether(context, *reader, s.doc_count(), std::move(filters)).run());
  for (std::size_t i = 0; i < all.size(); ++i)
    context.found[{all[i], segment}] = std::move(found[i]);
  return ok_status();
}

PlanPtr terms_matching(const QueryContext& context, const Field& of, TermFilter filter,
                       float boost) {
  if (of.runtime != nullptr)
    return plan_runtime(context, of, {.takes_text = as_test(std::move(filter))}, boost,
                        of.name + ":[values]");
  auto terms = std::make_shared<const MatchingTerms>(
      MatchingTerms{.field = of.name, .filter = std::move(filter)});
  return bits_plan(
      [terms](const QueryContext& c, std::size_t segment) -> Result<std::shared_ptr<const BitSet>> {
        if (auto known = c.found.extract(std::pair{terms.get(), segment}))
          return std::move(known.mapped());
        const Segment& s = *c.view.segments[segment].segment;
        const TermsReader* reader = s.terms(terms->field);
        if (reader == nullptr) return std::shared_ptr<const BitSet>();
        CAIRN_TRY(auto found, TermsTogether(c, *reader, s.doc_count(), {&terms->filter}).run());
        return std::shared_ptr<const BitSet>(std::move(found.front()));
      },
      boost, terms);
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
                     "] which is " + (field->runtime != nullptr ? "a runtime field " : "") +
                     "of type [" + std::string(name_of(field->declared_type())) + "]");
}

std::string normalised(const Field& field, const std::string& value) {
  if (field.type != FieldType::keyword || field.normalizer.empty()) return value;
  const auto term = exact_term(field, Json(value));
  return term ? *term : value;
}

}  // namespace cairn::index
