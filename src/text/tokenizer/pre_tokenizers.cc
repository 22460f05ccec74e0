// SPDX-License-Identifier: Apache-2.0
// The steps and how they are read.
#include "text/tokenizer/pre_tokenizers.h"

#include <utility>

#include "text/tokenizer/byte_level.h"
#include "text/tokenizer/patterns.h"
#include "text/tokenizer/pieces.h"

namespace cairn::text::tokenizer {
namespace {

constexpr std::size_t most_pre_tokenizers = 32;

/// Steps that only cut: `cut(text, piece, out)` for each piece.
template <class Cut>
Status cut_each(Work& work, Cut cut) {
  work.finer.clear();
  const std::string_view text = work.text.bytes();
  for (const Span piece : work.pieces) {
    if (!work.steps->go_on()) return work.steps->status();
    CAIRN_CHECK(cut(text, piece, work.finer));
  }
  std::swap(work.pieces, work.finer);
  return ok_status();
}

/// BertPreTokenizer: white space is dropped, punctuation stands alone.
class BertWords : public PreTokenizer {
 public:
  Status apply(Work& work) const override {
    return cut_each(work, [](std::string_view text, Span piece, std::vector<Span>& out) {
      const std::string_view part = text.substr(0, piece.end);
      std::size_t begin = piece.begin;
      for (std::size_t at = piece.begin; at < piece.end;) {
        const std::size_t character = at;
        const UChar32 c = next_character(part, at);
        const bool space = is_space(c);
        if (!space && !is_punctuation(c)) continue;
        if (character > begin) out.push_back(span_of(begin, character));
        if (!space) out.push_back(span_of(character, at));
        begin = at;
      }
      if (begin < piece.end) out.push_back(span_of(begin, piece.end));
      return ok_status();
    });
  }
};

/// Whitespace: words and runs of what is neither word nor space.
class WordsAndOthers : public PreTokenizer {
 public:
  Status apply(Work& work) const override {
    return cut_each(work, [](std::string_view text, Span piece, std::vector<Span>& out) {
      enum class Part { space, word, other };
      const std::string_view part = text.substr(0, piece.end);
      std::size_t begin = piece.begin;
      Part open = Part::space;
      for (std::size_t at = piece.begin; at < piece.end;) {
        const std::size_t character = at;
        const UChar32 c = next_character(part, at);
        const Part now = is_space(c) ? Part::space : is_word(c) ? Part::word : Part::other;
        if (now == open) continue;
        if (open != Part::space) out.push_back(span_of(begin, character));
        begin = character;
        open = now;
      }
      if (open != Part::space) out.push_back(span_of(begin, piece.end));
      return ok_status();
    });
  }
};

/// WhitespaceSplit, Punctuation, Digits: cut at characters of a class.
class AtCharacters : public PreTokenizer {
 public:
  using IsMatch = bool (*)(UChar32);
  AtCharacters(IsMatch is_match, Behavior behavior) : is_match_(is_match), behavior_(behavior) {}

  Status apply(Work& work) const override {
    return cut_each(work, [this](std::string_view text, Span piece, std::vector<Span>& out) {
      cut_at_characters(text, piece, behavior_, is_match_, out);
      return ok_status();
    });
  }

 private:
  IsMatch is_match_;
  Behavior behavior_;
};

class Split : public PreTokenizer {
 public:
  Split(std::unique_ptr<const Pattern> pattern, Behavior behavior, bool invert)
      : pattern_(std::move(pattern)), behavior_(behavior), invert_(invert) {}

  Status apply(Work& work) const override {
    return cut_each(work,
                    [this](std::string_view text, Span piece, std::vector<Span>& out) -> Status {
                      Cutter cutter(behavior_, out);
                      CAIRN_CHECK(pattern_->cut(text, piece, invert_, cutter));
                      cutter.finish();
                      return ok_status();
                    });
  }

 private:
  std::unique_ptr<const Pattern> pattern_;
  Behavior behavior_;
  bool invert_;
};

enum class Scheme { always, first, never };

/// Metaspace: spaces become a visible character, and one comes before the text.
class Metaspace : public PreTokenizer {
 public:
  Metaspace(std::string mark, Scheme scheme, bool split)
      : mark_(std::move(mark)), scheme_(scheme), split_(split) {}

  bool needs_origins() const override { return scheme_ == Scheme::first; }

  Status apply(Work& work) const override {
    const std::string_view text = work.text.bytes();
    Rewrite out(work.text);
    work.finer.clear();
    for (const Span piece : work.pieces) {
      if (!work.steps->go_on()) return work.steps->status();
      const std::size_t begin = out.size();
      rewrite_piece(work.text, text, piece, out);
      work.finer.push_back(span_of(begin, out.size()));
    }
    CAIRN_CHECK(out.finish());
    std::swap(work.pieces, work.finer);
    return split_ ? split(work) : ok_status();
  }

 private:
  void rewrite_piece(const Aligned& aligned, std::string_view text, Span piece,
                     Rewrite& out) const {
    const std::string_view part = piece.of(text);
    const bool marked = part.starts_with(' ') || part.starts_with(mark_);
    const bool wanted = scheme_ == Scheme::always ||
                        (scheme_ == Scheme::first && aligned.origin(piece.begin).begin == 0);
    if (!marked && wanted) out.put(mark_, piece.begin);
    for (std::size_t at = piece.begin; at < piece.end;) {
      std::size_t space = text.substr(0, piece.end).find(' ', at);
      if (space >= piece.end) space = piece.end;
      if (space > at) out.keep(at, space);
      at = space;
      if (at < piece.end) out.put(mark_, at++);
    }
  }

  Status split(Work& work) const {
    return cut_each(work, [this](std::string_view text, Span piece, std::vector<Span>& out) {
      // A mark begins a piece; marks in a row are pieces by themselves.
      const std::string_view part = text.substr(0, piece.end);
      std::size_t begin = piece.begin;
      for (std::size_t at = part.find(mark_, begin + 1); at < piece.end;
           at = part.find(mark_, at + mark_.size())) {
        out.push_back(span_of(begin, at));
        begin = at;
      }
      out.push_back(span_of(begin, piece.end));
      return ok_status();
    });
  }

  std::string mark_;
  Scheme scheme_;
  bool split_;
};

class ByteLevel : public PreTokenizer {
 public:
  ByteLevel(bool add_space, bool by_pattern, bool alphabet)
      : add_space_(add_space), alphabet_(alphabet) {
    if (by_pattern) pattern_ = gpt2_pattern();
  }

  Status apply(Work& work) const override {
    if (add_space_) CAIRN_CHECK(add_spaces(work));
    if (pattern_ != nullptr) {
      CAIRN_CHECK(cut_each(work, [this](std::string_view text, Span piece, std::vector<Span>& out) {
        Cutter cutter(Behavior::isolated, out);
        return pattern_->cut(text, piece, false, cutter);
      }));
    }
    return alphabet_ ? spell(work) : ok_status();
  }

 private:
  static Status add_spaces(Work& work) {
    const std::string_view text = work.text.bytes();
    bool marked = true;
    for (const Span piece : work.pieces) marked &= text[piece.begin] == ' ';
    if (marked) return ok_status();
    Rewrite out(work.text);
    for (Span& piece : work.pieces) {
      if (!work.steps->go_on()) return work.steps->status();
      const std::size_t begin = out.size();
      if (text[piece.begin] != ' ') out.put(U' ', piece.begin);
      out.keep(piece.begin, piece.end);
      piece = span_of(begin, out.size());
    }
    return out.finish();
  }

  static Status spell(Work& work) {
    const std::string_view text = work.text.bytes();
    Rewrite out(work.text);
    for (Span& piece : work.pieces) {
      if (!work.steps->go_on()) return work.steps->status();
      const std::size_t begin = out.size();
      for (std::size_t at = piece.begin; at < piece.end; ++at)
        out.put(byte_characters()[static_cast<unsigned char>(text[at])], at);
      piece = span_of(begin, out.size());
    }
    return out.finish();
  }

  bool add_space_;
  bool alphabet_;
  std::unique_ptr<const Pattern> pattern_;
};

using MadeStep = Result<std::unique_ptr<const PreTokenizer>>;

template <class Step, class... Values>
MadeStep made_step(Values&&... values) {
  return std::unique_ptr<const PreTokenizer>(
      std::make_unique<Step>(std::forward<Values>(values)...));
}

Result<Behavior> read_behavior(const Fields& fields) {
  CAIRN_TRY(const std::string name, fields.string("behavior", "Isolated"));
  const auto behavior = behavior_of(name);
  if (!behavior) {
    return fields.wrong("behavior",
                        "must be Removed, Isolated, MergedWithPrevious, MergedWithNext or "
                        "Contiguous");
  }
  return *behavior;
}

MadeStep read_split(const Fields& fields) {
  CAIRN_TRY(const Behavior behavior, read_behavior(fields));
  CAIRN_TRY(const bool invert, fields.boolean("invert", false));
  const Json* pattern = fields.find("pattern");
  if (pattern != nullptr) {
    if (const std::string text = pattern->string_or("String"); !text.empty())
      return made_step<Split>(text_pattern(text), behavior, invert);
    if (const std::string source = pattern->string_or("Regex"); !source.empty()) {
      CAIRN_TRY(auto read, read_pattern(source));
      return made_step<Split>(std::move(read), behavior, invert);
    }
  }
  return fields.wrong("pattern", "must have String or Regex, not empty");
}

MadeStep read_metaspace(const Fields& fields) {
  CAIRN_TRY(std::string mark, fields.character("replacement", "▁"));
  CAIRN_TRY(const bool adds, fields.boolean("add_prefix_space", true));
  CAIRN_TRY(const std::string name, fields.string("prepend_scheme", adds ? "always" : "never"));
  CAIRN_TRY(const bool split, fields.boolean("split", true));
  if (name != "always" && name != "first" && name != "never")
    return fields.wrong("prepend_scheme", "must be always, first or never");
  const Scheme scheme = !adds || name == "never" ? Scheme::never
                        : name == "first"        ? Scheme::first
                                                 : Scheme::always;
  return made_step<Metaspace>(std::move(mark), scheme, split);
}

MadeStep read_byte_level(const Fields& fields, bool alphabet) {
  CAIRN_TRY(const bool adds, fields.boolean("add_prefix_space", true));
  CAIRN_TRY(const bool by_pattern, fields.boolean("use_regex", true));
  return made_step<ByteLevel>(adds, by_pattern, alphabet);
}

MadeStep read_one_step(const Fields& fields, const std::string& type) {
  if (type == "BertPreTokenizer") return made_step<BertWords>();
  if (type == "Whitespace") return made_step<WordsAndOthers>();
  if (type == "WhitespaceSplit") return made_step<AtCharacters>(is_space, Behavior::removed);
  if (type == "Punctuation") {
    CAIRN_TRY(const Behavior behavior, read_behavior(fields));
    return made_step<AtCharacters>(is_punctuation, behavior);
  }
  if (type == "Digits") {
    CAIRN_TRY(const bool apart, fields.boolean("individual_digits", false));
    return made_step<AtCharacters>(is_number, apart ? Behavior::isolated : Behavior::contiguous);
  }
  if (type == "Split") return read_split(fields);
  if (type == "Metaspace") return read_metaspace(fields);
  return fields.unknown_type(type,
                             "BertPreTokenizer, Whitespace, WhitespaceSplit, Metaspace, ByteLevel, "
                             "Split, Punctuation, Digits, Sequence");
}

/// The steps of nested sequences, in order, with the places where they stand.
Status flatten(const Json& json, const std::string& path,
               std::vector<std::pair<const Json*, std::string>>& out) {
  if (json.is_null()) return ok_status();
  const Fields fields(json, path);
  CAIRN_TRY(const std::string type, fields.type());
  if (type != "Sequence") {
    if (out.size() == most_pre_tokenizers) {
      return wrong_file("[pre_tokenizer] has more than " + std::to_string(most_pre_tokenizers) +
                        " steps");
    }
    out.emplace_back(&json, path);
    return ok_status();
  }
  CAIRN_TRY(const Json::Array* steps, fields.array("pretokenizers"));
  if (steps == nullptr) return fields.wrong("pretokenizers", "must be an array");
  for (std::size_t i = 0; i < steps->size(); ++i)
    CAIRN_CHECK(flatten((*steps)[i], path + ".pretokenizers[" + std::to_string(i) + "]", out));
  return ok_status();
}

}  // namespace

std::optional<Behavior> behavior_of(std::string_view name) {
  if (name == "Removed") return Behavior::removed;
  if (name == "Isolated") return Behavior::isolated;
  if (name == "MergedWithPrevious") return Behavior::merged_with_previous;
  if (name == "MergedWithNext") return Behavior::merged_with_next;
  if (name == "Contiguous") return Behavior::contiguous;
  return std::nullopt;
}

Result<PreTokenizers> read_pre_tokenizers(const Json& pre_tokenizer, bool want_plain_bytes) {
  std::vector<std::pair<const Json*, std::string>> found;
  CAIRN_CHECK(flatten(pre_tokenizer, "pre_tokenizer", found));
  PreTokenizers out;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Fields fields(*found[i].first, found[i].second);
    CAIRN_TRY(const std::string type, fields.type());
    if (type == "ByteLevel") {
      const bool plain = want_plain_bytes && i + 1 == found.size();
      CAIRN_TRY(auto step, read_byte_level(fields, !plain));
      out.steps.push_back(std::move(step));
      out.plain_bytes = plain;
      continue;
    }
    CAIRN_TRY(auto step, read_one_step(fields, type));
    out.steps.push_back(std::move(step));
  }
  return out;
}

}  // namespace cairn::text::tokenizer
