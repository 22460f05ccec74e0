// SPDX-License-Identifier: Apache-2.0
// Reading retrievers from JSON.
#include <algorithm>

#include "base/strings.h"
#include "search/errors.h"
#include "search/reader.h"
#include "search/request.h"
#include "search/run/retrievers.h"

namespace cairn::search {
namespace {

constexpr std::string_view default_reranker = ".rerank-v1-elasticsearch";

class RetrieverReader {
 public:
  explicit RetrieverReader(Execution& execution) : execution_(execution) {}

  Result<std::unique_ptr<Retriever>> read(const Json& json, const std::string& path,
                                          const std::vector<Queries>& filters, std::size_t depth) {
    if (depth > execution_.options().max_retriever_depth)
      return illegal_argument("retrievers may be nested " +
                              std::to_string(execution_.options().max_retriever_depth) +
                              " deep at most");
    if (++retrievers_ > execution_.options().max_retrievers)
      return illegal_argument("a request may have " +
                              std::to_string(execution_.options().max_retrievers) +
                              " retrievers at most");
    if (!json.is_object() || json.as_object().size() != 1)
      return parsing_error(execution_.text(), path,
                           "[retriever] must be an object with the name of one retriever");
    const auto& [name, body] = json.as_object().front();
    if (!body.is_object())
      return parsing_error(execution_.text(), path,
                           "[" + name + "] retriever malformed, no start_object after its name");
    const std::string inside = path + "." + name;
    Reader in(body, execution_.text(), inside, name, Reader::Style::strict);
    auto out = std::make_unique<Retriever>();
    std::vector<Queries> all = filters;
    if (const Json* filter = in.any("filter")) CAIRN_CHECK(read_filter(*filter, in, all));
    CAIRN_TRY(const auto min_score, in.number("min_score"));
    if (min_score) out->min_score = static_cast<float>(*min_score);
    CAIRN_CHECK(in.string("_name"));
    const Scope scope{in, all, depth};
    if (name == "standard") {
      CAIRN_CHECK(read_standard(scope, *out));
    } else if (name == "knn") {
      CAIRN_CHECK(read_knn(scope, body, inside, *out));
    } else if (name == "rrf") {
      CAIRN_CHECK(read_rrf(scope, *out));
    } else if (name == "linear") {
      CAIRN_CHECK(read_linear(scope, *out));
    } else if (name == "text_similarity_reranker") {
      CAIRN_CHECK(read_reranker(scope, *out));
    } else {
      return unknown(name, inside);
    }
    return out;
  }

 private:
  struct Scope {
    Reader& in;
    const std::vector<Queries>& filters;
    std::size_t depth;
  };

  Error unknown(const std::string& name, const std::string& path) const {
    std::string message = "unknown retriever [" + name + "]";
    if (const auto near =
            nearest(name, {"standard", "knn", "rrf", "linear", "text_similarity_reranker"}))
      message += " did you mean [" + *near + "]?";
    return parsing_error(execution_.text(), path, std::move(message));
  }

  Status read_filter(const Json& filter, Reader& in, std::vector<Queries>& all) {
    if (!filter.is_array()) {
      CAIRN_TRY(auto one, execution_.read(filter, in.path_of("filter")));
      all.push_back(std::move(one));
      return ok_status();
    }
    for (const Json& element : filter.as_array()) {
      CAIRN_TRY(auto one, execution_.read(element, in.path_of("filter")));
      all.push_back(std::move(one));
    }
    return ok_status();
  }

  static Queries filtered(Queries queries, const std::vector<Queries>& filters) {
    for (const Queries& filter : filters) queries = narrowed(std::move(queries), filter);
    return queries;
  }

  Status read_standard(const Scope& scope, Retriever& out) {
    const Json* query = scope.in.any("query");
    if (const Json* sort = scope.in.any("sort")) {
      std::vector<std::string> formats;
      CAIRN_CHECK(parse_sort(execution_.text(), *sort, out.sort, formats));
    }
    for (const auto name : {"search_after", "terminate_after", "collapse"})
      if (scope.in.any(name) != nullptr)
        return not_offered(std::string(name) + " within a compound retriever", "");
    CAIRN_CHECK(scope.in.finish());
    CAIRN_TRY(auto queries,
              execution_.read(query == nullptr ? Json() : *query, scope.in.path_of("query")));
    out.queries = filtered(std::move(queries), scope.filters);
    return ok_status();
  }

  Status read_knn(const Scope& scope, const Json& body, const std::string& path, Retriever& out) {
    Json knn = body;
    knn.erase("filter");
    knn.erase("min_score");
    CAIRN_TRY(auto queries, execution_.read_knn(knn, path));
    out.queries = filtered(std::move(queries), scope.filters);
    return ok_status();
  }

  Status read_window(Reader& in, std::string_view name, Retriever& out) {
    CAIRN_TRY(const auto window, in.integer("rank_window_size"));
    const std::size_t size = execution_.size();
    out.window = std::max<std::size_t>(size, 10);
    if (!window) return ok_status();
    if (*window < 1)
      return illegal_argument("[rank_window_size] must be greater than or equal to [1], had [" +
                              std::to_string(*window) + "]");
    out.window = static_cast<std::size_t>(*window);
    if (out.window > execution_.options().max_result_window)
      return illegal_argument("[rank_window_size] must be at most [" +
                              std::to_string(execution_.options().max_result_window) + "]");
    if (out.window < size)
      return validation_error("[" + std::string(name) +
                              "] requires [rank_window_size: " + std::to_string(out.window) +
                              "] be greater than or equal to [size: " + std::to_string(size) + "]");
    return ok_status();
  }

  Result<Normalizer> normalizer(Reader& in, Normalizer fallback) {
    CAIRN_TRY(const auto name, in.string("normalizer"));
    if (!name) return fallback;
    if (*name == "none") return Normalizer::none;
    if (*name == "minmax") return Normalizer::minmax;
    if (*name == "l2_norm") return Normalizer::l2_norm;
    return illegal_argument("Unknown normalizer [" + *name + "]; use none, minmax or l2_norm");
  }

  /// `retrievers`, or what `query` with `fields` stands for.
  Status read_children(const Scope& scope, Retriever& out, Normalizer fallback) {
    CAIRN_TRY(const Json* children, scope.in.array("retrievers"));
    CAIRN_TRY(const auto query, scope.in.string("query"));
    CAIRN_TRY(const auto fields, scope.in.strings("fields"));
    const std::string path = scope.in.path_of("retrievers");
    if ((children != nullptr) == query.has_value())
      return validation_error("exactly one of [retrievers] and [query] must be given");
    if (children == nullptr) return read_shorthand(scope, *query, fields, fallback, out);
    for (const Json& element : children->as_array()) {
      Retriever::Child child{.retriever = {}, .weight = 1, .normalizer = fallback};
      const Json* inner = element.find("retriever");
      if (inner != nullptr) {
        Reader in(element, execution_.text(), path, "retriever", Reader::Style::strict);
        (void)in.any("retriever");
        CAIRN_TRY(child.weight, in.number_or("weight", 1));
        if (out.kind == Retriever::Kind::linear) {
          CAIRN_TRY(child.normalizer, normalizer(in, fallback));
        }
        CAIRN_CHECK(in.finish());
        if (child.weight < 0) return illegal_argument("[weight] must be non-negative");
      }
      CAIRN_TRY(child.retriever,
                read(inner == nullptr ? element : *inner, path, scope.filters, scope.depth + 1));
      out.children.push_back(std::move(child));
    }
    return ok_status();
  }

  /// One list by words over the text fields, and one for each field with meaning.
  Status read_shorthand(const Scope& scope, const std::string& query,
                        const std::optional<std::vector<std::string>>& fields, Normalizer fallback,
                        Retriever& out) {
    std::vector<Json> words;
    std::vector<std::string> meanings;
    for (const std::string& field : fields.value_or(std::vector<std::string>{"*"})) {
      const std::string name = field.substr(0, field.find('^'));
      bool has_words = execution_.targets().empty();
      for (const Target& target : execution_.targets())
        for (const index::Field* known : target.view->mapping().match(name)) {
          const bool meaning = known->type == index::FieldType::semantic_text;
          has_words = has_words || !meaning;
          if (meaning && std::find(meanings.begin(), meanings.end(), known->name) == meanings.end())
            meanings.push_back(known->name);
        }
      if (has_words) words.emplace_back(field);
    }
    const auto add = [&](const Json& json) -> Status {
      Retriever::Child child{.retriever = {}, .weight = 1, .normalizer = fallback};
      CAIRN_TRY(child.retriever, read(Json::object({{"standard", Json::object({{"query", json}})}}),
                                      scope.in.path_of("fields"), scope.filters, scope.depth + 1));
      out.children.push_back(std::move(child));
      return ok_status();
    };
    if (!words.empty())
      CAIRN_CHECK(add(Json::object({{"multi_match", Json::object({{"query", query},
                                                                  {"fields", Json(words)},
                                                                  {"type", "most_fields"},
                                                                  {"lenient", true}})}})));
    for (const std::string& field : meanings)
      CAIRN_CHECK(add(Json::object({{"match", Json::object({{field, query}})}})));
    return ok_status();
  }

  Status read_rrf(const Scope& scope, Retriever& out) {
    out.kind = Retriever::Kind::rrf;
    CAIRN_CHECK(read_window(scope.in, "rrf", out));
    CAIRN_TRY(const auto constant, scope.in.integer("rank_constant"));
    if (constant && *constant < 1)
      return illegal_argument("[rank_constant] must be greater than or equal to [1], had [" +
                              std::to_string(*constant) + "]");
    out.rank_constant = static_cast<double>(constant.value_or(60));
    CAIRN_CHECK(read_children(scope, out, Normalizer::none));
    return scope.in.finish();
  }

  Status read_linear(const Scope& scope, Retriever& out) {
    out.kind = Retriever::Kind::linear;
    CAIRN_CHECK(read_window(scope.in, "linear", out));
    // Scores of words and of meaning have no common scale. Who gives lists has weights of their own
    // for them; lists that are made of one query are brought to one scale.
    const bool shorthand = scope.in.any("query") != nullptr;
    CAIRN_TRY(const Normalizer fallback,
              normalizer(scope.in, shorthand ? Normalizer::minmax : Normalizer::none));
    CAIRN_CHECK(read_children(scope, out, fallback));
    return scope.in.finish();
  }

  Status read_reranker(const Scope& scope, Retriever& out) {
    out.kind = Retriever::Kind::reranker;
    CAIRN_CHECK(read_window(scope.in, "text_similarity_reranker", out));
    const Json* inner = scope.in.any("retriever");
    if (inner == nullptr) return scope.in.fault("retriever", "Required [retriever]");
    CAIRN_TRY(const auto field, scope.in.string("field"));
    if (!field) return scope.in.fault("field", "Required [field]");
    CAIRN_TRY(const auto text, scope.in.string("inference_text"));
    if (!text || text->empty())
      return scope.in.fault("inference_text", "Required [inference_text]");
    out.field = *field;
    out.text = *text;
    CAIRN_TRY(out.inference_id, scope.in.string_or("inference_id", default_reranker));
    if (scope.in.any("chunk_rescorer") != nullptr)
      return not_offered("chunk_rescorer", "the reranker takes long texts as its endpoint says");
    CAIRN_CHECK(scope.in.finish());
    Retriever::Child child;
    CAIRN_TRY(child.retriever,
              read(*inner, scope.in.path_of("retriever"), scope.filters, scope.depth + 1));
    out.children.push_back(std::move(child));
    return ok_status();
  }

  Execution& execution_;
  std::size_t retrievers_ = 0;  // read so far
};

}  // namespace

Result<std::unique_ptr<Retriever>> read_retriever(const Json& json, Execution& execution) {
  return RetrieverReader(execution).read(json, "retriever", {}, 1);
}

}  // namespace cairn::search
