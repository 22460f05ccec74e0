// SPDX-License-Identifier: Apache-2.0
// What a search sees: the documents of an index at one moment, and the calls that search them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/document/object_source.h"
#include "index/mapping/mapping.h"
#include "index/prepared_query.h"
#include "index/query.h"
#include "os/deadline.h"

namespace cairn::index {

struct DocumentVersion {
  std::int64_t version = 0;
  std::int64_t seq_no = 0;
  std::int64_t primary_term = 1;
};

/// One piece of a semantic_text value: bytes [start, end) of the text at `input` (0, or the index
/// in a list of texts), and how well it answers.
struct ScoredChunk {
  std::uint32_t input = 0;
  std::uint32_t start = 0;
  std::uint32_t end = 0;
  float score = 0;
};

/// Numbers behind a score, over all segments. Deleted documents count until they are merged away.
struct TermStatistics {
  std::uint64_t doc_count = 0;       // documents that have the field
  std::uint64_t doc_freq = 0;        // documents that have the term
  std::uint64_t total_freq = 0;      // how often they have it
  std::uint64_t sum_total_freq = 0;  // terms in the field, all documents
  std::uint64_t distinct_terms = 0;  // of each segment, added up
};

/// A term that is like another, and how often there is one.
struct SimilarTerm {
  std::string term;
  std::size_t edits = 0;       // that lead to it; letters that changed places count once
  std::uint64_t doc_freq = 0;  // documents that have it
};

/// Which terms of a keyword field are wanted.
struct TermsAsked {
  std::string field;
  std::string prefix = {};        // they begin so
  bool case_insensitive = false;  // in whichever case
  std::string after = {};         // they are greater than this one
  std::size_t most = 10;
};

/// Which inputs of a completion field are wanted.
struct CompletionAsked {
  enum class Kind { prefix, fuzzy, regexp };
  std::string field;
  Kind kind = Kind::prefix;
  std::string text = {};      // what they begin with, or the pattern of what they begin with
  std::string analyzer = {};  // of the text; empty: the field's
  // fuzzy
  std::string fuzziness = "AUTO";
  bool transpositions = true;
  bool code_points = false;       // edits and lengths are in characters, else in bytes
  std::size_t min_length = 3;     // of a text that may have edits
  std::size_t prefix_length = 1;  // at its beginning that has none
  // regexp
  std::uint32_t flags = 0;
  std::size_t max_states = 10'000;
  std::size_t most = 5;
  bool skip_duplicates = false;  // of one text
};

/// An input of a document.
struct Completion {
  std::string text;
  float score = 0;        // its weight; of a fuzzy one times how far it agrees
  std::string path = {};  // its words as they are compared
  DocAddress doc = {};
};

/// The order of their answer.
bool comes_before(const Completion& a, const Completion& b);

/// One segment of a view.
struct SegmentFacts {
  std::string name;             // of its index alone
  std::uint64_t documents = 0;  // live
  std::uint64_t deleted = 0;    // not yet merged away
  std::uint64_t size_bytes = 0;
  std::uint64_t memory_bytes = 0;  // that it takes while it is open
  bool committed = false;          // in the store; else the log has its documents
};

/// The source that objects were last taken from: those of one document are shown one after another.
struct KeptSource {
  const ViewState* of = nullptr;
  DocAddress doc;
  Json tree;
};

/// Immutable; safe from any thread. Keeps its segments readable while it lives. Calls may read
/// segments from the store and block up to the deadline, which is looked at every few thousand
/// steps. Errors of all calls: timeout, cancelled, unavailable, corrupt.
class View {
 public:
  explicit View(std::shared_ptr<const ViewState> state);
  ~View();

  /// The objects of a nested field, as a view whose documents they are: `id` and `version` are
  /// those of the document that has them, and `source` has of that one the object alone, where it
  /// stands ({"comments": {...}}). Null where the mapping has no such field.
  /// Errors: query_shard_exception for a field that is not below what this view has.
  Result<std::shared_ptr<const View>> objects(std::string_view path) const;
  /// The objects in a document of this view, as documents of objects(path).
  Result<WithinQuery> objects_of(std::string_view path, DocAddress doc) const;
  /// Of which nested field its documents are objects; empty: they are none.
  const std::string& nested_path() const;
  /// Where an object stands in its document, outermost first; empty for no object.
  std::vector<ObjectPlace> place(DocAddress object) const;

  /// The same documents with runtime fields of a request beside those of the mapping, and before
  /// what is mapped by their names. Errors: mapper_parsing_exception with script_exception as its
  /// cause; illegal_argument_exception for too many.
  Result<std::shared_ptr<const View>> with_runtime_fields(const Json& runtime_mappings) const;
  /// The same with what a script gives for each document: a number as a double, a text as a
  /// keyword. It may look at the score by the query.
  std::shared_ptr<const View> with_sort_script(const std::string& name, const Script& script,
                                               bool gives_text) const;

  /// Forgets which documents of its segments filters select.
  void clear_filters() const;

  const Mapping& mapping() const;
  std::uint64_t document_count() const;  // live documents
  std::uint64_t deleted_count() const;   // not yet merged away
  std::size_t segment_count() const;
  std::vector<SegmentFacts> segments() const;

  /// Plans a query, to be asked as often as a request needs it. `now_ms` is what `now` means in
  /// date math; 0: the clock. Errors: query_shard_exception, parsing_exception and
  /// illegal_argument_exception for a query that does not fit the mapping.
  /// `described`: PreparedQuery::explain has names for its parts. `measured`: what is done with it
  /// is measured (TopDocs::profile), which takes time itself; such a query is for one thread.
  Result<PreparedQueryPtr> prepare(const Query& query, const os::Deadline& deadline,
                                   std::int64_t now_ms = 0, bool described = false,
                                   bool measured = false) const;
  /// The best documents, for a query that is asked once. Errors: those of prepare and of
  /// PreparedQuery::search.
  Result<TopDocs> search(const Query& query, const SearchParams& params,
                         const os::Deadline& deadline) const;
  /// How many documents match, for a query that is asked once. Errors: those of prepare.
  Result<std::uint64_t> count(const Query& query, const os::Deadline& deadline) const;

  Result<std::string> id(DocAddress doc, const os::Deadline& deadline) const;
  Result<std::string> source(DocAddress doc, const os::Deadline& deadline) const;  // JSON text
  /// The source of an object as a tree. `kept` has that of its document from then on; it is for one
  /// thread, and views that it is used with live as long.
  Result<Json> object_source(DocAddress object, KeptSource& kept,
                             const os::Deadline& deadline) const;
  Result<DocumentVersion> version(DocAddress doc, const os::Deadline& deadline) const;
  /// The visible document with this id.
  Result<std::optional<DocAddress>> find(std::string_view id, const os::Deadline& deadline) const;
  /// The column values of a field, ascending: keyword, numbers, boolean, date. Those of a runtime
  /// field are made, which may end with script_exception.
  Result<std::vector<SortValue>> values(DocAddress doc, std::string_view field,
                                        const os::Deadline& deadline) const;
  /// The pieces of a semantic_text field, best first for `query` (SparseQuery or DenseScoreQuery).
  Result<std::vector<ScoredChunk>> best_chunks(DocAddress doc, const Query& query,
                                               std::size_t count,
                                               const os::Deadline& deadline) const;
  Result<TermStatistics> term_statistics(std::string_view field, std::string_view term,
                                         const os::Deadline& deadline) const;
  /// The other terms of a field that 1 to `most_edits` edits lead to, and that have the first
  /// `prefix_length` characters of `term`; in the order of bytes. Looks at all terms with that
  /// prefix.
  Result<std::vector<SimilarTerm>> similar_terms(std::string_view field, std::string_view term,
                                                 std::size_t most_edits, std::size_t prefix_length,
                                                 const os::Deadline& deadline) const;
  /// The inputs with the best scores, one a document; of one score those first whose words come
  /// first. Errors: illegal_argument_exception for another field, and for text that is not taken;
  /// those of regular expressions.
  Result<std::vector<Completion>> complete(const CompletionAsked& asked,
                                           const os::Deadline& deadline) const;
  /// The first of them, ascending by bytes; those too that only deleted documents have. None of a
  /// field that is no keyword, or that there is not.
  Result<std::vector<std::string>> terms(const TermsAsked& asked,
                                         const os::Deadline& deadline) const;

 private:
  friend class JointAggregations;
  friend class ScriptValues;
  std::shared_ptr<const ViewState> state_;
};

}  // namespace cairn::index
