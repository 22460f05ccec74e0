// SPDX-License-Identifier: Apache-2.0
#include "api/url_query.h"

#include <iterator>
#include <utility>

#include "api/forms/error_json.h"

namespace cairn::api {

Result<search::SearchParameters> read_url_query(const Call& call) {
  search::SearchParameters out;
  out.q = call.query("q");
  out.df = call.query("df").value_or("");
  out.default_operator = call.query("default_operator").value_or("");
  out.analyzer = call.query("analyzer").value_or("");
  CAIRN_TRY(out.lenient, call.flag("lenient", false));
  CAIRN_TRY(const bool analyzes, call.flag("analyze_wildcard", false));
  if (analyzes)
    return illegal_argument("[analyze_wildcard] cannot be [true]: words with * are never analysed");
  return out;
}

std::vector<gate::Parameter> with_url_query(std::vector<gate::Parameter> more) {
  std::vector<gate::Parameter> out = {
      {"q", "string", "A query in the syntax of query_string."},
      {"df", "string", "The field of words in q that name none."},
      {"default_operator", "string", "Between words in q: AND or OR."},
      {"analyzer", "string", "The analyzer of q."},
      {"analyze_wildcard", "boolean", "Only false: words with * are never analysed."},
      {"lenient", "boolean", "Values of the wrong type match nothing."},
      {"preference", "string", "_local: the node that is asked searches, where it stands by."},
      {"routing", "string", "There is one shard: all documents are looked at."}};
  out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  return out;
}

}  // namespace cairn::api
