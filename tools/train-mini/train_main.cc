// SPDX-License-Identifier: Apache-2.0
// train_mini: makes the files of models/cairn-mini. See README.md for its inputs.
#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "evaluation.h"
#include "inference/model/model_store.h"
#include "os/clock.h"
#include "os/files/files.h"
#include "train.h"

namespace cairn::mini {
namespace {

constexpr std::string_view usage =
    "usage: train_mini --corpus ROOT --out FOLDER [--small] [--held-out FILE]\n"
    "  ROOT      a tree with unpacked packages (usr/share/wordnet, usr/share/man, ...)\n"
    "  FOLDER    receives config.json, model.safetensors, tokenizer.json, tokenizer_config.json\n"
    "  --small   a small model in seconds, for the test\n"
    "  FILE      receives documents and queries from WordNet that were kept out of training\n";

struct Arguments {
  std::string corpus;
  std::string out;
  std::string held_out;
  bool small = false;
};

std::optional<Arguments> parse(const std::vector<std::string>& words) {
  Arguments out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--small") {
      out.small = true;
      continue;
    }
    std::string* value = words[i] == "--corpus"     ? &out.corpus
                         : words[i] == "--out"      ? &out.out
                         : words[i] == "--held-out" ? &out.held_out
                                                    : nullptr;
    if (value == nullptr || i + 1 == words.size()) return std::nullopt;
    *value = words[++i];
  }
  if (out.corpus.empty() || out.out.empty()) return std::nullopt;
  return out;
}

/// Senses whose words differ from their description: half of the definition asks for the lemmas
/// with the other half.
std::string held_out_senses(const Corpus& corpus, std::size_t most_documents,
                            std::size_t most_queries) {
  std::string out =
      "# From WordNet 3.0 (see LICENSES.md of models/cairn-mini): lemmas and the second half of a\n"
      "# definition; the first half as the query.\n";
  std::size_t documents = 0;
  std::size_t queries = 0;
  for (const Sense& sense : corpus.senses) {
    if (sense.split != Split::test || documents == most_documents) continue;
    std::vector<std::string> words;
    for (const auto word : split(sense.definition, ' ')) words.emplace_back(word);
    if (words.size() < 8) continue;
    const auto middle = words.begin() + static_cast<std::ptrdiff_t>(words.size() / 2);
    out += join(sense.lemmas, ", ") + ": " + join({middle, words.end()}, " ");
    // Documents of the same kind as queries stand everywhere in the file.
    if (documents % 3 == 0 && queries < most_queries) {
      out += "\t" + join({words.begin(), middle}, " ");
      ++queries;
    }
    out += "\n";
    ++documents;
  }
  return out;
}

/// Sets for the figures of the model's README: pages that were kept out, language by language.
std::vector<EvaluationSet> held_out_sets(const Corpus& corpus) {
  EvaluationSet headings{
      .name = "held-out manual pages, heading to paragraph (en)", .documents = {}, .queries = {}};
  for (const Pair& pair : corpus.test.pairs) {
    if (pair.kind == PairKind::dictionary || pair.language != english) continue;
    const auto document = static_cast<std::uint32_t>(headings.documents.size());
    if (document % 4 == 0) headings.queries.emplace_back(pair.first, document);
    headings.documents.push_back(pair.second);
  }
  std::vector<EvaluationSet> out{std::move(headings)};
  for (Language language = 1; language < languages.size(); ++language) {
    EvaluationSet set{.name = std::string(languages[language]), .documents = {}, .queries = {}};
    for (const Translations& block : corpus.test.translations) {
      if (block.texts.front().first != english || block.texts.front().second.size() < 40) continue;
      for (const auto& [of, text] : block.texts) {
        if (of != language) continue;
        set.queries.emplace_back(text, static_cast<std::uint32_t>(set.documents.size()));
        set.documents.push_back(block.texts.front().second);
      }
    }
    if (set.queries.size() > 600) set.queries.resize(600);
    if (!set.queries.empty()) out.push_back(std::move(set));
  }
  return out;
}

Status measure(const Corpus& corpus, const std::string& folder) {
  CAIRN_TRY(const auto model, inference::load_model(inference::files_of_folder(
                                  os::system_files(), "cairn-mini", folder)));
  for (const EvaluationSet& set : held_out_sets(corpus)) {
    if (set.name.size() > 6) {
      CAIRN_TRY(const Comparison comparison, compare(*model, set));
      fmt::print("{}", table_of(set, comparison));
      continue;
    }
    const Bm25 bm25(text::named_analyzer("standard"), set.documents);
    Quality lexical;
    for (const auto& [query, answer] : set.queries) {
      lexical.add(rank_of(answer, bm25.search(query, 100)));
    }
    CAIRN_TRY(const Quality dense, measure_dense(*model, set));
    fmt::print(
        "held-out paragraphs {:<6} to en, {:>4} of {:>4}: recall@10 BM25 {:.3f}, dense {:.3f}\n",
        set.name, set.queries.size(), set.documents.size(), lexical.mean().recall_10,
        dense.recall_10);
  }
  return ok_status();
}

Status run(const Arguments& arguments) {
  CAIRN_TRY(const Corpus corpus, read_corpus(arguments.corpus));
  if (!arguments.held_out.empty()) {
    CAIRN_CHECK(os::replace_file(arguments.held_out, held_out_senses(corpus, 3600, 1200), 0644));
  }
  const std::int64_t start = os::system_clock().steady_ns();
  const auto say = [start](std::string_view line) {
    const auto seconds = (os::system_clock().steady_ns() - start) / 1'000'000'000;
    fmt::print("{:>5} s  {}\n", seconds, line);
    std::fflush(stdout);
  };
  CAIRN_TRY(const auto files,
            train(corpus, arguments.small ? TrainingOptions::small() : TrainingOptions(), say));
  CAIRN_CHECK(os::system_files().make_directories(arguments.out));
  std::string sums;
  for (const auto& [name, bytes] : files) {
    CAIRN_CHECK(os::replace_file(arguments.out + "/" + name, bytes, 0644));
    sums += to_hex(sha256(bytes)) + "  " + name + "\n";
  }
  CAIRN_CHECK(os::replace_file(arguments.out + "/SHA256SUMS", sums, 0644));
  fmt::print("{}", sums);
  return arguments.small ? ok_status() : measure(corpus, arguments.out);
}

}  // namespace
}  // namespace cairn::mini

int main(int count, char** words) {
  const auto arguments = cairn::mini::parse({words + 1, words + count});
  if (!arguments) {
    fmt::print(stderr, "{}", cairn::mini::usage);
    return 2;
  }
  const cairn::Status status = cairn::mini::run(*arguments);
  if (!status.ok()) fmt::print(stderr, "train_mini: {}\n", status.error().message);
  return status.ok() ? 0 : 1;
}
