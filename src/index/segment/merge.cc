// SPDX-License-Identifier: Apache-2.0
#include "index/segment/merge.h"

#include <algorithm>
#include <set>

#include "base/bytes.h"
#include "base/compress.h"
#include "index/errors.h"
#include "index/segment/column.h"
#include "index/segment/nested_section.h"
#include "index/segment/terms_writer.h"
#include "index/segment/vector_sections.h"
#include "index/vectors/vector_rules.h"
#include "os/steps.h"

namespace cairn::index {
namespace {

constexpr std::uint32_t gone = UINT32_MAX;
constexpr std::size_t vector_batch_bytes = 1u << 20;
constexpr std::size_t bytes_of_a_step = 64;

class Merger {
 public:
  Merger(const std::vector<MergeInput>& inputs, const DocumentMaps& maps, const Mapping& mapping,
         SegmentOut& out, const os::Deadline& deadline)
      : inputs_(inputs), maps_(maps), mapping_(mapping), out_(out), deadline_(deadline) {
    for (const auto& map : maps_)
      for (const std::uint32_t doc : map) total_ += doc != gone ? 1 : 0;
  }

  Status run() {
    CAIRN_CHECK(merge_stored());
    CAIRN_CHECK(merge_ids());
    CAIRN_CHECK(merge_numbers(SectionKind::versions));
    CAIRN_CHECK(merge_numbers(SectionKind::seq_nos));
    return merge_fields();
  }

  /// What documents and the objects in them have alike.
  Status merge_fields() {
    std::set<std::string> names;
    for (const MergeInput& input : inputs_)
      for (const FieldStatistics& f : input.segment->footer().fields) names.insert(f.field);
    for (const std::string& name : names) CAIRN_CHECK(merge_field(name));
    CAIRN_CHECK(merge_nested());
    out_.footer().doc_count = total_;
    return out_.finish();
  }

 private:
  const FieldStatistics* statistics(std::size_t input, std::string_view field) const {
    return inputs_[input].segment->footer().field(field);
  }

  // Objects go where their documents go. The recursion is as deep as nested fields stand in one
  // another.
  Status merge_nested() {
    std::set<std::string> paths;
    for (const MergeInput& input : inputs_)
      for (const NestedPart& part : input.segment->nested_parts()) paths.insert(part.path);
    for (const std::string& path : paths) {
      std::vector<MergeInput> objects;
      std::vector<std::uint32_t> parents;
      for (std::size_t i = 0; i < inputs_.size(); ++i) {
        const NestedPart* part = inputs_[i].segment->nested(path);
        if (part == nullptr) continue;
        CAIRN_CHECK(steps_.take(part->objects->doc_count()));
        objects.push_back(objects_of(*part, maps_[i], parents));
      }
      if (parents.empty()) continue;
      const DocumentMaps maps = map_documents(objects);
      CAIRN_CHECK(write_nested_section(out_, path, parents, [&](SegmentOut& inner) {
        return Merger(objects, maps, mapping_, inner, deadline_).merge_fields();
      }));
    }
    return ok_status();
  }

  // Adds the new documents of those that stay to `parents`.
  static MergeInput objects_of(const NestedPart& part, const std::vector<std::uint32_t>& map,
                               std::vector<std::uint32_t>& parents) {
    const std::uint32_t count = part.objects->doc_count();
    MergeInput out{.segment = part.objects, .deleted = BitSet(count)};
    for (std::uint32_t object = 0; object < count; ++object) {
      const std::uint32_t parent = map[part.parent(object)];
      if (parent == gone)
        out.deleted.set(object);
      else
        parents.push_back(parent);
    }
    return out;
  }

  Status merge_stored() {
    out_.begin(SectionKind::stored);
    StoredWriter writer([&](std::string_view block) { out_.write(block); }, 3);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const Segment& segment = *inputs_[i].segment;
      const StoredBlocks& blocks = segment.stored_blocks();
      for (std::size_t b = 0; b < blocks.count(); ++b) {
        CAIRN_TRY(const Bytes bytes, segment.stored_block(b, true, deadline_));
        CAIRN_CHECK(steps_.take(1 + bytes.view.size() / bytes_of_a_step));
        const std::uint32_t first = blocks.first_documents[b];
        const std::uint32_t end =
            b + 1 < blocks.count() ? blocks.first_documents[b + 1] : segment.doc_count();
        CAIRN_CHECK(merge_block(writer, maps_[i], bytes.view, first, end));
      }
    }
    out_.hot_section(SectionKind::stored_blocks, {}, writer.finish());
    return ok_status();
  }

  // Small blocks are taken apart and packed anew; full ones without deletions are copied.
  static Status merge_block(StoredWriter& writer, const std::vector<std::uint32_t>& map,
                            std::string_view bytes, std::uint32_t first, std::uint32_t end) {
    const auto from = map.begin() + first, to = map.begin() + end;
    const bool whole = std::find(from, to, gone) == to;
    if (whole && bytes.size() >= stored_block_bytes / 8) {
      writer.add_block(bytes, end - first);
      return ok_status();
    }
    CAIRN_TRY(const std::string raw, unzstd(bytes, SIZE_MAX));
    ByteReader in(raw);
    for (std::uint32_t doc = first; doc < end; ++doc) {
      const auto source = in.string();
      if (!source) return corrupt_object("a segment", "a block of documents is damaged");
      if (map[doc] != gone) writer.add(*source);
    }
    return ok_status();
  }

  Status merge_ids() {
    IdsWriter writer;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      CAIRN_TRY(const Bytes bytes,
                inputs_[i].segment->section(SectionKind::ids, {}, true, deadline_));
      ByteReader in(bytes.view);
      for (const std::uint32_t to : maps_[i]) {
        CAIRN_CHECK(steps_.take());
        const auto id = in.string();
        if (!id) return corrupt_object(inputs_[i].segment->name(), "its ids are damaged");
        if (to != gone) writer.add(*id);
      }
    }
    writer.finish(out_);
    return ok_status();
  }

  Status merge_numbers(SectionKind kind) {
    ColumnWriter writer;
    std::int64_t least = INT64_MAX, greatest = -1;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      CAIRN_TRY(const auto column, inputs_[i].segment->column(kind, deadline_));
      if (column == nullptr || column->reader.documents() != maps_[i].size())
        return corrupt_object(inputs_[i].segment->name(), "a column is missing");
      for (std::uint32_t doc = 0; doc < maps_[i].size(); ++doc) {
        CAIRN_CHECK(steps_.take());
        if (maps_[i][doc] == gone) continue;
        const std::int64_t value = column->reader.value(doc);
        least = std::min(least, value);
        greatest = std::max(greatest, value);
        writer.add({&value, 1});
      }
    }
    if (kind == SectionKind::seq_nos) {
      out_.footer().min_seq_no = total_ > 0 ? least : 0;
      out_.footer().max_seq_no = greatest;
    }
    out_.section(kind, {}, writer.finish());
    return ok_status();
  }

  Status merge_field(const std::string& name) {
    CAIRN_CHECK(steps_.take());
    FieldStatistics merged{.field = name};
    std::vector<std::vector<std::uint32_t>> rows;  // of chunks, where the field has them
    CAIRN_CHECK(merge_rows(name, merged, rows));
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const FieldStatistics* s = statistics(i, name);
      if (s == nullptr) continue;
      if (s->terms != TermsKind::none) merged.terms = s->terms;
      if (s->column != ColumnKind::none) merged.column = s->column;
      merged.has_norms |= s->has_norms;
    }
    std::vector<std::vector<std::uint32_t>> ordinals(inputs_.size());
    if (merged.terms != TermsKind::none) CAIRN_CHECK(merge_terms(name, merged, rows, ordinals));
    if (merged.column != ColumnKind::none) CAIRN_CHECK(merge_column(name, merged, ordinals));
    out_.footer().fields.push_back(std::move(merged));
    return ok_status();
  }

  Result<std::string> merge_norms(const std::string& name) {
    std::string out;
    out.reserve(total_);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      CAIRN_CHECK(steps_.take(maps_[i].size() / bytes_of_a_step));
      const std::string_view norms = inputs_[i].segment->norms(name);
      for (std::uint32_t doc = 0; doc < maps_[i].size(); ++doc)
        if (maps_[i][doc] != gone) out += norms.empty() ? '\0' : norms[doc];
    }
    return out;
  }

  float average_length(const std::string& name) const {
    double terms = 0, docs = 0;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const FieldStatistics* s = statistics(i, name);
      if (s == nullptr) continue;
      terms += static_cast<double>(s->sum_total_freq);
      docs += static_cast<double>(s->doc_count);
    }
    return docs > 0 ? static_cast<float>(terms / docs) : 1.0f;
  }

  Status merge_terms(const std::string& name, FieldStatistics& merged,
                     const std::vector<std::vector<std::uint32_t>>& rows,
                     std::vector<std::vector<std::uint32_t>>& ordinals) {
    struct Source {
      std::size_t input;
      TermsWalk walk;
      const TermsReader* reader;
    };
    std::vector<Source> sources;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const TermsReader* reader = inputs_[i].segment->terms(name);
      if (reader == nullptr) continue;
      Source source{.input = i, .walk = TermsWalk(*reader, true), .reader = reader};
      CAIRN_TRY(const bool any, source.walk.next(deadline_));
      ordinals[i].assign(reader->statistics().term_count, gone);
      if (any) sources.push_back(std::move(source));
    }
    CAIRN_TRY(const std::string norms,
              merged.has_norms ? merge_norms(name) : Result<std::string>(std::string()));
    merged.bound_average = average_length(name);
    TermsWriter writer(merged.terms, norms, merged.bound_average);
    BitSet with_terms(rows.empty() ? total_ : merged.rows);
    std::uint32_t next_ordinal = 0;
    std::string least;
    while (!sources.empty()) {
      CAIRN_CHECK(steps_.take(sources.size()));
      const auto first = std::min_element(
          sources.begin(), sources.end(),
          [](const Source& a, const Source& b) { return a.walk.term() < b.walk.term(); });
      least = first->walk.term();
      writer.begin_term(least);
      bool kept = false;
      for (auto at = sources.begin(); at != sources.end();) {
        if (at->walk.term() != least) {
          ++at;
          continue;
        }
        const auto& map = rows.empty() ? maps_[at->input] : rows[at->input];
        CAIRN_TRY(const bool any,
                  copy_postings(*at->reader, at->walk.entry(), map, writer, with_terms));
        if (any) ordinals[at->input][at->walk.entry().ordinal] = next_ordinal;
        kept |= any;
        CAIRN_TRY(const bool more, at->walk.next(deadline_));
        at = more ? at + 1 : sources.erase(at);
      }
      next_ordinal += kept ? 1 : 0;
    }
    merged.doc_count = with_terms.count();
    writer.finish(out_, name, merged);
    if (merged.has_norms) out_.hot_section(SectionKind::norms, name, norms);
    return ok_status();
  }

  // True where any document is left.
  Result<bool> copy_postings(const TermsReader& reader, const TermEntry& entry,
                             const std::vector<std::uint32_t>& map, TermsWriter& writer,
                             BitSet& with_terms) {
    CAIRN_TRY(PostingsCursor cursor, reader.postings(entry, deadline_));
    PositionsReader positions;
    const bool with_positions = reader.kind() == TermsKind::positions;
    if (with_positions) {
      CAIRN_TRY(positions, reader.positions(entry, deadline_));
    }
    PostingsIterator at(std::move(cursor));
    std::vector<std::uint32_t> list;
    bool any = false;
    for (std::uint32_t doc = at.doc(); doc != no_more; doc = at.next()) {
      if (doc >= map.size()) return corrupt_object("a segment", "a document is out of range");
      CAIRN_CHECK(steps_.take(1 + list.size()));  // of the one before
      if (map[doc] == gone) continue;
      if (with_positions) positions.read(at, list);
      writer.add(map[doc], at.freq(), list);
      with_terms.set(map[doc]);
      any = true;
    }
    if (at.cursor().damaged()) return corrupt_object("a segment", "postings are damaged");
    return any;
  }

  Status merge_column(const std::string& name, const FieldStatistics& merged,
                      const std::vector<std::vector<std::uint32_t>>& ordinals) {
    ColumnWriter writer;
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      CAIRN_TRY(const auto column, inputs_[i].segment->column(name, deadline_));
      for (std::uint32_t doc = 0; doc < maps_[i].size(); ++doc) {
        CAIRN_CHECK(steps_.take(1 + values.size()));  // of the one before
        if (maps_[i][doc] == gone) continue;
        values.clear();
        if (column != nullptr) {
          const auto [first, last] = column->reader.range(doc);
          for (std::uint32_t v = first; v < last; ++v) values.push_back(column->reader.value(v));
        }
        if (merged.column == ColumnKind::ordinals) {
          for (std::int64_t& value : values) {
            if (static_cast<std::uint64_t>(value) >= ordinals[i].size() ||
                ordinals[i][static_cast<std::size_t>(value)] == gone)
              return corrupt_object(inputs_[i].segment->name(), "a column is damaged");
            value = ordinals[i][static_cast<std::size_t>(value)];
          }
        }
        writer.add(values);
      }
    }
    out_.section(SectionKind::column, name, writer.finish());
    return ok_status();
  }

  // Vectors with their documents, or the chunks of a semantic field with their vectors.
  Status merge_rows(const std::string& name, FieldStatistics& merged,
                    std::vector<std::vector<std::uint32_t>>& rows) {
    std::string docs;
    bool chunked = false;
    std::vector<std::vector<bool>> keep(inputs_.size());
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const FieldStatistics* s = statistics(i, name);
      if (s == nullptr || s->rows == 0) continue;
      if (s->dims > 0) merged.dims = s->dims;
      merged.byte_vectors |= s->byte_vectors;
      CAIRN_TRY(const Bytes chunks, inputs_[i].segment->chunks(name, deadline_));
      if (!chunks.view.empty()) {
        chunked = true;
        rows.resize(inputs_.size());
      }
      CAIRN_TRY(const Bytes owners, chunks.view.empty()
                                        ? inputs_[i].segment->vector_docs(name, deadline_)
                                        : Result<Bytes>(chunks));
      CAIRN_CHECK(
          map_rows(i, owners.view, !chunks.view.empty(), s->rows, merged, docs, keep[i], rows));
    }
    std::unique_ptr<VectorIndexWriter> index = index_writer(name, merged);
    if (merged.dims > 0) {
      out_.begin(SectionKind::vectors, name);
      CAIRN_CHECK(for_vectors(name, merged, keep, [&](std::string_view row) {
        out_.write(row);
        if (index != nullptr) index->see(row);
        return ok_status();
      }));
    }
    if (chunked)
      out_.section(SectionKind::chunks, name, docs);
    else if (merged.dims > 0)
      out_.section(SectionKind::vector_docs, name, docs);
    if (index == nullptr || !index->usable()) return ok_status();
    return build_index(name, merged, keep, *index, docs, chunked);
  }

  // Null where the field gets none.
  std::unique_ptr<VectorIndexWriter> index_writer(const std::string& name,
                                                  const FieldStatistics& merged) const {
    const Field* field = mapping_.find_mapped(name);
    if (field == nullptr || merged.dims == 0) return nullptr;
    const VectorRules rules = vector_rules(*field);
    if (rules.bytes != merged.byte_vectors || !wants_vector_index(rules, merged.rows))
      return nullptr;
    return std::make_unique<VectorIndexWriter>(rules, merged.dims, merged.rows);
  }

  // The centroids that the inputs have are where those of the output begin.
  Status build_index(const std::string& name, const FieldStatistics& merged,
                     const std::vector<std::vector<bool>>& keep, VectorIndexWriter& index,
                     std::string_view docs, bool chunked) {
    std::vector<float> start;
    for (const MergeInput& input : inputs_) {
      const VectorIndex* known = input.segment->vector_index(name);
      if (known != nullptr)
        start.insert(start.end(), known->centroids().begin(), known->centroids().end());
    }
    CAIRN_CHECK(index.train(start, steps_));
    std::string batch;
    CAIRN_CHECK(for_vectors(name, merged, keep, [&](std::string_view row) -> Status {
      batch += row;
      if (batch.size() < vector_batch_bytes) return ok_status();
      CAIRN_CHECK(index.add(batch, steps_));
      batch.clear();
      return ok_status();
    }));
    CAIRN_CHECK(index.add(batch, steps_));
    std::vector<std::uint32_t> owners(merged.rows);
    for (std::uint32_t row = 0; row < merged.rows; ++row)
      owners[row] = chunked ? row_at<ChunkRow>(docs, row).doc : row_at<std::uint32_t>(docs, row);
    write_vector_index(index, name, std::move(owners), total_, out_);
    return ok_status();
  }

  Status map_rows(std::size_t input, std::string_view owners, bool chunked, std::uint32_t count,
                  FieldStatistics& merged, std::string& docs, std::vector<bool>& keep,
                  std::vector<std::vector<std::uint32_t>>& rows) {
    const auto& map = maps_[input];
    keep.assign(count, false);
    if (chunked) rows[input].assign(count, gone);
    for (std::uint32_t row = 0; row < count; ++row) {
      CAIRN_CHECK(steps_.take());
      ChunkRow chunk;
      if (chunked)
        chunk = row_at<ChunkRow>(owners, row);
      else
        chunk.doc = row_at<std::uint32_t>(owners, row);
      if (chunk.doc >= map.size())
        return corrupt_object(inputs_[input].segment->name(), "a vector has no document");
      chunk.doc = map[chunk.doc];
      if (chunk.doc == gone) continue;
      keep[row] = true;
      if (chunked) {
        rows[input][row] = merged.rows;
        docs.append(reinterpret_cast<const char*>(&chunk), sizeof chunk);
      } else {
        put_u32le(docs, chunk.doc);
      }
      ++merged.rows;
    }
    return ok_status();
  }

  // Calls `each(row)` for every row that is kept, in order.
  template <class Each>
  Status for_vectors(const std::string& name, const FieldStatistics& merged,
                     const std::vector<std::vector<bool>>& keep, Each each) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const auto shape = inputs_[i].segment->vectors(name);
      if (!shape) continue;
      if (shape->dims != merged.dims)
        return corrupt_object(inputs_[i].segment->name(), "vectors differ in dimensions");
      const std::size_t row_bytes = shape->row_bytes();
      const auto batch =
          static_cast<std::uint32_t>(std::max<std::size_t>(1, vector_batch_bytes / row_bytes));
      for (std::uint32_t first = 0; first < shape->rows; first += batch) {
        const std::uint32_t count = std::min(batch, shape->rows - first);
        CAIRN_CHECK(steps_.take(1 + count * row_bytes / bytes_of_a_step));
        CAIRN_TRY(const Bytes bytes,
                  inputs_[i].segment->vector_rows(name, first, count, true, deadline_));
        for (std::uint32_t r = 0; r < count; ++r)
          if (keep[i][first + r]) CAIRN_CHECK(each(bytes.view.substr(r * row_bytes, row_bytes)));
      }
    }
    return ok_status();
  }

  const std::vector<MergeInput>& inputs_;
  const DocumentMaps& maps_;
  const Mapping& mapping_;
  SegmentOut& out_;
  const os::Deadline& deadline_;
  os::Steps steps_{deadline_, "merging segments"};
  std::uint32_t total_ = 0;
};

}  // namespace

DocumentMaps map_documents(const std::vector<MergeInput>& inputs) {
  DocumentMaps maps;
  std::uint32_t next = 0;
  for (const MergeInput& input : inputs) {
    std::vector<std::uint32_t> map(input.segment->doc_count(), gone);
    for (std::uint32_t doc = 0; doc < map.size(); ++doc)
      if (!input.deleted.test(doc)) map[doc] = next++;
    maps.push_back(std::move(map));
  }
  return maps;
}

Status merge_segments(const std::vector<MergeInput>& inputs, const DocumentMaps& maps,
                      const Mapping& mapping, SegmentOut& out, const os::Deadline& deadline) {
  return Merger(inputs, maps, mapping, out, deadline).run();
}

}  // namespace cairn::index
