// SPDX-License-Identifier: Apache-2.0
// The database files of WordNet (format: wndb(5WN)): senses with lemmas, glosses, hypernyms.
#include <map>

#include "base/strings.h"
#include "corpus.h"

namespace cairn::mini {
namespace {

struct Line {
  Sense sense;
  std::vector<std::string> hypernym_keys;
};

std::string lemma_of(std::string_view word) {
  std::string out(word.substr(0, word.find('(')));  // adjectives carry "(a)", "(p)", "(ip)"
  for (char& c : out) {
    if (c == '_') c = ' ';
  }
  return out;
}

/// A gloss is a definition and examples in quotation marks, parted by semicolons.
void split_gloss(std::string_view gloss, Sense& sense) {
  bool quoted = false;
  std::string part;
  const auto close = [&] {
    const std::string text = squeezed(part);
    part.clear();
    if (text.empty()) return;
    if (text.front() == '"') {
      sense.examples.push_back(squeezed(text.substr(1, text.rfind('"') - 1)));
    } else {
      sense.definition += (sense.definition.empty() ? "" : "; ") + text;
    }
  };
  for (const char c : gloss) {
    if (c == '"') quoted = !quoted;
    if (c == ';' && !quoted) {
      close();
    } else {
      part += c;
    }
  }
  close();
}

/// offset file type count(hex) {word id}* count {symbol offset type numbers}* [...] | gloss
Line parse_line(std::string_view line) {
  Line out;
  const std::size_t bar = line.find('|');
  const auto fields = split(line.substr(0, bar), ' ');
  if (bar == std::string_view::npos || fields.size() < 6) return out;
  const std::string type(fields[2] == "s" ? "a" : fields[2]);
  out.sense.key = type + std::string(fields[0]);
  std::size_t words = 0;
  for (const char c : fields[3]) {
    words = words * 16 + static_cast<std::size_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  }
  std::size_t at = 4;
  for (std::size_t i = 0; i < words && at < fields.size(); ++i, at += 2) {
    out.sense.lemmas.push_back(lemma_of(fields[at]));
  }
  if (at >= fields.size()) return {};
  const std::size_t pointers = parse_number<std::size_t>(fields[at++]).value_or(0);
  for (std::size_t i = 0; i < pointers && at + 3 < fields.size(); ++i, at += 4) {
    if (fields[at] != "@" && fields[at] != "@i") continue;
    out.hypernym_keys.push_back(std::string(fields[at + 2] == "s" ? "a" : fields[at + 2]) +
                                std::string(fields[at + 1]));
  }
  split_gloss(line.substr(bar + 1), out.sense);
  return out;
}

void add_texts(const Sense& sense, Corpus& corpus) {
  const std::string lemmas = join(sense.lemmas, ", ");
  corpus.passages.push_back({Source::wordnet, english,
                             lemmas + ": " + sense.definition + " " + join(sense.examples, " ")});
  corpus.pairs.push_back({PairKind::gloss, english, sense.definition, lemmas});
  for (const std::string& example : sense.examples) {
    if (is_prose(example)) {
      corpus.pairs.push_back({PairKind::gloss, english, example, lemmas + ": " + sense.definition});
    }
  }
}

}  // namespace

Status read_wordnet(const std::string& root, Corpus& corpus) {
  std::vector<Line> lines;
  for (const auto* type : {"noun", "verb", "adj", "adv"}) {
    CAIRN_TRY(const std::string text,
              read_unpacked(root + "/usr/share/wordnet/data." + std::string(type)));
    for (const std::string_view line : split(text, '\n')) {
      if (line.empty() || line.front() == ' ') continue;  // the licence
      Line parsed = parse_line(line);
      if (!parsed.sense.lemmas.empty()) lines.push_back(std::move(parsed));
    }
  }
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < lines.size(); ++i) index.emplace(lines[i].sense.key, i);
  for (Line& line : lines) {
    for (const std::string& key : line.hypernym_keys) {
      const auto found = index.find(key);
      if (found != index.end()) line.sense.hypernyms.push_back(found->second);
    }
    line.sense.split = split_of(line.sense.key);
    if (line.sense.split == Split::training) add_texts(line.sense, corpus);
    corpus.senses.push_back(std::move(line.sense));
  }
  return ok_status();
}

}  // namespace cairn::mini
