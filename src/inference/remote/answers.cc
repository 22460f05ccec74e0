// SPDX-License-Identifier: Apache-2.0
#include "inference/remote/answers.h"

#include <cmath>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "inference/errors.h"

namespace cairn::inference {
namespace {

constexpr std::size_t most_dimensions_told = 65'536;

Result<std::vector<float>> vector_of(const Json& numbers, std::size_t dimensions, bool bytes) {
  if (!numbers.is_array()) return bad_answer("a vector is no array");
  const auto& elements = numbers.as_array();
  if (elements.empty() || elements.size() > most_dimensions_told ||
      (dimensions != 0 && elements.size() != dimensions)) {
    return bad_answer("a vector has [" + std::to_string(elements.size()) + "] dimensions" +
                      (dimensions == 0 ? "" : " and not [" + std::to_string(dimensions) + "]"));
  }
  std::vector<float> out;
  out.reserve(elements.size());
  for (const Json& element : elements) {
    if (!element.is_number()) return bad_answer("a vector holds what is no number");
    const auto number = static_cast<float>(element.as_double());
    if (!std::isfinite(number)) return bad_answer("a vector holds a number without bounds");
    if (bytes && (number != std::trunc(number) || number < -128 || number > 127))
      return bad_answer("a vector of bytes holds a number that is no byte");
    out.push_back(number);
  }
  return out;
}

/// Puts vectors to the inputs that they are of, each once.
class VectorRows {
 public:
  explicit VectorRows(const WantedVectors& wanted)
      : wanted_(wanted), rows_(wanted.count), dimensions_(wanted.dimensions) {}

  Status put(std::size_t index, const Json& numbers) {
    if (index >= rows_.size() || !rows_[index].empty())
      return bad_answer("an index is [" + std::to_string(index) + "] of [" +
                        std::to_string(rows_.size()) + "] inputs, or comes twice");
    CAIRN_TRY(rows_[index], vector_of(numbers, dimensions_, wanted_.bytes));
    dimensions_ = rows_[index].size();
    return ok_status();
  }
  std::vector<std::vector<float>> take() { return std::move(rows_); }

 private:
  WantedVectors wanted_;
  std::vector<std::vector<float>> rows_;
  std::size_t dimensions_;
};

Result<const Json::Array*> array_in(const Json& answer, std::string_view path, std::size_t count) {
  const Json* const list = path.empty() ? &answer : answer.find_path(path);
  if (list == nullptr || !list->is_array())
    return bad_answer("there is no array [" + std::string(path) + "]");
  if (list->as_array().size() != count)
    return bad_answer("[" + std::to_string(list->as_array().size()) + "] results came for [" +
                      std::to_string(count) + "] inputs");
  return &list->as_array();
}

std::optional<std::size_t> index_in(const Json& row) {
  const Json* const index = row.find("index");
  if (index == nullptr || !index->is_integer() || index->as_int() < 0) return std::nullopt;
  return static_cast<std::size_t>(index->as_int());
}

std::uint64_t tokens_at(const Json& answer, std::string_view path) {
  const Json* const count = answer.find_path(path);
  if (count == nullptr || !count->is_number()) return 0;
  const double number = count->as_double();
  return number >= 0 && number < 1e15 ? static_cast<std::uint64_t>(number) : 0;
}

/// {"data": [{"index": 0, "embedding": […]}, …]}
Status read_openai_vectors(const Json& answer, const WantedVectors& wanted, VectorRows& rows) {
  CAIRN_TRY(const auto* list, array_in(answer, "data", wanted.count));
  for (std::size_t i = 0; i < list->size(); ++i) {
    const Json& row = (*list)[i];
    const Json* const numbers = row.find("embedding");
    if (numbers == nullptr) return bad_answer("an element of [data] has no [embedding]");
    const auto index = row.find("index") == nullptr ? i : index_in(row);
    if (!index) return bad_answer("an [index] is no number of an input");
    CAIRN_CHECK(rows.put(*index, *numbers));
  }
  return ok_status();
}

Status read_listed_vectors(const Json& answer, std::string_view path, std::size_t count,
                           VectorRows& rows) {
  CAIRN_TRY(const auto* list, array_in(answer, path, count));
  for (std::size_t i = 0; i < list->size(); ++i) CAIRN_CHECK(rows.put(i, (*list)[i]));
  return ok_status();
}

std::string clean(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  }
  return out;
}

}  // namespace

Error bad_answer(std::string why) {
  return status_error(ErrorKind::unavailable, "the answer makes no sense: " + std::move(why))
      .with_detail("_status", "502");
}

Result<RemoteVectors> read_vectors(RemoteKind kind, std::string_view answer,
                                   const WantedVectors& wanted) {
  const Result<Json> json = parse_json(answer);
  if (!json.ok()) return bad_answer("it is no JSON");
  VectorRows rows(wanted);
  RemoteVectors out;
  switch (kind) {
    case RemoteKind::openai:
      CAIRN_CHECK(read_openai_vectors(*json, wanted, rows));
      out.tokens = tokens_at(*json, "usage.prompt_tokens");
      break;
    case RemoteKind::cohere:
      CAIRN_CHECK(read_listed_vectors(*json, wanted.bytes ? "embeddings.int8" : "embeddings.float",
                                      wanted.count, rows));
      out.tokens = tokens_at(*json, "meta.billed_units.input_tokens");
      break;
    case RemoteKind::hugging_face:  // the array alone, or within an object
      CAIRN_CHECK(
          read_listed_vectors(*json, json->is_array() ? "" : "embeddings", wanted.count, rows));
      break;
  }
  out.vectors = rows.take();
  return out;
}

Result<RemoteScores> read_scores(RemoteKind kind, std::string_view answer, std::size_t count) {
  const Result<Json> json = parse_json(answer);
  if (!json.ok()) return bad_answer("it is no JSON");
  const bool of_cohere = kind == RemoteKind::cohere;
  CAIRN_TRY(const auto* list, array_in(*json, of_cohere ? "results" : "", count));
  RemoteScores out{.scores = std::vector<float>(count, 0)};
  std::vector<bool> seen(count, false);
  for (const Json& row : *list) {
    const auto index = index_in(row);
    if (!index || *index >= count || seen[*index])
      return bad_answer("an [index] is no number of a document, or comes twice");
    const Json* const score = row.find(of_cohere ? "relevance_score" : "score");
    if (score == nullptr || !score->is_number()) return bad_answer("a document has no score");
    out.scores[*index] = static_cast<float>(score->as_double());
    if (!std::isfinite(out.scores[*index])) return bad_answer("a score has no bounds");
    seen[*index] = true;
  }
  if (of_cohere) out.tokens = tokens_at(*json, "meta.billed_units.input_tokens");
  return out;
}

std::string refusal_text(const Json& answer) {
  for (const std::string_view path :
       {"error.message", "error.reason", "error", "message", "detail"}) {
    const Json* const text = answer.find_path(path);
    if (text != nullptr && text->is_string()) return clean(text->as_string());
  }
  return {};
}

std::string refusal_text(std::string_view answer) {
  const Result<Json> json = parse_json(answer);
  return json.ok() ? refusal_text(*json) : std::string();
}

}  // namespace cairn::inference
