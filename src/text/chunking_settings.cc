// SPDX-License-Identifier: Apache-2.0
// Chunking settings from JSON, with every fault of a request named at once, and back to JSON.
#include <algorithm>
#include <array>
#include <climits>
#include <optional>

#include "base/strings.h"
#include "text/chunker.h"
#include "text/regex.h"

namespace cairn::text {
namespace {

constexpr std::string_view scope = "chunking_settings";
constexpr int smallest_sentence_chunk = 20;
constexpr int smallest_word_chunk = 10;
constexpr int largest_recursive_chunk = 300;
constexpr std::size_t most_separators = 50;

const std::vector<std::string>& plaintext_separators() {
  static const std::vector<std::string> all{R"((?<!\n)\n\n(?!\n))", R"((?<!\n)\n(?!\n))"};
  return all;
}

const std::vector<std::string>& markdown_separators() {
  static const std::vector<std::string> all{"\n# ",
                                            "\n## ",
                                            "\n### ",
                                            "\n#### ",
                                            "\n##### ",
                                            "\n###### ",
                                            "\n^(?!\\s*$).*\\n-{1,}\\n",
                                            "\n^(?!\\s*$).*\\n={1,}\\n"};
  return all;
}

/// Gathers the faults of one request.
class Faults {
 public:
  void add(std::string fault) { faults_.push_back(std::move(fault)); }
  bool none() const { return faults_.empty(); }
  Error error() const {
    std::string message = "Validation Failed: ";
    for (std::size_t i = 0; i < faults_.size(); ++i) {
      message += std::to_string(i + 1) + ": " + faults_[i] + ";";
    }
    return Error{.kind = ErrorKind::invalid_argument,
                 .code = "validation_exception",
                 .message = std::move(message)};
  }

 private:
  std::vector<std::string> faults_;
};

std::string shown(const Json& value) {
  return value.is_string() ? value.as_string() : value.dump();
}

std::string wrong_type(std::string_view name, const Json& value, std::string_view type) {
  return "field [" + std::string(name) + "] is not of the expected type. The value [" +
         shown(value) + "] cannot be converted to a [" + std::string(type) + "]";
}

std::string wrong_value(int value, std::string_view name, std::string_view rule) {
  return "[" + std::string(scope) + "] Invalid value [" + std::to_string(value) + "]. [" +
         std::string(name) + "] must be " + std::string(rule);
}

/// The bounds are shown as the platform shows them: with a decimal point.
std::string out_of_bounds(int value, std::string_view name, std::string_view rule, int bound) {
  return "[" + std::string(scope) + "] Invalid value [" + std::to_string(value) + ".0]. [" +
         std::string(name) + "] must be " + std::string(rule) + " [" + std::to_string(bound) +
         ".0]";
}

/// A member that is a 32-bit integer; nothing where it is absent, null, or (a fault) anything else.
std::optional<int> integer(const Json& settings, std::string_view name, Faults& faults) {
  const Json* value = settings.find(name);
  if (value == nullptr || value->is_null()) return std::nullopt;
  if (value->type() != Json::Type::integer || value->as_int() > INT_MAX ||
      value->as_int() < INT_MIN) {
    faults.add(wrong_type(name, *value, "Integer"));
    return std::nullopt;
  }
  return static_cast<int>(value->as_int());
}

struct Bounds {
  int least = 1;
  int most = INT_MAX;
};

std::optional<int> required_integer(const Json& settings, std::string_view name, Bounds bounds,
                                    Faults& faults) {
  Faults of_type;
  const std::optional<int> value = integer(settings, name, of_type);
  if (!of_type.none()) return integer(settings, name, faults);
  if (!value) {
    faults.add("[" + std::string(scope) + "] does not contain the required setting [" +
               std::string(name) + "]");
    return std::nullopt;
  }
  if (*value <= 0) {
    faults.add(wrong_value(*value, name, "a positive integer"));
    return std::nullopt;
  }
  if (*value < bounds.least) {
    faults.add(out_of_bounds(*value, name, "greater than or equal to", bounds.least));
    return std::nullopt;
  }
  if (*value > bounds.most) {
    faults.add(out_of_bounds(*value, name, "less than or equal to", bounds.most));
    return std::nullopt;
  }
  return value;
}

void only(const Json& settings, std::initializer_list<std::string_view> known,
          std::string_view message, Faults& faults) {
  std::vector<std::string> others;
  for (const auto& [name, value] : settings.as_object()) {
    if (std::find(known.begin(), known.end(), name) == known.end()) others.push_back(name);
  }
  if (!others.empty()) faults.add(std::string(message) + ": [" + join(others, ", ") + "]");
}

void parse_sentence(const Json& settings, ChunkingSettings& out, Faults& faults) {
  only(settings, {"strategy", "max_chunk_size", "sentence_overlap"},
       "Sentence based chunking settings can not have the following settings", faults);
  out.max_chunk_size =
      required_integer(settings, "max_chunk_size", {.least = smallest_sentence_chunk}, faults)
          .value_or(0);
  out.sentence_overlap = integer(settings, "sentence_overlap", faults).value_or(1);
  if (out.sentence_overlap < 0 || out.sentence_overlap > 1) {
    faults.add("sentence_overlap[" + std::to_string(out.sentence_overlap) +
               "] must be either 0 or 1");
  }
}

void parse_word(const Json& settings, ChunkingSettings& out, Faults& faults) {
  only(settings, {"strategy", "max_chunk_size", "overlap"},
       "Word based chunking settings can not have the following settings", faults);
  const std::optional<int> size =
      required_integer(settings, "max_chunk_size", {.least = smallest_word_chunk}, faults);
  if (!size) return;
  out.max_chunk_size = *size;
  out.overlap = required_integer(settings, "overlap", {.most = *size / 2}, faults).value_or(0);
}

std::optional<std::vector<std::string>> group(const Json& settings, Faults& faults) {
  const Json* value = settings.find("separator_group");
  if (value == nullptr || value->is_null()) return std::nullopt;
  if (!value->is_string()) {
    faults.add(wrong_type("separator_group", *value, "String"));
    return std::nullopt;
  }
  const std::string name = lower_ascii(trim(value->as_string()));
  if (name == "plaintext") return plaintext_separators();
  if (name == "markdown") return markdown_separators();
  if (value->as_string().empty()) {
    faults.add("[" + std::string(scope) +
               "] Invalid value empty string. [separator_group] must be a non-empty string");
    return std::nullopt;
  }
  faults.add("[" + std::string(scope) + "] Invalid value [" + value->as_string() +
             "] received. [separator_group] must be one of [markdown, plaintext]");
  return std::nullopt;
}

std::optional<std::vector<std::string>> separators(const Json& settings, Faults& faults) {
  const Json* value = settings.find("separators");
  if (value == nullptr || value->is_null()) return std::nullopt;
  if (!value->is_array()) {
    faults.add(wrong_type("separators", *value, "List"));
    return std::nullopt;
  }
  std::vector<std::string> out;
  for (const Json& element : value->as_array()) {
    if (!element.is_string()) {
      faults.add(wrong_type("separators", element, "String"));
      continue;
    }
    if (const auto regex = Regex::compile(element.as_string()); !regex.ok()) {
      faults.add(regex.error().message);
    }
    out.push_back(element.as_string());
  }
  if (value->as_array().empty()) {
    faults.add("Recursive chunking settings can not have an empty list of separators");
  }
  if (out.size() > most_separators) {
    faults.add("separators list size [" + std::to_string(out.size()) + "] must not exceed [" +
               std::to_string(most_separators) + "]");
  }
  return out;
}

void parse_recursive(const Json& settings, ChunkingSettings& out, Faults& faults) {
  only(settings, {"strategy", "max_chunk_size", "separator_group", "separators"},
       "Recursive chunking settings can not have the following settings", faults);
  out.max_chunk_size =
      required_integer(settings, "max_chunk_size",
                       {.least = smallest_word_chunk, .most = largest_recursive_chunk}, faults)
          .value_or(0);
  auto named = group(settings, faults);
  auto own = separators(settings, faults);
  if (named && own) {
    faults.add("Recursive chunking settings can not have both separators and separator_set");
  }
  out.separators = named ? *std::move(named) : own ? *std::move(own) : plaintext_separators();
}

constexpr std::array<std::pair<ChunkingStrategy, std::string_view>, 4> strategy_names{{
    {ChunkingStrategy::none, "none"},
    {ChunkingStrategy::word, "word"},
    {ChunkingStrategy::sentence, "sentence"},
    {ChunkingStrategy::recursive, "recursive"},
}};

std::optional<ChunkingStrategy> strategy_of(std::string_view name) {
  for (const auto& [strategy, known] : strategy_names) {
    if (equals_ignore_case(known, name)) return strategy;
  }
  return std::nullopt;
}

Error illegal(std::string message) {
  return Error{.kind = ErrorKind::invalid_argument,
               .code = "illegal_argument_exception",
               .message = std::move(message)};
}

}  // namespace

Result<ChunkingSettings> parse_chunking_settings(const Json& settings) {
  ChunkingSettings out;
  if (settings.is_null()) return out;
  if (!settings.is_object()) {
    Faults faults;
    faults.add(wrong_type(scope, settings, "Map"));
    return faults.error();
  }
  if (settings.as_object().empty()) return out;
  const Json* named = settings.find("strategy");
  if (named == nullptr || named->is_null()) {
    return illegal("Can't generate Chunker without ChunkingStrategy provided");
  }
  const std::optional<ChunkingStrategy> strategy = strategy_of(shown(*named));
  if (!strategy) return illegal("Invalid chunkingStrategy " + shown(*named));
  out.strategy = *strategy;
  Faults faults;
  switch (out.strategy) {
    case ChunkingStrategy::none:
      only(settings, {"strategy"},
           "When chunking is disabled (none), settings can not have the following", faults);
      break;
    case ChunkingStrategy::word:
      parse_word(settings, out, faults);
      break;
    case ChunkingStrategy::sentence:
      parse_sentence(settings, out, faults);
      break;
    case ChunkingStrategy::recursive:
      parse_recursive(settings, out, faults);
      break;
  }
  if (!faults.none()) return faults.error();
  return out;
}

Json to_json(const ChunkingSettings& settings) {
  Json out = Json::object();
  for (const auto& [strategy, name] : strategy_names) {
    if (strategy == settings.strategy) out.set("strategy", name);
  }
  if (settings.strategy == ChunkingStrategy::none) return out;
  out.set("max_chunk_size", settings.max_chunk_size);
  switch (settings.strategy) {
    case ChunkingStrategy::sentence:
      out.set("sentence_overlap", settings.sentence_overlap);
      break;
    case ChunkingStrategy::word:
      out.set("overlap", settings.overlap);
      break;
    case ChunkingStrategy::recursive:
      out.set("separators", Json::array_of(settings.separators));
      break;
    case ChunkingStrategy::none:
      break;
  }
  return out;
}

}  // namespace cairn::text
