// SPDX-License-Identifier: Apache-2.0
#include "index/functions/script_fields.h"

#include <algorithm>
#include <cstring>

#include "index/dates/dates.h"
#include "index/errors.h"
#include "index/functions/runtime_values.h"
#include "index/functions/score_function.h"
#include "index/mapping/mapping.h"
#include "index/segment/segment.h"

namespace cairn::index {

using script::FieldFacts;
using script::FieldKind;

namespace {

FieldFacts vector_facts(const Field& field) {
  return {.kind = FieldKind::vector,
          .byte_elements = field.byte_elements,
          .bit_elements = field.bit_elements,
          .unit_length = field.similarity == Similarity::cosine && !field.byte_elements,
          .elements = field.vector_elements()};
}

FieldKind kind_of(const Field& field) {
  if (!field.doc_values) return FieldKind::none;
  if (is_number(field.type)) return is_whole_number(field.type) ? FieldKind::whole : FieldKind::real;
  switch (field.type) {
    case FieldType::boolean:
      return FieldKind::boolean;
    case FieldType::date:
      return FieldKind::date;
    case FieldType::keyword:
      return FieldKind::text;
    default:
      return FieldKind::none;
  }
}

std::string why_not(const Field& field, const std::string& index) {
  if (field.type == FieldType::text)
    return "Fielddata is disabled on [" + field.name + "] in [" + index +
           "]. Text fields are not optimised for operations that require per-document field data "
           "like aggregations and sorting, so these operations are disabled by default. Please use "
           "a keyword field instead.";
  if (is_number(field.type) || field.type == FieldType::boolean || field.type == FieldType::date ||
      field.type == FieldType::keyword)
    return "Can't load fielddata on [" + field.name +
           "] because fielddata is unsupported on fields of type [" +
           std::string(name_of(field.declared_type())) + "]. Use doc values instead.";
  return "a field of the type [" + std::string(name_of(field.declared_type())) +
         "] cannot be read by scripts: [" + field.name + "]";
}

}  // namespace

std::optional<FieldFacts> ScriptFields::find(std::string_view name) const {
  const Field* field = view_.mapping->find(name);
  if (field == nullptr || field->type == FieldType::object || metadata_field(name) != nullptr)
    return std::nullopt;
  if (field->declared_type() == FieldType::dense_vector) return vector_facts(*field);
  const bool plain = field->declared_type() == field->type;
  const FieldKind kind = plain ? kind_of(*field) : FieldKind::none;
  if (kind != FieldKind::none) return FieldFacts{.kind = kind};
  return FieldFacts{.kind = FieldKind::none, .fault = why_not(*field, view_.index_name)};
}

Result<std::int64_t> ScriptFields::date(std::string_view text) const {
  if (text.starts_with("now"))
    return illegal_argument("now() is not supported in date math of scripts: send the date in [params]");
  CAIRN_TRY(const auto format, DateFormat::parse(default_date_format));
  return resolve_date(Json(text), format, 0, {}, false);
}

Result<ScriptVectors> ScriptVectors::open(const QueryContext& context, std::size_t segment,
                                          const std::string& field, bool byte_elements) {
  ScriptVectors out;
  out.context_ = &context;
  out.segment_ = context.view.segments[segment].segment.get();
  out.field_ = field;
  out.byte_elements_ = byte_elements;
  const auto shape = out.segment_->vectors(field);
  if (!shape || shape->rows == 0) return out;
  if (shape->bytes != byte_elements)
    return corrupt_object(out.segment_->name(), "vectors differ from their mapping");
  CAIRN_TRY(out.docs_, out.segment_->vector_docs(field, context.deadline));
  if (out.docs_.view.size() < std::size_t{shape->rows} * sizeof(std::uint32_t))
    return corrupt_object(out.segment_->name(), "vectors lack their documents");
  out.rows_ = shape->rows;
  out.dims_ = shape->dims;
  return out;
}

std::uint32_t ScriptVectors::doc_of(std::uint32_t row) const {
  return row_at<std::uint32_t>(docs_.view, row);
}

Result<std::span<const float>> ScriptVectors::of(std::uint32_t doc) {
  constexpr std::uint32_t rows_at_once = 64;
  // Documents mostly come in their order: the row is this one or the next.
  if (at_ + 1 < rows_ && doc_of(at_) < doc && doc_of(at_ + 1) <= doc) ++at_;
  if (at_ >= rows_ || doc_of(at_) != doc) {
    std::uint32_t low = 0, high = rows_;
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (doc_of(middle) < doc)
        low = middle + 1;
      else
        high = middle;
    }
    if (low == rows_ || doc_of(low) != doc) return std::span<const float>();
    at_ = low;
  }
  if (at_ < first_ || at_ >= first_ + count_) {
    first_ = at_;
    count_ = std::min(rows_at_once, rows_ - first_);
    CAIRN_TRY(read_, segment_->vector_rows(field_, first_, count_, false, context_->deadline));
  }
  const std::size_t row_bytes = byte_elements_ ? dims_ : dims_ * sizeof(float);
  const char* from = read_.view.data() + (at_ - first_) * row_bytes;
  numbers_.resize(dims_);
  if (!byte_elements_) {
    std::memcpy(numbers_.data(), from, row_bytes);
  } else {
    for (std::uint32_t i = 0; i < dims_; ++i)
      numbers_[i] = static_cast<float>(static_cast<std::int8_t>(from[i]));
  }
  return std::span<const float>(numbers_);
}

ScriptDocument::ScriptDocument(const QueryContext& context, std::size_t segment,
                               RuntimeSet* runtime)
    : context_(context), segment_(segment), runtime_(runtime) {}
ScriptDocument::~ScriptDocument() = default;

RuntimeSet& ScriptDocument::runtime() {
  if (runtime_ == nullptr) {
    own_runtime_ = std::make_unique<RuntimeSet>(context_, segment_);
    runtime_ = own_runtime_.get();
  }
  return *runtime_;
}

Status ScriptDocument::open(const std::vector<script::UsedField>& fields) {
  const SegmentView& view = context_.view.segments[segment_];
  for (const script::UsedField& used : fields) {
    Values values;
    if (used.facts.kind == FieldKind::vector) {
      CAIRN_TRY(values.vectors, ScriptVectors::open(context_, segment_, used.name,
                                                    used.facts.byte_elements));
    } else if (const Field* field = context_.view.mapping->find(used.name)) {
      if (field->runtime != nullptr) {
        CAIRN_TRY(values.runtime, runtime().open(*field));
      } else {
        CAIRN_TRY(values.numbers, ColumnNumbers::open(context_, segment_, *field));
        if (used.facts.kind == FieldKind::text) values.terms = view.segment->terms(used.name);
      }
    }
    values_.push_back(std::move(values));
  }
  return ok_status();
}

const Json* ScriptDocument::source() { return runtime().sources().of(doc_); }

std::size_t ScriptDocument::count(std::size_t field) {
  if (RuntimeValues* const made = values_[field].runtime)
    return made->go_to(doc_) ? made->count() : 0;
  const auto [first, last] = values_[field].numbers.range(doc_);
  return last - first;
}

bool ScriptDocument::first_whole(std::size_t field, std::int64_t& out) {
  if (RuntimeValues* const made = values_[field].runtime) {
    if (!made->go_to(doc_) || made->numbers().empty()) return false;
    out = made->numbers().front();
    return true;
  }
  const auto [first, last] = values_[field].numbers.range(doc_);
  if (first == last) return false;
  out = values_[field].numbers.raw(first);
  return true;
}

bool ScriptDocument::first_real(std::size_t field, double& out) {
  if (values_[field].runtime != nullptr) {
    std::int64_t key = 0;
    if (!first_whole(field, key)) return false;
    out = key_double(key);
    return true;
  }
  const auto [first, last] = values_[field].numbers.range(doc_);
  if (first == last) return false;
  out = values_[field].numbers.number(first);
  return true;
}

std::int64_t ScriptDocument::whole(std::size_t field, std::size_t i) {
  if (RuntimeValues* const made = values_[field].runtime)
    return made->go_to(doc_) && i < made->numbers().size() ? made->numbers()[i] : 0;
  const auto first = values_[field].numbers.range(doc_).first;
  return values_[field].numbers.raw(first + static_cast<std::uint32_t>(i));
}

double ScriptDocument::real(std::size_t field, std::size_t i) {
  if (values_[field].runtime != nullptr) return key_double(whole(field, i));
  const auto first = values_[field].numbers.range(doc_).first;
  return values_[field].numbers.number(first + static_cast<std::uint32_t>(i));
}

std::string ScriptDocument::text(std::size_t field, std::size_t i) {
  constexpr std::size_t known_max = 4'096;
  Values& values = values_[field];
  if (values.runtime != nullptr)
    return values.runtime->go_to(doc_) && i < values.runtime->texts().size()
               ? values.runtime->texts()[i]
               : std::string();
  const std::int64_t ordinal = whole(field, i);
  if (const auto found = values.known.find(ordinal); found != values.known.end())
    return found->second;
  (void)context_.steps.go_on(16);
  auto term = values.terms == nullptr
                  ? Result<std::string>(corrupt_object(
                        context_.view.segments[segment_].segment->name(), "a column lacks its terms"))
                  : values.terms->term_at(static_cast<std::uint64_t>(ordinal), context_.deadline);
  if (!term.ok()) {
    context_.steps.fail(term.error());
    return {};
  }
  if (values.known.size() >= known_max) values.known.clear();
  return values.known.emplace(ordinal, std::move(*term)).first->second;
}

std::span<const float> ScriptDocument::vector(std::size_t field) {
  auto& vectors = values_[field].vectors;
  if (!vectors) return {};
  const auto found = vectors->of(doc_);
  if (found.ok()) return *found;
  context_.steps.fail(found.error());
  return {};
}

double ScriptDocument::chance(std::int64_t seed, std::optional<std::size_t> field) {
  std::int64_t value = 0;
  if (!field) return chance_of(static_cast<std::uint64_t>(seed), std::uint64_t{segment_} << 32 | doc_);
  (void)first_whole(*field, value);
  return chance_of(static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(value));
}

}  // namespace cairn::index
