// SPDX-License-Identifier: Apache-2.0
// Plans of slices: one of several parts of the documents, found out document by document as a
// search comes to them, so that a page costs what it looks at.
#include "base/bytes.h"
#include "base/hash.h"
#include "index/errors.h"
#include "index/query/plan.h"

namespace cairn::index {
namespace {

/// The number of a document that says in which part it is.
class SliceKeys {
 public:
  virtual ~SliceKeys() = default;
  /// Errors: reading's.
  virtual Result<std::uint64_t> of(std::uint32_t doc) const = 0;
};

class DocKeys final : public SliceKeys {
 public:
  explicit DocKeys(std::uint64_t base) : base_(base) {}
  Result<std::uint64_t> of(std::uint32_t doc) const override { return base_ + doc; }

 private:
  std::uint64_t base_;
};

class IdKeys final : public SliceKeys {
 public:
  IdKeys(const Segment& segment, const os::Deadline& deadline)
      : segment_(segment), deadline_(deadline) {}
  Result<std::uint64_t> of(std::uint32_t doc) const override {
    CAIRN_TRY(const std::string id, segment_.id(doc, deadline_));
    return fast_hash(id);
  }

 private:
  const Segment& segment_;
  const os::Deadline& deadline_;
};

class ColumnKeys final : public SliceKeys {
 public:
  explicit ColumnKeys(std::shared_ptr<const Column> column) : column_(std::move(column)) {}
  Result<std::uint64_t> of(std::uint32_t doc) const override {
    if (column_ == nullptr) return std::uint64_t{0};
    const auto [first, last] = column_->reader.range(doc);
    if (first == last) return std::uint64_t{0};
    const std::int64_t value = column_->reader.value(first);
    return fast_hash({reinterpret_cast<const char*>(&value), sizeof value});
  }

 private:
  std::shared_ptr<const Column> column_;
};

class SliceScorer final : public Scorer {
 public:
  SliceScorer(std::unique_ptr<SliceKeys> keys, std::uint32_t count, const SliceQuery& slice,
              float score, os::Steps& steps)
      : keys_(std::move(keys)),
        count_(count),
        id_(slice.id),
        max_(slice.max),
        score_(score),
        steps_(steps) {
    find(0);
  }
  std::uint32_t next() override { return find(doc_ + 1); }
  std::uint32_t seek(std::uint32_t target) override { return doc_ >= target ? doc_ : find(target); }
  float score() override { return score_; }
  // Others lead where they can: to look for the next of a part means to try several.
  std::uint64_t cost() const override { return count_; }

 private:
  std::uint32_t find(std::uint32_t from) {
    for (doc_ = from; doc_ < count_; ++doc_) {
      if (!steps_.go_on()) break;
      const auto key = keys_->of(doc_);
      if (!key.ok()) {
        steps_.fail(key.error());
        break;
      }
      if (*key % max_ == id_) return doc_;
    }
    return doc_ = no_more;
  }

  std::unique_ptr<SliceKeys> keys_;
  std::uint32_t count_;
  std::uint32_t id_, max_;
  float score_;
  os::Steps& steps_;
};

class SlicePlan final : public Plan {
 public:
  SlicePlan(SliceQuery slice, float score) : slice_(std::move(slice)), score_(score) {}
  Result<ScorerPtr> scorer(const QueryContext& context, std::size_t segment) const override {
    CAIRN_TRY(auto keys, keys_of(context, segment));
    return ScorerPtr(std::make_unique<SliceScorer>(
        std::move(keys), context.view.segments[segment].segment->doc_count(), slice_, score_,
        context.steps));
  }

 private:
  Result<std::unique_ptr<SliceKeys>> keys_of(const QueryContext& context,
                                             std::size_t segment) const {
    using Made = Result<std::unique_ptr<SliceKeys>>;
    const Segment& own = *context.view.segments[segment].segment;
    if (slice_.field == "_doc") {
      std::uint64_t base = 0;
      for (std::size_t i = 0; i < segment; ++i)
        base += context.view.segments[i].segment->doc_count();
      return Made(std::make_unique<DocKeys>(base));
    }
    if (slice_.field == "_id") return Made(std::make_unique<IdKeys>(own, context.deadline));
    CAIRN_TRY(auto column, own.column(slice_.field, context.deadline));
    return Made(std::make_unique<ColumnKeys>(std::move(column)));
  }

  SliceQuery slice_;
  float score_;
};

bool has_numbers(const Field& field) {
  return is_number(field.type) || field.type == FieldType::date || field.type == FieldType::boolean;
}

}  // namespace

Result<PlanPtr> plan_slice(const QueryContext& context, const SliceQuery& query, float boost) {
  if (query.max == 0 || query.id >= query.max)
    return illegal_argument("max must be greater than id");
  SliceQuery slice = query;
  if (query.field != "_doc" && query.field != "_id") {
    const Field* field = context.view.mapping->find(query.field);
    if (field == nullptr)
      return illegal_argument("field " + query.field +
                              " not found; name one of the mapping, or leave "
                              "it out to slice by _id");
    if (!has_numbers(*field) || !field->doc_values)
      return illegal_argument("cannot load numeric doc values on " + query.field +
                              "; slice by a field of numbers, dates or booleans, or by _id");
    if (field->runtime != nullptr)
      return illegal_argument("[slice] cannot go by the runtime field [" + query.field +
                              "]; slice by a field that is mapped, or by _id");
    slice.field = field->name;
  }
  return PlanPtr(std::make_shared<SlicePlan>(std::move(slice), boost));
}

}  // namespace cairn::index
