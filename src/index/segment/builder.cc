// SPDX-License-Identifier: Apache-2.0
#include "index/segment/builder.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/bytes.h"
#include "base/compress.h"
#include "base/hash.h"
#include "index/errors.h"
#include "index/segment/nested_section.h"
#include "index/segment/norms.h"
#include "index/segment/segment.h"
#include "index/segment/terms_writer.h"
#include "index/segment/vector_sections.h"
#include "index/vectors/vector_rules.h"

namespace cairn::index {

TermTable::TermTable() : slots_(64, 0) {}

std::uint32_t TermTable::add(std::string_view term) {
  const std::uint64_t hash = fast_hash(term);
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const std::uint32_t id = slots_[slot] - 1;
    if (hashes_[id] == hash && this->term(id) == term) return id;
  }
  const auto id = static_cast<std::uint32_t>(hashes_.size());
  slots_[slot] = id + 1;
  hashes_.push_back(hash);
  bytes_ += term;
  starts_.push_back(static_cast<std::uint32_t>(bytes_.size()));
  if (hashes_.size() * 2 > slots_.size()) grow();
  return id;
}

void TermTable::grow() {
  slots_.assign(slots_.size() * 2, 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t id = 0; id < hashes_.size(); ++id) {
    std::size_t slot = hashes_[id] & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = id + 1;
  }
}

std::vector<std::uint32_t> TermTable::sorted() const {
  std::vector<std::uint32_t> out(size());
  std::iota(out.begin(), out.end(), 0u);
  std::sort(out.begin(), out.end(),
            [&](std::uint32_t a, std::uint32_t b) { return term(a) < term(b); });
  return out;
}

std::size_t TermTable::memory_bytes() const {
  return bytes_.capacity() + starts_.capacity() * 4 + hashes_.capacity() * 8 +
         slots_.capacity() * 4;
}

/// What the documents so far have in one field.
struct SegmentBuilder::FieldBuilder {
  std::string name;
  std::uint32_t name_term = 0;  // in the field of names
  TermsKind kind = TermsKind::none;
  bool has_norms = false;

  // Occurrences in order of arrival: term, and position or weight; where each document's begin.
  TermTable terms;
  std::vector<std::uint32_t> occurrences;
  std::vector<std::uint32_t> details;
  std::vector<std::uint32_t> docs;    // documents (or chunks) with occurrences
  std::vector<std::uint32_t> starts;  // of each of `docs`
  std::uint64_t length_sum = 0;
  std::string norms;  // up to the last document that has the field

  bool has_column = false;
  bool column_of_terms = false;  // values are ordinals
  std::vector<std::uint32_t> column_docs;
  std::vector<std::uint32_t> column_counts;
  std::vector<std::int64_t> column_values;  // numbers, or term ids

  std::uint32_t dims = 0;
  bool byte_vectors = false;
  std::string vectors;
  std::vector<std::uint32_t> vector_docs;
  std::vector<ChunkRow> chunks;
  bool has_chunks = false;
  VectorRules rules;

  void begin(std::uint32_t doc) {
    docs.push_back(doc);
    starts.push_back(static_cast<std::uint32_t>(occurrences.size()));
  }
  void add_vector(const std::vector<float>& vector) {
    dims = static_cast<std::uint32_t>(vector.size());
    if (!byte_vectors) {
      vectors.append(reinterpret_cast<const char*>(vector.data()), vector.size() * sizeof(float));
      return;
    }
    for (const float v : vector) vectors += static_cast<char>(static_cast<std::int8_t>(v));
  }
  Status write(SegmentOut& out, std::uint32_t doc_count) const;
  void write_terms(SegmentOut& out, std::uint32_t doc_count, FieldStatistics& statistics) const;
  void write_column(SegmentOut& out, std::uint32_t doc_count) const;
  Status write_vectors(SegmentOut& out, std::uint32_t doc_count, FieldStatistics& statistics) const;
};

namespace {

/// Occurrences sorted by term: for term t, those in [starts[t], starts[t + 1]).
struct Inverted {
  std::vector<std::uint32_t> starts, docs, details;
};

Inverted invert(const SegmentBuilder::FieldBuilder& field) {
  Inverted out;
  out.starts.assign(field.terms.size() + 1, 0);
  for (const std::uint32_t term : field.occurrences) ++out.starts[term + 1];
  std::partial_sum(out.starts.begin(), out.starts.end(), out.starts.begin());
  std::vector<std::uint32_t> at(out.starts.begin(), out.starts.end() - 1);
  out.docs.resize(field.occurrences.size());
  out.details.resize(field.details.size());
  for (std::size_t i = 0; i < field.docs.size(); ++i) {
    const std::size_t end =
        i + 1 < field.starts.size() ? field.starts[i + 1] : field.occurrences.size();
    for (std::size_t o = field.starts[i]; o < end; ++o) {
      const std::uint32_t to = at[field.occurrences[o]]++;
      out.docs[to] = field.docs[i];
      if (!field.details.empty()) out.details[to] = field.details[o];
    }
  }
  return out;
}

// One term's occurrences, document by document.
void write_term(TermsWriter& writer, const Inverted& all, std::uint32_t term, TermsKind kind) {
  for (std::size_t i = all.starts[term]; i < all.starts[term + 1];) {
    const std::uint32_t doc = all.docs[i];
    std::size_t end = i;
    if (kind == TermsKind::weights) {
      // A token that came twice counts with its greater weight.
      std::uint32_t weight = 0;
      for (; end < all.starts[term + 1] && all.docs[end] == doc; ++end)
        weight = std::max(weight, all.details[end]);
      writer.add(doc, weight);
      i = end;
      continue;
    }
    while (end < all.starts[term + 1] && all.docs[end] == doc) ++end;
    const auto freq = static_cast<std::uint32_t>(end - i);
    if (kind == TermsKind::positions)
      writer.add(doc, freq, std::span(all.details).subspan(i, freq));
    else
      writer.add(doc, kind == TermsKind::freqs ? freq : 1);
    i = end;
  }
}

}  // namespace

void SegmentBuilder::FieldBuilder::write_terms(SegmentOut& out, std::uint32_t doc_count,
                                               FieldStatistics& statistics) const {
  std::string all_norms = norms;
  if (has_norms) all_norms.resize(doc_count, '\0');
  statistics.has_norms = has_norms;
  statistics.doc_count = docs.size();
  const float average =
      docs.empty()
          ? 1.0f
          : static_cast<float>(static_cast<double>(length_sum) / static_cast<double>(docs.size()));
  statistics.bound_average = average;
  TermsWriter writer(kind, all_norms, average);
  const Inverted inverted = invert(*this);
  for (const std::uint32_t term : terms.sorted()) {
    writer.begin_term(terms.term(term));
    write_term(writer, inverted, term, kind);
  }
  writer.finish(out, name, statistics);
  if (has_norms) out.hot_section(SectionKind::norms, name, std::move(all_norms));
}

void SegmentBuilder::FieldBuilder::write_column(SegmentOut& out, std::uint32_t doc_count) const {
  std::vector<std::int64_t> ordinals;
  if (column_of_terms) {
    ordinals.resize(terms.size());
    std::int64_t next = 0;
    for (const std::uint32_t term : terms.sorted()) ordinals[term] = next++;
  }
  ColumnWriter writer;
  std::vector<std::int64_t> values;
  std::size_t at = 0, value = 0;
  for (std::uint32_t doc = 0; doc < doc_count; ++doc) {
    values.clear();
    if (at < column_docs.size() && column_docs[at] == doc) {
      for (std::uint32_t n = column_counts[at++]; n > 0; --n, ++value)
        values.push_back(column_of_terms ? ordinals[static_cast<std::size_t>(column_values[value])]
                                         : column_values[value]);
    }
    writer.add(values);
  }
  out.section(SectionKind::column, name, writer.finish());
}

Status SegmentBuilder::FieldBuilder::write_vectors(SegmentOut& out, std::uint32_t doc_count,
                                                   FieldStatistics& statistics) const {
  statistics.dims = dims;
  statistics.byte_vectors = byte_vectors;
  if (dims > 0) out.section(SectionKind::vectors, name, vectors);
  if (has_chunks) {
    statistics.rows = static_cast<std::uint32_t>(chunks.size());
    out.section(SectionKind::chunks, name,
                {reinterpret_cast<const char*>(chunks.data()), chunks.size() * sizeof(ChunkRow)});
  } else if (dims > 0) {
    statistics.rows = static_cast<std::uint32_t>(vector_docs.size());
    out.section(SectionKind::vector_docs, name,
                {reinterpret_cast<const char*>(vector_docs.data()), vector_docs.size() * 4});
  }
  if (dims == 0 || !wants_vector_index(rules, statistics.rows)) return ok_status();
  const os::Deadline never = os::Deadline::never();
  os::Steps steps(never, "writing a segment");
  VectorIndexWriter writer(rules, dims, statistics.rows);
  writer.see(vectors);
  if (!writer.usable()) return ok_status();
  CAIRN_CHECK(writer.train({}, steps));
  CAIRN_CHECK(writer.add(vectors, steps));
  std::vector<std::uint32_t> owners = vector_docs;
  for (const ChunkRow& chunk : chunks) owners.push_back(chunk.doc);
  write_vector_index(writer, name, std::move(owners), doc_count, out);
  return ok_status();
}

Status SegmentBuilder::FieldBuilder::write(SegmentOut& out, std::uint32_t doc_count) const {
  FieldStatistics statistics{.field = name};
  CAIRN_CHECK(write_vectors(out, doc_count, statistics));
  if (has_column) {
    write_column(out, doc_count);
    statistics.column = column_of_terms ? ColumnKind::ordinals : ColumnKind::numbers;
  }
  if (kind != TermsKind::none) write_terms(out, doc_count, statistics);
  out.footer().fields.push_back(std::move(statistics));
  return ok_status();
}

SegmentBuilder::SegmentBuilder()
    : sources_([this](std::string_view block) { stored_ += block; }, 1) {
  names_ = std::make_unique<FieldBuilder>();
  names_->name = field_names_field;
  names_->kind = TermsKind::plain;
}

SegmentBuilder::~SegmentBuilder() = default;

SegmentBuilder::FieldBuilder& SegmentBuilder::field(const Field& field) {
  const auto found = fields_.find(field.name);
  if (found != fields_.end()) return *found->second;
  auto made = std::make_unique<FieldBuilder>();
  made->name = field.name;
  made->name_term = names_->terms.add(field.name);
  switch (field.type) {
    case FieldType::text:
      made->kind = field.index_options == IndexOptions::docs    ? TermsKind::plain
                   : field.index_options == IndexOptions::freqs ? TermsKind::freqs
                                                                : TermsKind::positions;
      made->has_norms = field.norms;
      break;
    case FieldType::keyword:
      made->kind = TermsKind::plain;
      made->has_column = made->column_of_terms = field.doc_values;
      break;
    case FieldType::completion:
      made->kind = TermsKind::plain;
      break;
    case FieldType::boolean:
      made->kind = TermsKind::plain;
      made->has_column = true;
      break;
    case FieldType::binary:
      break;  // only that there is one
    case FieldType::sparse_vector:
      made->kind = TermsKind::weights;
      break;
    case FieldType::dense_vector:
      made->byte_vectors = field.byte_elements;
      made->rules = vector_rules(field);
      break;
    case FieldType::semantic_text:
      made->has_chunks = true;
      made->rules.is_exact = field.exact_vectors;
      break;
    default:
      made->has_column = true;
      break;
  }
  return *fields_.emplace(field.name, std::move(made)).first->second;
}

SegmentBuilder::FieldBuilder& SegmentBuilder::known_field(
    const std::shared_ptr<const Mapping>& mapping, const Field& field) {
  if (known_mapping_ != mapping) {
    known_fields_.clear();
    known_mapping_ = mapping;
  }
  FieldBuilder*& known = known_fields_[&field];
  if (known == nullptr) known = &this->field(field);
  return *known;
}

void SegmentBuilder::add_text(FieldBuilder& to, const FieldValues& values, std::uint32_t doc) {
  const auto& list = values.tokens.list;
  if (to.has_norms) to.norms.resize(doc + 1, '\0');
  if (list.empty()) return;
  to.begin(doc);
  std::uint32_t length = 0;
  std::uint32_t last_position = UINT32_MAX;
  for (const text::Token& token : list) {
    to.occurrences.push_back(to.terms.add(values.tokens.term(token)));
    to.details.push_back(token.position);
    // Several tokens at one position count once in the length.
    length += token.position != last_position ? 1 : 0;
    last_position = token.position;
  }
  to.length_sum += length;
  if (to.has_norms) to.norms[doc] = static_cast<char>(encode_length(length));
  memory_ += list.size() * 8;
}

void SegmentBuilder::add_exact(FieldBuilder& to, std::vector<std::string>& terms,
                               std::uint32_t doc) {
  if (terms.size() > 1) {
    std::sort(terms.begin(), terms.end());
    terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
  }
  if (terms.empty()) return;
  to.begin(doc);
  to.length_sum += terms.size();
  for (const std::string& term : terms) {
    const std::uint32_t id = to.terms.add(term);
    to.occurrences.push_back(id);
    if (to.column_of_terms) to.column_values.push_back(id);
    memory_ += term.size() / 4 + 12;
  }
  if (!to.column_of_terms) return;
  to.column_docs.push_back(doc);
  to.column_counts.push_back(static_cast<std::uint32_t>(terms.size()));
}

void SegmentBuilder::add_semantic(FieldBuilder& to, const SemanticValue& value, std::uint32_t doc) {
  const bool sparse = value.model_settings.task_type == "sparse_embedding";
  if (sparse) to.kind = TermsKind::weights;
  to.byte_vectors = value.model_settings.element_type == "byte";
  const auto similarity = similarity_of(value.model_settings.similarity);
  const Field rules{.name = to.name,
                    .byte_elements = to.byte_vectors,
                    .similarity = similarity.value_or(Similarity::cosine)};
  to.rules = vector_rules(rules.similarity, to.byte_vectors, to.rules.is_exact);
  for (const SemanticChunk& chunk : value.chunks) {
    const auto row = static_cast<std::uint32_t>(to.chunks.size());
    to.chunks.push_back({.doc = doc, .input = chunk.input, .start = chunk.start, .end = chunk.end});
    memory_ += sizeof(ChunkRow) + chunk.dense.size() * 4 + chunk.sparse.size() * 16;
    if (!sparse) {
      // A vector that does not fit (which no model gives) is kept as it came: it finds nothing.
      auto checked = checked_vector(rules, chunk.dense);
      to.add_vector(checked ? *checked : chunk.dense);
      continue;
    }
    if (chunk.sparse.empty()) continue;
    to.begin(row);
    for (const auto& [token, weight] : chunk.sparse) {
      if (!(weight > 0)) continue;
      to.occurrences.push_back(to.terms.add(token));
      to.details.push_back(encode_weight(weight));
    }
  }
}

std::uint32_t SegmentBuilder::add(ParsedDocument&& doc, std::int64_t version, std::int64_t seq_no) {
  const std::uint32_t number = doc_count_++;
  add_fields(doc.mapping, doc.fields, number);
  add_nested(doc.mapping, doc.nested, number);
  sources_.add(doc.source);
  memory_ += doc.source.size() / 2 + doc.id.size() + 64;
  ids_.push_back(std::move(doc.id));
  versions_.add({&version, 1});
  seq_nos_.add({&seq_no, 1});
  min_seq_no_ = std::min(min_seq_no_, seq_no);
  max_seq_no_ = std::max(max_seq_no_, seq_no);
  return number;
}

void SegmentBuilder::add_nested(const std::shared_ptr<const Mapping>& mapping,
                                std::vector<NestedObject>& objects, std::uint32_t doc) {
  for (NestedObject& object : objects) {
    NestedBuilder& to = nested_[object.field->name];
    if (to.objects == nullptr) to.objects = std::make_unique<SegmentBuilder>();
    SegmentBuilder& own = *to.objects;
    const std::size_t before = own.memory_;
    const std::uint32_t number = own.doc_count_++;
    own.add_fields(mapping, object.fields, number);
    own.add_nested(mapping, object.nested, number);
    to.parents.push_back(doc);
    memory_ += own.memory_ - before + sizeof(std::uint32_t);
  }
}

void SegmentBuilder::add_fields(const std::shared_ptr<const Mapping>& mapping,
                                std::vector<FieldValues>& fields, std::uint32_t number) {
  names_->begin(number);
  for (FieldValues& values : fields) {
    if (values.field == metadata_field(ignored_field_name)) ignored_[number] = values.terms;
    if (values.field == metadata_field(routing_field_name)) {
      routing_[number] = values.terms.front();
      memory_ += values.terms.front().size() + 64;
    }
    FieldBuilder& to = known_field(mapping, *values.field);
    names_->occurrences.push_back(to.name_term);
    switch (values.field->type) {
      case FieldType::text:
        add_text(to, values, number);
        break;
      case FieldType::keyword:
      case FieldType::completion:
        add_exact(to, values.terms, number);
        break;
      case FieldType::boolean:
        add_exact(to, values.terms, number);
        break;
      case FieldType::binary:
        break;
      case FieldType::dense_vector:
        to.add_vector(values.vector);
        to.vector_docs.push_back(number);
        memory_ += values.vector.size() * 4 + 4;
        break;
      case FieldType::sparse_vector:
        to.begin(number);
        for (const auto& [token, weight] : values.weights) {
          to.occurrences.push_back(to.terms.add(token));
          to.details.push_back(encode_weight(weight));
        }
        memory_ += values.weights.size() * 10;
        break;
      case FieldType::semantic_text:
        add_semantic(to, *values.semantic, number);
        break;
      default:
        break;
    }
    if (!values.numbers.empty() && to.has_column) {
      to.column_docs.push_back(number);
      to.column_counts.push_back(static_cast<std::uint32_t>(values.numbers.size()));
      to.column_values.insert(to.column_values.end(), values.numbers.begin(), values.numbers.end());
      memory_ += 16;
    }
  }
  if (names_->starts.back() == names_->occurrences.size()) {
    names_->docs.pop_back();
    names_->starts.pop_back();
  }
  names_->length_sum += fields.size();
  memory_ += fields.size() * 12;
}

Result<std::string> SegmentBuilder::source(std::uint32_t doc) const {
  if (doc >= sources_.open_block_start()) {
    const auto found = stored_at(sources_.open_block(), doc - sources_.open_block_start());
    if (found) return std::string(*found);
  }
  const auto& firsts = sources_.first_documents();
  const auto after = std::upper_bound(firsts.begin(), firsts.end(), doc);
  const auto block = static_cast<std::size_t>(after - firsts.begin()) - 1;
  const std::uint64_t start = sources_.offsets()[block];
  const std::uint64_t end =
      block + 1 < firsts.size() ? sources_.offsets()[block + 1] : sources_.written();
  CAIRN_TRY(const std::string raw,
            unzstd(std::string_view(stored_).substr(start, end - start), SIZE_MAX));
  const auto found = stored_at(raw, doc - firsts[block]);
  if (!found) return corrupt_object("(in memory)", "a document is missing");
  return std::string(*found);
}

std::vector<std::string> SegmentBuilder::ignored(std::uint32_t doc) const {
  const auto found = ignored_.find(doc);
  return found == ignored_.end() ? std::vector<std::string>() : found->second;
}

std::string SegmentBuilder::routing(std::uint32_t doc) const {
  const auto found = routing_.find(doc);
  return found == routing_.end() ? std::string() : found->second;
}

void SegmentBuilder::close() { stored_blocks_ = sources_.finish(); }

Status SegmentBuilder::write_fields(SegmentOut& out) const {
  for (const auto& [name, field] : fields_) CAIRN_CHECK(field->write(out, doc_count_));
  CAIRN_CHECK(names_->write(out, doc_count_));
  CAIRN_CHECK(write_nested(out));
  out.footer().doc_count = doc_count_;
  return ok_status();
}

Status SegmentBuilder::write_values(SegmentOut& out, std::uint32_t doc_count) {
  doc_count_ = doc_count;
  CAIRN_CHECK(write_fields(out));
  return out.finish();
}

// The objects of a nested field are a segment in a section of this one.
Status SegmentBuilder::write_nested(SegmentOut& out) const {
  for (const auto& [path, nested] : nested_) {
    CAIRN_CHECK(write_nested_section(out, path, nested.parents, [&](SegmentOut& inner) -> Status {
      CAIRN_CHECK(nested.objects->write_fields(inner));
      return inner.finish();
    }));
  }
  return ok_status();
}

Status SegmentBuilder::write(SegmentOut& out) const {
  out.section(SectionKind::stored, {}, stored_);
  IdsWriter ids;
  for (const std::string& id : ids_) ids.add(id);
  ids.finish(out);
  out.section(SectionKind::versions, {}, versions_.finish());
  out.section(SectionKind::seq_nos, {}, seq_nos_.finish());
  CAIRN_CHECK(write_fields(out));
  out.hot_section(SectionKind::stored_blocks, {}, stored_blocks_);
  out.footer().min_seq_no = doc_count_ > 0 ? min_seq_no_ : 0;
  out.footer().max_seq_no = max_seq_no_;
  return out.finish();
}

}  // namespace cairn::index
