// SPDX-License-Identifier: Apache-2.0
// Plans over many terms: ranges, prefixes, wildcards, fuzzy terms; and phrases.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/strings.h"
#include "index/dates/dates.h"
#include "index/document/document.h"
#include "index/errors.h"
#include "index/query/plan.h"
#include "index/view.h"
#include "text/words.h"

namespace cairn::index {
namespace {

void add_documents(PostingsCursor cursor, BitSet& bits) {
  for (std::uint32_t b = 0; b < cursor.block_count(); ++b) {
    cursor.load(b);
    for (std::uint32_t i = 0; i < cursor.count(); ++i) bits.set(cursor.docs()[i]);
  }
}

/// Which terms of a field to take, from `start` on while `more` says so.
struct TermFilter {
  std::string start;
  std::function<bool(const std::string& term)> goes_on;  // false ends the walk
  std::function<bool(const std::string& term)> takes;
};

PlanPtr terms_matching(std::string field, TermFilter filter, float boost) {
  return bits_plan(
      [field = std::move(field), filter = std::move(filter)](
          const QueryContext& c, std::size_t segment) -> Result<std::shared_ptr<const BitSet>> {
        const Segment& s = *c.view.segments[segment].segment;
        const TermsReader* reader = s.terms(field);
        if (reader == nullptr) return std::shared_ptr<const BitSet>();
        auto bits = std::make_shared<BitSet>(s.doc_count());
        TermsWalk walk(*reader, false);
        CAIRN_CHECK(walk.seek(filter.start, c.deadline));
        for (std::size_t n = 0;; ++n) {
          if (n % 1024 == 0) CAIRN_CHECK(c.deadline.check("searching"));
          CAIRN_TRY(const bool any, walk.next(c.deadline));
          if (!any || !filter.goes_on(walk.term())) break;
          if (!filter.takes(walk.term())) continue;
          CAIRN_TRY(auto cursor, reader->postings(walk.entry(), c.deadline));
          add_documents(std::move(cursor), *bits);
        }
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
                     "] which is of type [" + std::string(name_of(field->type)) + "]");
}

std::string normalised(const Field& field, const std::string& value) {
  if (field.type != FieldType::keyword || field.normalizer.empty()) return value;
  const auto term = exact_term(field, Json(value));
  return term ? *term : value;
}

std::string folded(std::string_view text) {
  std::string out;
  text::append_lowercase(out, text);
  return out;
}

// A pattern taken apart once: literal characters, ? and *.
struct Pattern {
  static constexpr char32_t any_one = 0xFFFFFFFF;
  static constexpr char32_t any_run = 0xFFFFFFFE;
  std::vector<char32_t> pieces;
  std::string prefix;  // literal bytes before the first ? or *

  static Pattern parse(std::string_view text) {
    Pattern out;
    bool literal = true;
    for (std::size_t at = 0; at < text.size();) {
      const char c = text[at];
      if (c == '*' || c == '?') {
        out.pieces.push_back(c == '*' ? any_run : any_one);
        literal = false;
        ++at;
        continue;
      }
      if (c == '\\' && at + 1 < text.size()) ++at;
      const std::size_t start = at;
      out.pieces.push_back(text::next_code_point(text, at));
      if (literal) out.prefix += text.substr(start, at - start);
    }
    return out;
  }

  bool matches(std::string_view term) const {
    std::vector<char32_t> letters;
    for (std::size_t at = 0; at < term.size();) letters.push_back(text::next_code_point(term, at));
    std::size_t p = 0, t = 0, star = SIZE_MAX, resume = 0;
    while (t < letters.size()) {
      if (p < pieces.size() && pieces[p] == any_run) {
        star = p++;
        resume = t;
      } else if (p < pieces.size() && (pieces[p] == any_one || pieces[p] == letters[t])) {
        ++p;
        ++t;
      } else if (star != SIZE_MAX) {
        p = star + 1;
        t = ++resume;
      } else {
        return false;
      }
    }
    while (p < pieces.size() && pieces[p] == any_run) ++p;
    return p == pieces.size();
  }
};

struct Bounds {
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
  bool empty = false;
  void above(std::int64_t v) {
    if (v == std::numeric_limits<std::int64_t>::max())
      empty = true;
    else
      low = std::max(low, v + 1);
  }
  void below(std::int64_t v) {
    if (v == std::numeric_limits<std::int64_t>::min())
      empty = true;
    else
      high = std::min(high, v - 1);
  }
  void at_least(std::int64_t v) { low = std::max(low, v); }
  void at_most(std::int64_t v) { high = std::min(high, v); }
};

Result<Bounds> date_bounds(const QueryContext& context, const Field& field,
                           const RangeQuery& query) {
  std::string_view text = query.format;
  if (text.empty()) text = field.format.empty() ? default_date_format : field.format;
  CAIRN_TRY(const auto format, DateFormat::parse(text));
  text::TimeZone zone;
  if (!query.time_zone.empty()) {
    CAIRN_TRY(zone, read_zone(query.time_zone));
  }
  const auto moment = [&](const Json& value, bool round_up) {
    return resolve_date(value, format, context.now_ms, zone, round_up);
  };
  Bounds out;
  if (query.gt) {
    CAIRN_TRY(const auto ms, moment(*query.gt, true));
    out.above(ms);
  }
  if (query.gte) {
    CAIRN_TRY(const auto ms, moment(*query.gte, false));
    out.at_least(ms);
  }
  if (query.lt) {
    CAIRN_TRY(const auto ms, moment(*query.lt, false));
    out.below(ms);
  }
  if (query.lte) {
    CAIRN_TRY(const auto ms, moment(*query.lte, true));
    out.at_most(ms);
  }
  return out;
}

Result<double> bound_number(const Json& value) {
  if (value.is_number()) return value.as_double();
  if (value.is_string())
    if (const auto number = parse_number<double>(trim(value.as_string()))) return *number;
  return query_error("failed to create query: For input string: \"" +
                     (value.is_string() ? value.as_string() : value.dump()) + "\"");
}

// Bounds on whole numbers may be broken ones: x > 1.5 means x >= 2.
Result<Bounds> whole_bounds(const RangeQuery& query) {
  Bounds out;
  const auto apply = [&](const std::optional<Json>& bound, auto exact, bool lower) -> Status {
    if (!bound) return ok_status();
    const std::string text = bound->is_string() ? bound->as_string() : bound->dump();
    if (const auto whole = parse_number<std::int64_t>(trim(text)))
      return exact(*whole), ok_status();
    CAIRN_TRY(const double number, bound_number(*bound));
    if (number >= 0x1p63) {
      out.empty |= lower;
    } else if (number < -0x1p63) {
      out.empty |= !lower;
    } else if (number == std::trunc(number)) {
      exact(static_cast<std::int64_t>(number));
    } else if (lower) {
      out.at_least(static_cast<std::int64_t>(std::ceil(number)));
    } else {
      out.at_most(static_cast<std::int64_t>(std::floor(number)));
    }
    return ok_status();
  };
  CAIRN_CHECK(apply(
      query.gt, [&](std::int64_t v) { out.above(v); }, true));
  CAIRN_CHECK(apply(
      query.gte, [&](std::int64_t v) { out.at_least(v); }, true));
  CAIRN_CHECK(apply(
      query.lt, [&](std::int64_t v) { out.below(v); }, false));
  CAIRN_CHECK(apply(
      query.lte, [&](std::int64_t v) { out.at_most(v); }, false));
  return out;
}

// Bounds are rounded as values are, so that a value finds itself.
Result<Bounds> floating_bounds(const Field& field, const RangeQuery& query) {
  Bounds out;
  const auto key = [&](const Json& value) -> Result<std::int64_t> {
    CAIRN_TRY(const double number, bound_number(value));
    return double_key(rounded(field.type, number));
  };
  if (query.gt) {
    CAIRN_TRY(const auto v, key(*query.gt));
    out.above(v);
  }
  if (query.gte) {
    CAIRN_TRY(const auto v, key(*query.gte));
    out.at_least(v);
  }
  if (query.lt) {
    CAIRN_TRY(const auto v, key(*query.lt));
    out.below(v);
  }
  if (query.lte) {
    CAIRN_TRY(const auto v, key(*query.lte));
    out.at_most(v);
  }
  return out;
}

Result<std::shared_ptr<const BitSet>> column_range(const QueryContext& context, std::size_t segment,
                                                   const std::string& field, const Bounds& bounds) {
  const Segment& s = *context.view.segments[segment].segment;
  CAIRN_TRY(const auto column, field == "_seq_no" ? s.column(SectionKind::seq_nos, context.deadline)
                                                  : s.column(field, context.deadline));
  if (column == nullptr || column->reader.documents_with_values() == 0 ||
      column->reader.least() > bounds.high || column->reader.greatest() < bounds.low)
    return std::shared_ptr<const BitSet>();
  const ColumnReader& values = column->reader;
  auto bits = std::make_shared<BitSet>(s.doc_count());
  if (values.is_single()) {
    for (std::uint32_t start = 0; start < s.doc_count(); start += column_chunk) {
      const auto [low, high] = values.chunk_bounds(start / column_chunk);
      if (low > bounds.high || high < bounds.low) continue;
      const auto end = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(s.doc_count(), std::uint64_t{start} + column_chunk));
      for (std::uint32_t doc = start; doc < end; ++doc) {
        const std::int64_t v = values.value(doc);
        if (v >= bounds.low && v <= bounds.high && values.has(doc)) bits->set(doc);
      }
    }
    return std::shared_ptr<const BitSet>(std::move(bits));
  }
  for (std::uint32_t doc = 0; doc < s.doc_count(); ++doc) {
    const auto [first, last] = values.range(doc);
    for (std::uint32_t v = first; v < last; ++v) {
      if (values.value(v) < bounds.low || values.value(v) > bounds.high) continue;
      bits->set(doc);
      break;
    }
  }
  return std::shared_ptr<const BitSet>(std::move(bits));
}

Result<PlanPtr> term_range(const Field& field, const RangeQuery& query, float boost) {
  const auto text = [&](const std::optional<Json>& bound) -> std::optional<std::string> {
    if (!bound) return std::nullopt;
    return normalised(field, bound->is_string() ? bound->as_string() : bound->dump());
  };
  const auto gt = text(query.gt), gte = text(query.gte), lt = text(query.lt), lte = text(query.lte);
  TermFilter filter;
  filter.start = std::max(gt.value_or(""), gte.value_or(""));
  filter.goes_on = [lt, lte](const std::string& term) {
    return (!lt || term < *lt) && (!lte || term <= *lte);
  };
  filter.takes = [gt](const std::string& term) { return !gt || term > *gt; };
  return terms_matching(field.name, std::move(filter), boost);
}

// "AUTO", "AUTO:3,6", "0".."2" for a term of so many characters.
Result<std::size_t> edits_for(std::string_view fuzziness, std::size_t length) {
  std::string_view spec = fuzziness;
  std::size_t low = 3, high = 6;
  if (equals_ignore_case(spec.substr(0, 4), "AUTO")) {
    if (spec.size() > 4) {
      const auto pieces = split(spec.substr(std::min<std::size_t>(5, spec.size())), ',');
      const auto first = parse_number<std::size_t>(pieces[0]);
      const auto second = pieces.size() == 2 ? parse_number<std::size_t>(pieces[1]) : std::nullopt;
      if (spec[4] != ':' || !first || !second || *first > *second)
        return illegal_argument("failed to find low and high distance values in [" +
                                std::string(fuzziness) + "]");
      low = *first;
      high = *second;
    }
    return length < low ? std::size_t{0} : length < high ? std::size_t{1} : std::size_t{2};
  }
  const auto number = parse_number<double>(spec);
  if (!number || *number < 0 || *number > 2)
    return illegal_argument("Invalid fuzziness value: " + std::string(fuzziness));
  return static_cast<std::size_t>(*number);
}

std::vector<char32_t> letters_of(std::string_view text) {
  std::vector<char32_t> out;
  for (std::size_t at = 0; at < text.size();) out.push_back(text::next_code_point(text, at));
  return out;
}

// Edits between the two, at most `most` + 1 (which stands for more). Neighbours that changed places
// count as one edit where `swaps`.
std::size_t edit_distance(const std::vector<char32_t>& a, const std::vector<char32_t>& b,
                          std::size_t most, bool swaps) {
  const std::size_t gap = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (gap > most) return most + 1;
  std::vector<std::size_t> before2, before(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) before[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    std::size_t least = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = before[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({change, before[j] + 1, row[j - 1] + 1});
      if (swaps && i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before2[j - 2] + 1);
      least = std::min(least, row[j]);
    }
    if (least > most) return most + 1;
    before2 = before;
    std::swap(before, row);
  }
  return std::min(before[b.size()], most + 1);
}

struct FuzzyTerm {
  float boost = 0;
  std::string term;
};

Result<std::vector<FuzzyTerm>> similar_terms(const QueryContext& context, const FuzzyQuery& query,
                                             std::size_t edits) {
  const auto wanted = letters_of(query.value);
  std::size_t prefix_bytes = 0;
  for (std::size_t i = 0; i < query.prefix_length && prefix_bytes < query.value.size(); ++i)
    text::next_code_point(query.value, prefix_bytes);
  const std::string prefix = query.value.substr(0, prefix_bytes);
  std::map<std::string, float> found;
  for (const SegmentView& s : context.view.segments) {
    const TermsReader* reader = s.segment->terms(query.field);
    if (reader == nullptr) continue;
    TermsWalk walk(*reader, false);
    CAIRN_CHECK(walk.seek(prefix, context.deadline));
    for (std::size_t n = 0;; ++n) {
      if (n % 4096 == 0) CAIRN_CHECK(context.deadline.check("searching"));
      CAIRN_TRY(const bool any, walk.next(context.deadline));
      if (!any || !walk.term().starts_with(prefix)) break;
      // A character is 1 to 4 bytes: most terms differ too much in size already.
      if (walk.term().size() > query.value.size() + 4 * edits + 3 * wanted.size()) continue;
      const auto letters = letters_of(walk.term());
      const std::size_t distance = edit_distance(wanted, letters, edits, query.transpositions);
      if (distance > edits) continue;
      const auto shorter = static_cast<float>(std::min(wanted.size(), letters.size()));
      const float boost =
          distance == 0 ? 1.0f : 1.0f - static_cast<float>(distance) / std::max(shorter, 1.0f);
      if (boost > 0) found.emplace(walk.term(), boost);
    }
  }
  std::vector<FuzzyTerm> out;
  for (const auto& [term, boost] : found) out.push_back({.boost = boost, .term = term});
  std::stable_sort(out.begin(), out.end(),
                   [](const FuzzyTerm& a, const FuzzyTerm& b) { return a.boost > b.boost; });
  if (out.size() > query.max_expansions) out.resize(query.max_expansions);
  return out;
}

class PhrasePlan final : public Plan {
 public:
  PhrasePlan(std::string field, std::vector<PhrasePlanPart> parts, std::uint32_t slop, float weight,
             std::shared_ptr<const InverseLengths> inverse)
      : field_(std::move(field)),
        parts_(std::move(parts)),
        slop_(slop),
        weight_(weight),
        inverse_(std::move(inverse)) {}

  Result<ScorerPtr> scorer(const QueryContext& context, std::size_t segment) const override {
    const Segment& s = *context.view.segments[segment].segment;
    const TermsReader* reader = s.terms(field_);
    if (reader == nullptr || reader->kind() != TermsKind::positions) return ScorerPtr();
    std::vector<PhrasePart> parts;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      PhrasePart part{
          .terms = {}, .positions = {}, .offset = parts_[i].offset, .group = group_of(i)};
      for (const std::string& term : parts_[i].terms) {
        CAIRN_TRY(const auto entry, reader->find(term, context.deadline));
        if (!entry) continue;
        CAIRN_TRY(auto cursor, reader->postings(*entry, context.deadline));
        CAIRN_TRY(auto positions, reader->positions(*entry, context.deadline));
        part.terms.emplace_back(std::move(cursor));
        part.positions.push_back(std::move(positions));
      }
      if (part.terms.empty()) return ScorerPtr();
      parts.push_back(std::move(part));
    }
    return phrase_scorer(std::move(parts), slop_,
                         {.weight = weight_, .inverse = inverse_.get(), .norms = s.norms(field_)});
  }
  void add_terms(std::string_view field, std::vector<std::string>& out) const override {
    if (field != field_) return;
    for (const PhrasePlanPart& part : parts_)
      out.insert(out.end(), part.terms.begin(), part.terms.end());
  }

 private:
  // The first part with the same terms.
  std::uint32_t group_of(std::size_t i) const {
    for (std::size_t first = 0; first < i; ++first)
      if (parts_[first].terms == parts_[i].terms) return static_cast<std::uint32_t>(first);
    return static_cast<std::uint32_t>(i);
  }
  std::string field_;
  std::vector<PhrasePlanPart> parts_;
  std::uint32_t slop_;
  float weight_;
  std::shared_ptr<const InverseLengths> inverse_;
};

}  // namespace

PlanPtr phrase_plan(std::string field, std::vector<PhrasePlanPart> parts, std::uint32_t slop,
                    float weight, std::shared_ptr<const InverseLengths> inverse) {
  return std::make_shared<PhrasePlan>(std::move(field), std::move(parts), slop, weight,
                                      std::move(inverse));
}

Result<PlanPtr> plan_range(const QueryContext& context, const RangeQuery& query, float boost) {
  Field seq_no{.name = "_seq_no", .type = FieldType::long_};
  const Field* field =
      query.field == seq_no.name ? &seq_no : context.view.mapping->find(query.field);
  if (field == nullptr) return no_plan();
  if (field->type == FieldType::text || field->type == FieldType::keyword)
    return term_range(*field, query, boost);
  Bounds bounds;
  if (field->type == FieldType::date) {
    CAIRN_TRY(bounds, date_bounds(context, *field, query));
  } else if (is_whole_number(field->type)) {
    CAIRN_TRY(bounds, whole_bounds(query));
  } else if (is_number(field->type)) {
    CAIRN_TRY(bounds, floating_bounds(*field, query));
  } else {
    return query_error("Field [" + field->name + "] of type [" + std::string(name_of(field->type)) +
                       "] does not support range queries");
  }
  if (bounds.empty || bounds.low > bounds.high) return no_plan();
  return bits_plan(
      [name = field->name, bounds](const QueryContext& c, std::size_t segment) {
        return column_range(c, segment, name, bounds);
      },
      boost);
}

Result<PlanPtr> plan_prefix(const QueryContext& context, const PrefixQuery& query, float boost) {
  if (query.field == "_index")
    return plan_index_name(
        context,
        [&](const std::string& name) {
          return name.starts_with(query.case_insensitive ? folded(query.value) : query.value);
        },
        boost);
  CAIRN_TRY(const Field* field, field_with_terms(context, query.field, "prefix"));
  if (field == nullptr) return no_plan();
  if (query.case_insensitive) {
    const std::string prefix = folded(query.value);
    return terms_matching(
        field->name,
        {.start = "",
         .goes_on = [](const std::string&) { return true; },
         .takes = [prefix](const std::string& term) { return folded(term).starts_with(prefix); }},
        boost);
  }
  const std::string prefix = normalised(*field, query.value);
  return terms_matching(
      field->name,
      {.start = prefix,
       .goes_on = [prefix](const std::string& term) { return term.starts_with(prefix); },
       .takes = [](const std::string&) { return true; }},
      boost);
}

Result<PlanPtr> plan_wildcard(const QueryContext& context, const WildcardQuery& query,
                              float boost) {
  if (query.field == "_index")
    return plan_index_name(
        context,
        [&](const std::string& name) {
          return Pattern::parse(query.case_insensitive ? folded(query.value) : query.value)
              .matches(name);
        },
        boost);
  CAIRN_TRY(const Field* field, field_with_terms(context, query.field, "wildcard"));
  if (field == nullptr) return no_plan();
  if (query.value == "*" && !query.case_insensitive)
    return plan_exists(context, {.field = query.field}, boost);
  const bool fold = query.case_insensitive;
  const bool lower = fold || !field->normalizer.empty();
  const Pattern pattern = Pattern::parse(lower ? folded(query.value) : query.value);
  const std::string prefix = fold ? std::string() : pattern.prefix;
  return terms_matching(
      field->name,
      {.start = prefix,
       .goes_on = [prefix](const std::string& term) { return term.starts_with(prefix); },
       .takes =
           [pattern, fold](const std::string& term) {
             return pattern.matches(fold ? folded(term) : term);
           }},
      boost);
}

Result<PlanPtr> plan_fuzzy(const QueryContext& context, const FuzzyQuery& query, float boost) {
  CAIRN_TRY(const Field* field, field_with_terms(context, query.field, "fuzzy"));
  if (field == nullptr) return no_plan();
  CAIRN_TRY(const std::size_t edits, edits_for(query.fuzziness, letters_of(query.value).size()));
  FuzzyQuery own = query;
  own.value = normalised(*field, query.value);
  if (edits == 0) return scored_term(context, field->name, own.value, boost);
  CAIRN_TRY(const auto similar, similar_terms(context, own, edits));
  // Terms stand for one another: all count as frequent as the most frequent of them.
  std::vector<std::shared_ptr<TermPlan>> terms;
  std::uint64_t doc_freq = 0;
  for (const FuzzyTerm& one : similar) {
    CAIRN_TRY(auto term, find_term(context, field->name, one.term));
    std::uint64_t own_freq = 0;
    for (const TermPlan::Place& place : term->places)
      if (place.reader != nullptr) own_freq += place.entry.doc_freq;
    doc_freq = std::max(doc_freq, own_freq);
    terms.push_back(std::move(term));
  }
  if (terms.empty()) return no_plan();
  const FieldTotals totals = field_totals(context.view, field->name);
  const float average = totals.average_length();
  const auto inverse = std::make_shared<const InverseLengths>(inverse_lengths(average));
  const float idf = bm25_idf(totals.doc_count, doc_freq);
  auto plan = std::make_shared<BoolPlan>();
  for (std::size_t i = 0; i < terms.size(); ++i) {
    terms[i]->weight = boost * similar[i].boost * 2.2f * idf;
    terms[i]->inverse = inverse;
    for (TermPlan::Place& place : terms[i]->places)
      if (place.reader != nullptr)
        place.bound_scale = bound_scale(average, place.reader->statistics().bound_average);
    plan->should.push_back(terms[i]);
  }
  if (plan->should.size() == 1) return plan->should.front();
  plan->least_should = 1;
  return PlanPtr(std::move(plan));
}

}  // namespace cairn::index
