// SPDX-License-Identifier: Apache-2.0
// Manual pages in all languages. The translations of one page are brought into step: block by block
// where they are built alike, else section by section, else by their one-line descriptions.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/strings.h"
#include "corpus.h"
#include "roff.h"

namespace cairn::mini {
namespace {

struct Page {
  Language language = english;
  std::vector<Section> sections;
};

/// "ls - list directory contents" without what stands before the dash.
std::string description_of(const Page& page) {
  if (page.sections.empty()) return {};
  const std::string text = squeezed(join(page.sections.front().blocks, " "));
  const auto dash = text.find(" - ");
  return dash == std::string::npos ? std::string() : text.substr(dash + 3);
}

/// Translators add a last section that names them.
void drop_translators(std::vector<Page>& pages) {
  constexpr std::array<std::string_view, 10> headings{
      "ÜBERSETZUNG", "TRADUCTION", "TRADUCCIÓN", "TRADUZIONE", "TŁUMACZENIE",
      "VERTALING",   "TRADUÇÃO",   "ПЕРЕВОД",    "KÄÄNNÖS",    "翻訳"};
  for (Page& page : pages) {
    for (const auto heading : headings) {
      if (page.sections.back().heading == heading) {
        page.sections.pop_back();
        break;
      }
    }
  }
}

/// What each language calls one thing; texts that a language left in English are dropped.
class Block {
 public:
  void add(Language language, const std::string& text) {
    const bool known = std::any_of(block_.texts.begin(), block_.texts.end(),
                                   [&](const auto& other) { return other.second == text; });
    if (!known && is_prose(text)) block_.texts.emplace_back(language, text);
  }
  /// Appends the block where it joins languages and its first text is new.
  void keep(std::set<std::string>& seen, std::vector<Translations>& out) && {
    if (block_.texts.size() >= 2 && seen.insert(block_.texts.front().second).second) {
      out.push_back(std::move(block_));
    }
  }

 private:
  Translations block_;
};

std::string beginning(const Section& section) {
  std::string text;
  for (const std::string& block : section.blocks) {
    if (text.size() > 300) break;
    text += (text.empty() ? "" : " ") + block;
  }
  return text;
}

/// Section `s` of the pages: block by block among those with as many blocks as the first, and the
/// beginnings of the others.
void add_section(const std::vector<const Page*>& pages, std::size_t s, std::set<std::string>& seen,
                 std::vector<Translations>& out) {
  // The first page may be the odd one: the number of blocks that most pages have decides.
  std::map<std::size_t, int> votes;
  for (const Page* page : pages) ++votes[page->sections[s].blocks.size()];
  const std::size_t blocks =
      std::max_element(votes.begin(), votes.end(), [](const auto& a, const auto& b) {
        return a.second < b.second;
      })->first;
  for (std::size_t b = 0; b < blocks; ++b) {
    Block block;
    for (const Page* page : pages) {
      const auto& texts = page->sections[s].blocks;
      if (texts.size() == blocks) block.add(page->language, texts[b]);
    }
    std::move(block).keep(seen, out);
  }
  if (votes.size() == 1) return;
  Block whole;
  for (const Page* page : pages) whole.add(page->language, beginning(page->sections[s]));
  std::move(whole).keep(seen, out);
}

void add_translations(std::vector<Page>& pages, std::set<std::string>& seen,
                      std::vector<Translations>& out) {
  if (pages.size() < 2) return;
  drop_translators(pages);
  Block descriptions;
  for (const Page& page : pages) descriptions.add(page.language, description_of(page));
  std::move(descriptions).keep(seen, out);
  const std::size_t sections = pages.front().sections.size();
  std::vector<const Page*> in_step;
  for (const Page& page : pages) {
    if (page.sections.size() == sections) in_step.push_back(&page);
  }
  if (in_step.size() < 2) return;
  for (std::size_t s = 1; s < sections; ++s) add_section(in_step, s, seen, out);
}

/// The words of a page's name: "git-add.1" to "git add".
std::string name_words(std::string_view path) {
  std::string name(path.substr(path.rfind('/') + 1));
  name.resize(std::min(name.find('.'), name.size()));
  for (char& c : name) {
    if (c == '-' || c == '_') c = ' ';
  }
  return name;
}

void add_pairs(const std::string& path, const Page& page, std::vector<Pair>& out) {
  const std::string description = description_of(page);
  if (!is_prose(description)) return;
  bool first = true;
  std::string long_text;
  for (std::size_t s = 1; s < page.sections.size(); ++s) {
    std::size_t taken = 0;
    for (const std::string& block : page.sections[s].blocks) {
      if (!is_prose(block) || block.size() < 60 || taken == 2) continue;
      if (block.find("Copyright") != std::string::npos) continue;
      ++taken;
      if (long_text.size() < 1500) long_text += (long_text.empty() ? "" : " ") + block;
      if (first) {
        out.push_back({PairKind::name, page.language, description, block});
        first = false;
      } else {
        out.push_back(
            {PairKind::heading, page.language,
             name_words(path) + ": " + description + ". " + lower_ascii(page.sections[s].heading),
             block});
      }
    }
  }
  if (long_text.size() > 500) {
    out.push_back({PairKind::page, page.language, description, std::move(long_text)});
  }
}

void add_passages(const Page& page, std::vector<Passage>& out) {
  for (const Section& section : page.sections) {
    std::string text;
    for (const std::string& block : section.blocks) {
      if (!is_prose(block) || block.find("Copyright") != std::string::npos) continue;
      text += (text.empty() ? "" : " ") + block;
      if (text.size() < 500) continue;
      out.push_back({Source::manual, page.language, std::move(text)});
      text.clear();
    }
    if (is_prose(text)) out.push_back({Source::manual, page.language, std::move(text)});
  }
}

using Paths = std::map<std::string, std::vector<std::pair<Language, std::string>>>;

/// Files by the path that all languages share: "man1/ls.1".
Paths paths_of(const std::string& root) {
  Paths out;
  for (Language language = 0; language < languages.size(); ++language) {
    std::string folder = root + "/usr/share/man/";
    if (language != english) folder += std::string(languages[language]) + "/";
    for (const std::string& file : files_below(folder)) {
      std::string path = file.substr(folder.size());
      if (!path.starts_with("man") || path.find('/') != 4) continue;
      if (path.ends_with(".gz")) path.resize(path.size() - 3);
      out[path].emplace_back(language, file);
    }
  }
  return out;
}

}  // namespace

Status read_manual_pages(const std::string& root, Corpus& corpus) {
  std::set<std::string> seen;
  for (const auto& [path, files] : paths_of(root)) {
    std::vector<Page> pages;
    for (const auto& [language, file] : files) {
      CAIRN_TRY(const std::string text, read_unpacked(file));
      if (!is_utf8(text)) continue;
      Page page{language, sections_of_page(text)};
      if (page.sections.size() >= 2) pages.push_back(std::move(page));
    }
    if (pages.empty()) continue;
    const Split split = split_of(path);
    add_translations(pages, seen, corpus.translations_of(split));
    for (const Page& page : pages) {
      add_pairs(path, page, corpus.pairs_of(split));
      if (split == Split::training) add_passages(page, corpus.passages);
    }
  }
  return ok_status();
}

}  // namespace cairn::mini
