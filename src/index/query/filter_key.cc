// SPDX-License-Identifier: Apache-2.0
#include "index/query/filter_key.h"

#include <algorithm>

#include "base/bytes.h"

namespace cairn::index {
namespace {

constexpr std::size_t values_max = 64;  // longer lists are not worth a key

/// Writes one query; `known` turns false where it has no key. Strings carry their lengths, so that
/// no two queries have one key.
class KeyWriter {
 public:
  bool known = true;
  std::string out;

  void operator()(const TermQuery& q) {
    begin('t', q.field);
    value(q.value);
    out += q.case_insensitive ? 'i' : 'c';
  }
  void operator()(const TermsQuery& q) {
    begin('s', q.field);
    known &= q.values.size() <= values_max;
    for (std::size_t i = 0; known && i < q.values.size(); ++i) value(q.values[i]);
    out += ';';
  }
  void operator()(const RangeQuery& q) {
    begin('r', q.field);
    for (const auto* bound : {&q.gt, &q.gte, &q.lt, &q.lte}) {
      out += *bound ? '1' : '0';
      if (*bound) value(**bound);
    }
    put_string(out, q.format);
    put_string(out, q.time_zone);
  }
  void operator()(const ExistsQuery& q) { begin('e', q.field); }
  void operator()(const PrefixQuery& q) { pattern('p', q); }
  void operator()(const WildcardQuery& q) { pattern('w', q); }
  void operator()(const RegexpQuery& q) {
    pattern('x', q);
    put_varint(out, q.flags);
    put_varint(out, q.max_states);
  }
  void operator()(const BoolQuery& q) {
    out += 'b';
    all(q.must);
    all(q.should);
    all(q.filter);
    all(q.must_not);
    put_string(out, q.minimum_should_match);
  }
  void operator()(const ConstantScoreQuery& q) {
    out += 'k';
    all(q.filter);
  }
  void operator()(const NestedQuery& q) {
    begin('o', q.path);
    out += q.ignore_unmapped ? 'i' : 'c';
    all(q.query);
  }
  void operator()(const DocumentsQuery& q) {
    out += 'd';
    all(q.query);
  }
  template <class Other>
  void operator()(const Other&) {
    known = false;
  }

  /// In an order that does not depend on theirs.
  void all(const std::vector<Query>& queries) {
    known &= queries.size() <= values_max;
    std::vector<std::string> keys;
    for (const Query& query : queries) {
      if (!known) return;
      KeyWriter one;
      one.out += query.lenient ? 'l' : 'n';
      std::visit(one, query.node);
      known &= one.known;
      keys.push_back(std::move(one.out));
    }
    std::sort(keys.begin(), keys.end());
    put_varint(out, keys.size());
    for (const std::string& key : keys) put_string(out, key);
  }

 private:
  // Of `_id` and `_index` more than the segment decides.
  void begin(char kind, const std::string& field) {
    known &= !field.starts_with('_');
    out += kind;
    put_string(out, field);
  }
  void value(const Json& json) {
    const std::string text = json.dump();
    known &= !text.starts_with("\"now");
    put_string(out, text);
  }
  template <class Pattern>
  void pattern(char kind, const Pattern& q) {
    begin(kind, q.field);
    put_string(out, q.value);
    out += q.case_insensitive ? 'i' : 'c';
  }
};

}  // namespace

std::optional<std::string> narrowing_key(const std::vector<Query>& filters,
                                         const std::vector<Query>& excluded) {
  KeyWriter key;
  key.all(filters);
  key.all(excluded);
  if (!key.known) return std::nullopt;
  return std::move(key.out);
}

}  // namespace cairn::index
