// SPDX-License-Identifier: Apache-2.0
// more_like_this: texts and documents, by whose words others are found.
#include <set>

#include "search/errors.h"
#include "search/read/query_reader.h"
#include "search/read/text_options.h"
#include "search/source_filter.h"

namespace cairn::search {

using index::FieldType;
using index::MoreLikeThisQuery;
using index::Query;

namespace {

constexpr std::size_t texts_max = 64;

Status read_choice(Reader& in, MoreLikeThisQuery& out) {
  const MoreLikeThisQuery usual;
  CAIRN_TRY(out.max_query_terms, read_unsigned(in, "max_query_terms", usual.max_query_terms));
  CAIRN_TRY(out.min_term_freq, read_unsigned(in, "min_term_freq", usual.min_term_freq));
  CAIRN_TRY(out.min_doc_freq, read_unsigned(in, "min_doc_freq", usual.min_doc_freq));
  CAIRN_TRY(out.max_doc_freq, read_unsigned(in, "max_doc_freq", usual.max_doc_freq));
  CAIRN_TRY(out.min_word_length, read_unsigned(in, "min_word_length", 0));
  CAIRN_TRY(out.max_word_length, read_unsigned(in, "max_word_length", 0));
  CAIRN_TRY(out.minimum_should_match,
            in.string_or("minimum_should_match", usual.minimum_should_match));
  CAIRN_TRY(out.analyzer, in.string_or("analyzer", ""));
  CAIRN_TRY(out.boost_terms, in.number_or("boost_terms", 0));
  CAIRN_TRY(auto stop_words, in.strings("stop_words"));
  if (stop_words) out.stop_words = std::move(*stop_words);
  if (out.max_query_terms == 0)
    return illegal_argument("requires 'maxQueryTerms' to be greater than 0");
  return ok_status();
}

}  // namespace

/// The fields that are asked: texts and keywords.
Result<std::vector<std::string>> QueryReader::fields_alike(Reader& in) {
  CAIRN_TRY(const auto given, in.strings("fields"));
  CAIRN_TRY(const bool strict, in.boolean_or("fail_on_unsupported_field", true));
  if (given && given->empty()) return illegal_argument("requires 'fields' to be non-empty");
  CAIRN_TRY(const WeightedFields fields, expand(given.value_or(default_fields_)));
  std::vector<std::string> out;
  for (const auto& [name, weight] : fields) {
    const index::Field* field = mapping_.find(name);
    const bool fits = field != nullptr && !field->is_derived &&
                      (field->type == FieldType::text || field->type == FieldType::keyword);
    if (fits) out.push_back(name);
    if (!fits && given && strict && field != nullptr && name.find('*') == std::string::npos)
      return illegal_argument("more_like_this only supports text/keyword fields: [" + name + "]");
  }
  return out;
}

/// One of `like` or `unlike`: a text, a document of an index, or a document that is given.
Status QueryReader::read_alike(const Json& json, const std::string& path,
                               const std::vector<std::string>& fields, Alike& out) {
  const auto add = [&](std::vector<MoreLikeThisQuery::Text>& to, const std::string& field,
                       std::string text) -> Status {
    out.bytes += text.size();
    CAIRN_CHECK(check_copies(text, 1));
    if (out.bytes > options_.max_copied_bytes)
      return illegal_argument("the texts of [more_like_this] may have [" +
                              std::to_string(options_.max_copied_bytes) + "] bytes together");
    to.push_back({.field = field, .text = std::move(text)});
    return ok_status();
  };
  if (!json.is_object()) {
    for (const std::string& field : fields) CAIRN_CHECK(add(out.texts, field, scalar_text(json)));
    return ok_status();
  }
  Reader in = reader(json, path, "more_like_this", Reader::Style::query);
  CAIRN_TRY(const auto index, in.string("_index"));
  CAIRN_TRY(const auto id, in.string("_id"));
  CAIRN_TRY(const auto routing, in.string_or("routing", ""));
  CAIRN_TRY(const Json* doc, in.object("doc"));
  CAIRN_CHECK(in.finish());
  if (id.has_value() == (doc != nullptr))
    return parsing_error(text_, path, "a document of [more_like_this] has either [_id] or [doc]");
  if (id && !index)
    return not_offered("a document of [more_like_this] without its [_index]", "name the index");
  const Json* source = doc;
  if (id) {
    if (documents_ == nullptr)
      return not_offered("a document of [more_like_this] here", "send its text");
    const DocumentName name{.index = *index, .id = *id, .routing = routing};
    CAIRN_TRY(source, documents_->source(name));
    out.documents.emplace_back(documents_->index_of(name), *id);
  }
  if (source == nullptr) return ok_status();
  for (const std::string& field : fields)
    for (const Json& value : values_at(*source, mapping_.find(field)->value_path()))
      if (!value.is_null() && !value.is_object())
        CAIRN_CHECK(add(out.of_documents, field, scalar_text(value)));
  return ok_status();
}

Result<QueryReader::Alike> QueryReader::read_all_alike(const Json* json, const std::string& path,
                                                       const std::vector<std::string>& fields) {
  Alike out;
  if (json == nullptr) return out;
  const Json list = json->is_array() ? *json : Json::array({*json});
  if (list.as_array().size() > texts_max)
    return illegal_argument("[more_like_this] takes [" + std::to_string(texts_max) +
                            "] texts and documents at most");
  for (const Json& one : list.as_array()) CAIRN_CHECK(read_alike(one, path, fields, out));
  return out;
}

Result<Query> QueryReader::read_more_like_this(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "more_like_this", Reader::Style::query);
  MoreLikeThisQuery query;
  CAIRN_CHECK(read_choice(in, query));
  CAIRN_TRY(const auto fields, fields_alike(in));
  CAIRN_TRY(const bool include, in.boolean_or("include", false));
  const Json* given = in.any("like");
  if (given == nullptr || (given->is_array() && given->as_array().empty()))
    return parsing_error(text_, path, "more_like_this requires 'like' to be specified");
  CAIRN_TRY(auto like, read_all_alike(given, in.path_of("like"), fields));
  CAIRN_TRY(auto unlike, read_all_alike(in.any("unlike"), in.path_of("unlike"), fields));
  query.unlike = std::move(unlike.texts);
  query.unlike.insert(query.unlike.end(), unlike.of_documents.begin(), unlike.of_documents.end());
  index::BoolQuery any;
  for (auto* texts : {&like.of_documents, &like.texts}) {
    if (texts->empty()) continue;
    MoreLikeThisQuery one = query;
    one.like = std::move(*texts);
    any.should.push_back({.node = std::move(one)});
  }
  if (any.should.empty()) return made(index::MatchNoneQuery{}, in);
  any.minimum_should_match = "1";
  if (!include)
    for (const auto& [index, id] : like.documents) {
      index::BoolQuery itself;
      itself.filter.push_back({.node = index::IdsQuery{{id}}});
      itself.filter.push_back({.node = index::TermQuery{.field = "_index", .value = index}});
      any.must_not.push_back({.node = std::move(itself)});
    }
  return made(std::move(any), in);
}

}  // namespace cairn::search
