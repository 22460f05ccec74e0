// SPDX-License-Identifier: Apache-2.0
// Reading the suggester `phrase`.
#include <algorithm>
#include <cmath>
#include <utility>

#include "format/mustache.h"
#include "index/templates/stored_scripts.h"
#include "search/errors.h"
#include "search/read/text_options.h"
#include "search/run/suggest_phrases.h"

namespace cairn::search {
namespace {

constexpr std::size_t most_corrections = 25, most_sources = 5, most_words = 100, most_grams = 3;

Result<double> positive(Reader& in, std::string_view name, double usual) {
  CAIRN_TRY(const auto given, in.number(name));
  if (given && *given < 0)
    return illegal_argument("[" + std::string(name) + "] must not be negative");
  return given.value_or(usual);
}

Status check_most(std::string_view name, std::size_t given) {
  if (given >= 1 && given <= most_corrections) return ok_status();
  return illegal_argument("[" + std::string(name) + "] of a [phrase] can be from 1 to " +
                          std::to_string(most_corrections) + ", but was [" +
                          std::to_string(given) + "]");
}

Status read_numbers(Reader& in, PhraseSuggester& out) {
  CAIRN_TRY(out.size, read_unsigned(in, "size", 5));
  CAIRN_TRY(out.most, read_unsigned(in, "shard_size", std::max<std::size_t>(out.size, 5)));
  CAIRN_CHECK(check_most("size", out.size));
  CAIRN_CHECK(check_most("shard_size", out.most));
  CAIRN_TRY(out.confidence, positive(in, "confidence", 1));
  CAIRN_TRY(out.max_errors, positive(in, "max_errors", 1));
  CAIRN_TRY(out.real_word_likelihood, positive(in, "real_word_error_likelihood", 0.95));
  if (out.max_errors == 0) return illegal_argument("max_error must be > 0.0");
  if (out.real_word_likelihood == 0)
    return illegal_argument("real_word_error_likelihood must be > 0.0");
  CAIRN_TRY(out.token_limit, read_unsigned(in, "token_limit", 10));
  if (out.token_limit == 0 || out.token_limit > most_words)
    return illegal_argument("[token_limit] must be from 1 to " + std::to_string(most_words));
  if (in.any("gram_size") == nullptr) return ok_status();
  CAIRN_TRY(out.gram_size, read_unsigned(in, "gram_size", 1));
  if (*out.gram_size >= 1 && *out.gram_size <= most_grams) return ok_status();
  return illegal_argument("[gram_size] must be from 1 to " + std::to_string(most_grams));
}

Result<Smoothing> read_smoothing(std::string_view text, const std::string& path, const Json& json) {
  if (json.as_object().size() != 1)
    return parsing_error(text, path, "[smoothing] is an object with one model");
  const auto& [name, body] = json.as_object().front();
  if (!body.is_object())
    return parsing_error(text, path + "." + name, "[" + name + "] must be an object");
  Reader in(body, text, path + "." + name, name, Reader::Style::query);
  Smoothing out;
  if (name == "stupid_backoff") {
    CAIRN_TRY(out.discount, positive(in, "discount", 0.4));
  } else if (name == "laplace") {
    out.kind = Smoothing::Kind::laplace;
    CAIRN_TRY(out.alpha, positive(in, "alpha", 0.5));
    if (out.alpha == 0) return illegal_argument("[alpha] must be positive");
  } else if (name == "linear_interpolation") {
    out.kind = Smoothing::Kind::linear;
    CAIRN_TRY(out.trigram, positive(in, "trigram_lambda", 0));
    CAIRN_TRY(out.bigram, positive(in, "bigram_lambda", 0));
    CAIRN_TRY(out.unigram, positive(in, "unigram_lambda", 0));
    if (std::abs(out.trigram + out.bigram + out.unigram - 1) > 0.001)
      return illegal_argument("linear smoothing lambdas must sum to 1");
  } else {
    return illegal_argument("Unknown smoothing model [" + name +
                            "]: there are stupid_backoff, laplace and linear_interpolation");
  }
  CAIRN_CHECK(in.finish());
  return out;
}

Result<CorrectionSource> read_source(std::string_view text, const std::string& path,
                                     const Json& json) {
  if (!json.is_object()) return parsing_error(text, path, "a generator must be an object");
  Reader in(json, text, path, "direct_generator", Reader::Style::query);
  CorrectionSource out;
  CAIRN_TRY(const std::string field, in.string_or("field", ""));
  CAIRN_TRY(out.words, read_word_rules(in));
  CAIRN_TRY(out.pre_filter, in.string_or("pre_filter", ""));
  CAIRN_TRY(out.post_filter, in.string_or("post_filter", ""));
  CAIRN_CHECK(in.finish());
  if (field.empty()) return illegal_argument("[direct_generator] expects exactly one field parameter");
  CAIRN_CHECK(check_most("size", out.words.size));
  out.words.field = field;
  return out;
}

Status read_sources(std::string_view text, const std::string& path, Reader& in,
                    PhraseSuggester& out) {
  const Json* given = in.any("direct_generator");
  if (given == nullptr) {
    out.sources.push_back({});
    out.sources.back().words.field = out.field;
    return ok_status();
  }
  const Json::Array list = given->is_array() ? given->as_array() : Json::Array{*given};
  if (list.empty() || list.size() > most_sources)
    return illegal_argument("[direct_generator] has from 1 to " + std::to_string(most_sources) +
                            " generators");
  for (const Json& one : list) {
    CAIRN_TRY(auto source, read_source(text, path + ".direct_generator", one));
    out.sources.push_back(std::move(source));
  }
  return ok_status();
}

Status read_tags(std::string_view text, const std::string& path, Reader& in, PhraseSuggester& out) {
  CAIRN_TRY(const Json* given, in.object("highlight"));
  if (given == nullptr) return ok_status();
  Reader inside(*given, text, path + ".highlight", "highlight", Reader::Style::query);
  CAIRN_TRY(out.pre_tag, inside.string("pre_tag"));
  CAIRN_TRY(out.post_tag, inside.string("post_tag"));
  CAIRN_CHECK(inside.finish());
  if (out.pre_tag && out.post_tag) return ok_status();
  return illegal_argument("Pre and post tag must both be null or both not be null.");
}

Status read_collate(std::string_view text, const std::string& path, Reader& in,
                    PhraseSuggester& out) {
  CAIRN_TRY(const Json* given, in.object("collate"));
  if (given == nullptr) return ok_status();
  const std::string own = path + ".collate";
  Reader inside(*given, text, own, "collate", Reader::Style::query);
  CAIRN_TRY(const Json* query, inside.object("query"));
  CAIRN_TRY(const Json* values, inside.object("params"));
  CAIRN_TRY(out.collate.prune, inside.boolean_or("prune", false));
  CAIRN_CHECK(inside.finish());
  if (query == nullptr) return illegal_argument("[collate] needs a [query]");
  Reader in_query(*query, text, own + ".query", "query", Reader::Style::query);
  if (in_query.any("id") != nullptr)
    return not_offered("id of a [collate] query", "send its [source]");
  const Json* source = in_query.any("source");
  CAIRN_CHECK(in_query.finish());
  if (source == nullptr) return illegal_argument("the [query] of [collate] needs a [source]");
  CAIRN_TRY(out.collate.source, index::template_source(*source, "the [collate] of this request"));
  CAIRN_CHECK(Mustache::parse(out.collate.source));
  if (values != nullptr) out.collate.values = *values;
  return ok_status();
}

}  // namespace

Result<PhraseSuggester> read_phrase_suggester(std::string_view text, const std::string& path,
                                              Reader& in, const SuggestText& given) {
  PhraseSuggester out;
  CAIRN_TRY(out.field, in.string_or("field", ""));
  CAIRN_TRY(out.analyzer, in.string_or("analyzer", ""));
  CAIRN_TRY(out.separator, in.string_or("separator", " "));
  CAIRN_TRY(out.force_unigrams, in.boolean_or("force_unigrams", true));
  if (out.separator.empty()) return illegal_argument("separator must not be empty");
  if (out.field.empty()) return illegal_argument("the required field option [field] is missing");
  if (given.text.empty()) return illegal_argument("The required text option is missing");
  out.text = given.text;
  CAIRN_CHECK(read_numbers(in, out));
  CAIRN_CHECK(read_sources(text, path, in, out));
  CAIRN_CHECK(read_tags(text, path, in, out));
  CAIRN_CHECK(read_collate(text, path, in, out));
  CAIRN_TRY(const Json* smoothing, in.object("smoothing"));
  if (smoothing != nullptr) {
    CAIRN_TRY(out.smoothing, read_smoothing(text, path + ".smoothing", *smoothing));
  }
  CAIRN_CHECK(in.finish());
  return out;
}

}  // namespace cairn::search
