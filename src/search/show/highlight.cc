// SPDX-License-Identifier: Apache-2.0
// From words in a text to fragments around them.
#include "search/show/highlight.h"

#include <algorithm>
#include <map>

#include "base/strings.h"
#include "index/data_too_large.h"
#include "index/document/semantic_texts.h"
#include "index/mapping/mapping.h"
#include "search/errors.h"
#include "search/reader.h"
#include "search/source_filter.h"

namespace cairn::search {
namespace {

using index::Field;
using index::FieldType;
using index::Query;

struct Span {
  std::size_t start;
  std::size_t end;
  std::string term;
};

struct Fragment {
  std::size_t start = 0;
  std::size_t end = 0;
  std::vector<Span> marks;
  double score = 0;
};

std::size_t utf8_floor(std::string_view text, std::size_t at) {
  at = std::min(at, text.size());
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return at;
}

/// Where the sentence begins that holds `at`, but not before `least`.
std::size_t sentence_start(std::string_view text, std::size_t at, std::size_t least,
                           os::Steps& steps) {
  for (std::size_t i = at; i > least && steps.go_on(); --i) {
    const char before = text[i - 1];
    if (before == '\n') return i;
    if (i >= 2 && before == ' ' && std::string_view(".!?").find(text[i - 2]) != std::string::npos)
      return i;
  }
  return least;
}

/// Where sentences end. Asked at places that only ascend, it reads the text once.
class SentenceEnds {
 public:
  SentenceEnds(std::string_view text, os::Steps& steps) : text_(text), steps_(steps) {}

  /// The end of the sentence that holds `at`, past it.
  std::size_t find(std::size_t at) {
    if (at < asked_ || at > border_) border_ = next_border(at);
    asked_ = at;
    if (border_ >= text_.size()) return text_.size();
    return text_[border_] == '\n' ? border_ : border_ + 1;
  }

 private:
  std::size_t next_border(std::size_t at) {
    for (std::size_t i = at; i < text_.size() && steps_.go_on(); ++i) {
      if (text_[i] == '\n') return i;
      if (std::string_view(".!?").find(text_[i]) != std::string::npos &&
          (i + 1 == text_.size() || text_[i + 1] == ' ' || text_[i + 1] == '\n'))
        return i;
    }
    return text_.size();
  }

  std::string_view text_;
  os::Steps& steps_;
  std::size_t asked_ = SIZE_MAX;  // no border stands between here
  std::size_t border_ = 0;        // and here
};

/// The nearest border of a word at or before `at` (forward: at or after).
std::size_t word_border(std::string_view text, std::size_t at, bool forward) {
  at = utf8_floor(text, at);
  for (std::size_t step = 0; step < 40 && at > 0 && at < text.size(); ++step) {
    if (text[at] == ' ' || text[at - 1] == ' ' || text[at - 1] == '\n') return at;
    at = forward ? at + 1 : at - 1;
  }
  return utf8_floor(text, at);
}

/// The piece of text around a match: its sentence where that fits, else words around it.
Fragment around(std::string_view text, const Span& match, std::size_t size, std::size_t least,
                SentenceEnds& ends, os::Steps& steps) {
  Fragment fragment;
  fragment.start = sentence_start(text, match.start, least, steps);
  if (match.end - fragment.start > size) {
    const std::size_t back = std::min(match.start - least, size / 3);
    fragment.start = std::max(least, word_border(text, match.start - back, true));
    fragment.start = std::min(fragment.start, match.start);
  }
  fragment.end = ends.find(match.end);
  while (fragment.end < text.size() && fragment.end - fragment.start < size) {
    const std::size_t next = ends.find(fragment.end + 1);
    if (next - fragment.start > size) break;
    fragment.end = next;
  }
  if (fragment.end - fragment.start > size) {
    fragment.end = word_border(text, fragment.start + size, false);
    fragment.end = std::max(fragment.end, match.end);
  }
  return fragment;
}

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string render(std::string_view text, const Fragment& fragment,
                   const HighlightField& settings) {
  const auto plain = [&](std::size_t from, std::size_t to) {
    const std::string_view piece = text.substr(from, to - from);
    return settings.encode_html ? escape_html(piece) : std::string(piece);
  };
  std::string out;
  std::size_t at = fragment.start;
  for (const Span& mark : fragment.marks) {
    if (mark.start < at) continue;  // two words at one place
    out +=
        plain(at, mark.start) + settings.pre_tag + plain(mark.start, mark.end) + settings.post_tag;
    at = mark.end;
  }
  out += plain(at, fragment.end);
  return settings.number_of_fragments == 0 ? out : std::string(trim(out));
}

std::vector<Span> matches_in(std::string_view text, const text::Analyzer& analyzer,
                             const std::set<std::string, std::less<>>& terms, os::Steps& steps) {
  text::Tokens tokens;
  tokens.steps = &steps;
  analyzer.analyze(text, tokens);
  std::vector<Span> found;
  for (const text::Token& token : tokens.list) {
    if (!steps.go_on()) break;
    if (const auto term = tokens.term(token); terms.contains(term))
      found.push_back({token.start, token.end, std::string(term)});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Span& a, const Span& b) { return a.start < b.start; });
  return found;
}

double score_of(const Fragment& fragment) {
  std::map<std::string, int> counts;
  for (const Span& mark : fragment.marks) ++counts[mark.term];
  double score = 0;
  for (const auto& [term, count] : counts) score += 1 + (1 - 1.0 / count) * 0.5;
  return score;
}

}  // namespace

Result<std::vector<std::string>> fragments_of(std::string_view text, const text::Analyzer& analyzer,
                                              const std::set<std::string, std::less<>>& terms,
                                              const HighlightField& settings, os::Steps& steps,
                                              std::size_t most) {
  std::vector<Fragment> fragments;
  SentenceEnds ends(text, steps);
  const bool whole = settings.number_of_fragments == 0;
  for (Span& match : matches_in(text, analyzer, terms, steps)) {
    if (!steps.go_on()) break;
    if (fragments.empty() || (!whole && match.end > fragments.back().end)) {
      const std::size_t least = fragments.empty() ? 0 : fragments.back().end;
      if (whole)
        fragments.push_back({.start = 0, .end = text.size(), .marks = {}});
      else if (match.start < least)
        continue;  // cut off by the fragment before
      else
        fragments.push_back(around(text, match, settings.fragment_size, least, ends, steps));
    }
    fragments.back().marks.push_back(std::move(match));
  }
  for (Fragment& fragment : fragments) fragment.score = score_of(fragment);
  const auto better = [](const Fragment& a, const Fragment& b) { return a.score > b.score; };
  std::stable_sort(fragments.begin(), fragments.end(), better);
  if (!whole && fragments.size() > settings.number_of_fragments)
    fragments.resize(settings.number_of_fragments);
  if (!settings.by_score)
    std::sort(fragments.begin(), fragments.end(),
              [](const Fragment& a, const Fragment& b) { return a.start < b.start; });
  // The tags may be long, and stand around every word.
  const std::size_t tags = settings.pre_tag.size() + settings.post_tag.size();
  std::size_t bytes = 0;
  for (const Fragment& fragment : fragments)
    bytes += fragment.end - fragment.start + fragment.marks.size() * tags;
  if (bytes > most) return index::answer_too_large(bytes, most);
  std::vector<std::string> out;
  for (const Fragment& fragment : fragments) out.push_back(render(text, fragment, settings));
  return out;
}

namespace {

/// The vector part of a query that asks this field.
const Query* semantic_part(const Query& query, std::string_view field) {
  const auto in = [&](const std::vector<Query>& list) -> const Query* {
    for (const Query& one : list)
      if (const Query* found = semantic_part(one, field)) return found;
    return nullptr;
  };
  if (const auto* sparse = std::get_if<index::SparseQuery>(&query.node))
    return sparse->field == field ? &query : nullptr;
  if (const auto* dense = std::get_if<index::DenseScoreQuery>(&query.node))
    return dense->field == field ? &query : nullptr;
  if (const auto* knn = std::get_if<index::KnnQuery>(&query.node))
    return knn->field == field ? &query : nullptr;
  if (const auto* all = std::get_if<index::BoolQuery>(&query.node)) {
    for (const auto* list : {&all->must, &all->should, &all->filter})
      if (const Query* found = in(*list)) return found;
    return nullptr;
  }
  if (const auto* any = std::get_if<index::DisMaxQuery>(&query.node)) return in(any->queries);
  if (const auto* one = std::get_if<index::ConstantScoreQuery>(&query.node)) return in(one->filter);
  if (const auto* two = std::get_if<index::BoostingQuery>(&query.node)) return in(two->positive);
  if (const auto* own = std::get_if<index::FunctionScoreQuery>(&query.node)) return in(own->query);
  if (const auto* own = std::get_if<index::ScriptScoreQuery>(&query.node)) return in(own->query);
  return nullptr;
}

/// How many characters begin in a text.
std::size_t characters_in(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

/// Where so many characters of a text end.
std::size_t utf8_end_of(std::string_view text, std::size_t characters) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if ((static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) continue;
    if (characters == 0) break;
    --characters;
  }
  return at;
}

}  // namespace

Highlighter::Highlighter(const index::Index& index, const index::View& view,
                         const Highlight& settings, const Prepared& matched,
                         const std::vector<std::optional<Prepared>>& own)
    : view_(view),
      index_name_(index.name()),
      most_analyzed_(index.setting_number("highlight.max_analyzed_offset")) {
  for (std::size_t i = 0; i < settings.fields.size(); ++i) {
    const HighlightField& wanted = settings.fields[i];
    const bool wild = wanted.pattern.find('*') != std::string::npos;
    for (const Field* field : view.mapping().match(wanted.pattern)) {
      const bool possible = field->type == FieldType::text || field->type == FieldType::keyword ||
                            field->type == FieldType::semantic_text;
      if (!possible || (wild && field->type == FieldType::keyword)) continue;
      add(*field, wanted, own[i] ? *own[i] : matched);
    }
  }
}

void Highlighter::add(const Field& field, const HighlightField& settings, const Prepared& asked) {
  FieldPlan plan{.settings = &settings, .field = &field};
  if (field.type == FieldType::semantic_text) {
    if (const Query* part = semantic_part(asked.query, field.name)) {
      plan.vector = *part;
      if (const auto* knn = std::get_if<index::KnnQuery>(&part->node))
        plan.vector = Query{.node = index::DenseScoreQuery{knn->field, knn->vector}};
    }
    plans_.push_back(std::move(plan));
    return;
  }
  plan.analyzer =
      field.type == FieldType::text ? field.index_analysis : text::named_analyzer("keyword");
  // Where the field does not matter, all fields of one setting look for the same words.
  if (!settings.require_field_match && !plans_.empty() && plans_.back().settings == &settings)
    plan.terms = plans_.back().terms;
  if (plan.terms == nullptr) {
    std::set<std::string, std::less<>> terms;
    const auto seek = [&](const std::string& name) {
      for (const auto& one : asked.asked)
        for (std::string& term : one->terms(name)) terms.insert(std::move(term));
    };
    if (settings.require_field_match) seek(field.name);
    for (const Field* other : view_.mapping().fields())
      if (!settings.require_field_match &&
          (other->type == FieldType::text || other->type == FieldType::keyword))
        seek(other->name);
    plan.terms = std::make_shared<const std::set<std::string, std::less<>>>(std::move(terms));
  }
  plans_.push_back(std::move(plan));
}

Result<Json> Highlighter::show(index::DocAddress doc, const Json& source, std::size_t most,
                               const os::Deadline& deadline) const {
  os::Steps steps(deadline, "highlighting");
  Json out = Json::object();
  std::size_t bytes = 0;
  for (const FieldPlan& plan : plans_) {
    CAIRN_TRY(const auto fragments, plan.field->type == FieldType::semantic_text
                                        ? chunks(plan, doc, source, deadline)
                                        : words(plan, doc, source, most - bytes, steps, deadline));
    for (const std::string& fragment : fragments) bytes += fragment.size();
    if (bytes > most) return index::answer_too_large(bytes, most);
    if (!fragments.empty()) out.set(plan.field->name, Json::array_of(fragments));
  }
  return out;
}

/// The part of a text in which words are looked for.
Result<std::string_view> Highlighter::analyzed_part(const FieldPlan& plan, index::DocAddress doc,
                                                    std::string_view text,
                                                    const os::Deadline& deadline) const {
  const std::size_t most =
      std::min(plan.settings->analyzed.value_or(most_analyzed_), most_analyzed_);
  if (text.size() <= most) return text;
  const std::size_t end = utf8_end_of(text, most);
  if (end == text.size() || plan.settings->analyzed) return text.substr(0, end);
  CAIRN_TRY(const std::string id, view_.id(doc, deadline));
  const std::string limit = std::to_string(most_analyzed_);
  return illegal_argument(
      "The length [" + std::to_string(most + characters_in(text.substr(end))) + "] of field [" +
      plan.field->name + "] in doc[" + id + "]/index[" + index_name_ +
      "] exceeds the [index.highlight.max_analyzed_offset] limit [" + limit +
      "]. To avoid this error, set the query parameter [max_analyzed_offset] to a value less than "
      "index setting [" +
      limit + "] and this will tolerate long field values by truncating them.");
}

Result<std::vector<std::string>> Highlighter::words(const FieldPlan& plan, index::DocAddress doc,
                                                    const Json& source, std::size_t most,
                                                    os::Steps& steps,
                                                    const os::Deadline& deadline) const {
  const HighlightField& settings = *plan.settings;
  std::vector<std::string> out;
  std::size_t bytes = 0;
  const std::vector<Json> values = values_at(source, plan.field->value_path());
  for (const Json& value : values) {
    const std::string shown = scalar_text(value);
    CAIRN_TRY(const std::string_view part, analyzed_part(plan, doc, shown, deadline));
    CAIRN_TRY(auto fragments, fragments_of(part, *plan.analyzer, *plan.terms, settings, steps,
                                           most - std::min(most, bytes)));
    for (std::string& fragment : fragments) {
      bytes += fragment.size();
      out.push_back(std::move(fragment));
    }
    CAIRN_CHECK(steps.take());
    if (settings.number_of_fragments > 0 && out.size() >= settings.number_of_fragments) {
      out.resize(settings.number_of_fragments);
      break;
    }
  }
  if (out.empty() && settings.no_match_size > 0 && !values.empty()) {
    const std::string shown = scalar_text(values.front());
    out.push_back(shown.size() <= settings.no_match_size
                      ? shown
                      : shown.substr(0, word_border(shown, settings.no_match_size, false)));
  }
  return out;
}

Result<std::vector<std::string>> Highlighter::chunks(const FieldPlan& plan, index::DocAddress doc,
                                                     const Json& source,
                                                     const os::Deadline& deadline) const {
  std::vector<std::string> out;
  if (!plan.vector) return out;
  const std::size_t count = std::max<std::size_t>(plan.settings->number_of_fragments, 1);
  CAIRN_TRY(auto best, view_.best_chunks(doc, *plan.vector, count, deadline));
  if (!plan.settings->by_score)
    std::sort(best.begin(), best.end(), [](const auto& a, const auto& b) {
      return std::pair(a.input, a.start) < std::pair(b.input, b.start);
    });
  for (const auto& texts : index::semantic_texts(source, view_.mapping())) {
    if (texts.field->name != plan.field->name) continue;
    for (const auto& chunk : best)
      if (chunk.input < texts.texts.size() && chunk.end <= texts.texts[chunk.input].size())
        out.push_back(texts.texts[chunk.input].substr(chunk.start, chunk.end - chunk.start));
  }
  return out;
}

}  // namespace cairn::search
