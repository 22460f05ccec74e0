// SPDX-License-Identifier: Apache-2.0
// Documentation in HTML, reStructuredText and POD as headings and paragraphs.
#include <array>
#include <map>

#include "base/strings.h"
#include "corpus.h"

namespace cairn::mini {
namespace {

struct Block {
  bool is_heading = false;
  std::string text;
};
using Blocks = std::vector<Block>;

// --- HTML ------------------------------------------------------------------------------------

std::string entity(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> named{{
      {"amp", "&"},
      {"lt", "<"},
      {"gt", ">"},
      {"quot", "\""},
      {"apos", "'"},
      {"nbsp", " "},
      {"copy", " "},
      {"para", ""},
  }};
  for (const auto& [known, text] : named) {
    if (known == name) return std::string(text);
  }
  if (name == "#39" || name == "#8217") return "'";
  if (name == "#8212" || name == "#8211") return " - ";
  return " ";
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto end = text[i] == '&' ? text.find(';', i) : std::string_view::npos;
    if (end == std::string_view::npos || end - i > 10) {
      out += text[i];
    } else {
      out += entity(text.substr(i + 1, end - i - 1));
      i = end;
    }
  }
  return out;
}

class HtmlReader {
 public:
  Blocks read(std::string_view html) {
    for (std::size_t i = 0; i < html.size();) {
      const std::size_t open = std::min(html.find('<', i), html.size());
      if (skipped_.empty()) text_ += html.substr(i, open - i);
      const std::size_t close = std::min(html.find('>', open), html.size());
      if (open < html.size()) tag(html.substr(open + 1, close - open - 1));
      i = close + 1;
    }
    return std::move(blocks_);
  }

 private:
  void tag(std::string_view tag) {
    const bool closing = tag.starts_with('/');
    if (closing) tag.remove_prefix(1);
    const std::string name = lower_ascii(tag.substr(0, tag.find_first_of(" \t\n/")));
    if (!skipped_.empty()) {
      if (closing && name == skipped_) skipped_.clear();
      return;
    }
    constexpr std::array<std::string_view, 4> unread{"pre", "script", "style", "head"};
    for (const auto unread_name : unread) {
      if (name == unread_name && !closing) {
        close();
        skipped_ = name;
        return;
      }
    }
    const bool heading = name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6';
    constexpr std::array<std::string_view, 11> parting{"p",  "div", "li", "dd",    "dt", "td",
                                                       "ul", "dl",  "ol", "table", "br"};
    bool parts = heading;
    for (const auto part : parting) parts = parts || name == part;
    if (!parts) return;
    close();
    in_heading_ = heading && !closing;
  }

  void close() {
    std::string text = squeezed(unescaped(text_));
    text_.clear();
    while (text.ends_with("¶")) text.resize(text.size() - 2);
    if (!text.empty()) blocks_.push_back({in_heading_, std::move(text)});
  }

  Blocks blocks_;
  std::string text_;
  std::string skipped_;
  bool in_heading_ = false;
};

// --- reStructuredText and POD ----------------------------------------------------------------

bool is_rule(std::string_view line) {
  return line.size() >= 3 &&
         std::string_view("=-~^*#\"'").find(line[0]) != std::string_view::npos &&
         line.find_first_not_of(line[0]) == std::string_view::npos;
}

std::string without_marks(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != '`' && c != '*' && c != '|') out += c;
  }
  return out;
}

Blocks read_rst(std::string_view text) {
  Blocks out;
  std::string block;
  std::string before;
  const auto close = [&] {
    if (!block.empty()) out.push_back({false, squeezed(without_marks(block))});
    block.clear();
  };
  for (const std::string_view line : split(text, '\n')) {
    if (is_rule(line)) {
      if (!before.empty() && block == before) {
        out.push_back({true, squeezed(without_marks(before))});
        block.clear();
      }
    } else if (line.empty() || line.starts_with("..") || line.starts_with("   ") ||
               line.starts_with('\t')) {
      close();
    } else {
      block += (block.empty() ? "" : " ") + std::string(line);
    }
    before = line;
  }
  close();
  return out;
}

/// C<code>, B<<bold>>, L<text|target>: the text alone.
std::string without_pod_codes(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool opens =
        text[i] >= 'A' && text[i] <= 'Z' && i + 1 < text.size() && text[i + 1] == '<';
    if (opens) {
      ++i;
    } else if (text[i] != '<' && text[i] != '>') {
      out += text[i];
    }
  }
  return out;
}

Blocks read_pod(std::string_view text) {
  Blocks out;
  std::string block;
  const auto close = [&] {
    if (block.starts_with("=head")) {
      out.push_back({true, squeezed(without_pod_codes(std::string_view(block).substr(6)))});
    } else if (!block.empty() && block[0] != '=' && block[0] != ' ' && block[0] != '\t') {
      out.push_back({false, squeezed(without_pod_codes(block))});
    }
    block.clear();
  };
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) {
      close();
    } else {
      block += (block.empty() ? "" : "\n") + std::string(line);
    }
  }
  close();
  return out;
}

// --- what is learnt from them ----------------------------------------------------------------

bool is_paragraph(const Block& block) {
  return !block.is_heading && block.text.size() >= 50 && is_prose(block.text);
}

void add(const Blocks& blocks, Language language, Split split, Corpus& corpus) {
  std::string title;
  std::string heading;
  std::string passage;
  std::string long_text;
  std::size_t taken = 0;
  const auto close_passage = [&] {
    if (is_prose(passage) && split == Split::training) {
      corpus.passages.push_back({Source::documentation, language, std::move(passage)});
    }
    passage.clear();
  };
  const auto close_section = [&] {
    if (long_text.size() > 500 && heading.size() >= 6) {
      corpus.pairs_of(split).push_back({PairKind::page, language, heading, long_text});
    }
    long_text.clear();
  };
  for (const Block& block : blocks) {
    if (block.text == "Table of Contents" || block.text == "NAME") continue;
    if (block.is_heading) {
      close_passage();
      close_section();
      if (title.empty()) title = block.text;
      heading = block.text == title ? title : title + ": " + block.text;
      taken = 0;
      continue;
    }
    if (!is_paragraph(block)) continue;
    passage += (passage.empty() ? "" : " ") + block.text;
    if (long_text.size() < 1500) long_text += (long_text.empty() ? "" : " ") + block.text;
    if (passage.size() > 500) close_passage();
    if (heading.size() >= 6 && taken < 3) {
      corpus.pairs_of(split).push_back({PairKind::heading, language, heading, block.text});
      ++taken;
    }
  }
  close_passage();
  close_section();
}

Status read_all(const std::string& folder, std::string_view ending,
                Blocks (*read)(std::string_view), Corpus& corpus) {
  for (const std::string& file : files_below(folder)) {
    if (!file.ends_with(ending)) continue;
    if (file.find("/translations/") != std::string::npos) continue;
    CAIRN_TRY(const std::string text, read_unpacked(file));
    const Split split = split_of(std::string_view(file).substr(folder.size()));
    if (is_utf8(text)) add(read(text), english, split, corpus);
  }
  return ok_status();
}

Blocks read_html(std::string_view html) { return HtmlReader().read(html); }

/// The chapters of one book in several languages: NAME.<language>.html.
Status read_translated_book(const std::string& folder, Corpus& corpus) {
  std::map<std::string, std::vector<std::pair<Language, Blocks>>> chapters;
  for (Language language = 0; language < languages.size(); ++language) {
    const std::string ending = "." + std::string(languages[language].substr(0, 2)) + ".html";
    for (const std::string& file : files_below(folder)) {
      if (!file.ends_with(ending)) continue;
      CAIRN_TRY(const std::string text, read_unpacked(file));
      if (!is_utf8(text)) continue;
      Blocks blocks = read_html(text);
      add(blocks, language, Split::training, corpus);
      chapters[file.substr(0, file.size() - ending.size())].emplace_back(language,
                                                                         std::move(blocks));
    }
  }
  for (const auto& [name, versions] : chapters) {
    for (std::size_t b = 0; b < versions.front().second.size(); ++b) {
      Translations block;
      for (const auto& [language, blocks] : versions) {
        if (blocks.size() != versions.front().second.size()) continue;
        if (is_prose(blocks[b].text)) block.texts.emplace_back(language, blocks[b].text);
      }
      if (block.texts.size() >= 2) corpus.translations.push_back(std::move(block));
    }
  }
  return ok_status();
}

}  // namespace

Status read_documentation(const std::string& root, Corpus& corpus) {
  const std::string share = root + "/usr/share/";
  CAIRN_CHECK(read_all(share + "doc/python3.11/html", ".html", read_html, corpus));
  CAIRN_CHECK(read_all(share + "doc/postgresql-doc-15/html", ".html", read_html, corpus));
  CAIRN_CHECK(read_all(share + "doc/linux-doc-6.1/Documentation", ".rst.gz", read_rst, corpus));
  CAIRN_CHECK(read_all(share + "perl/5.36.0/pod", ".pod", read_pod, corpus));
  return read_translated_book(share + "debian-reference", corpus);
}

}  // namespace cairn::mini
