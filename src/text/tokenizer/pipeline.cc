// SPDX-License-Identifier: Apache-2.0
// The steps in their order, on buffers of the thread.
#include "text/tokenizer/pipeline.h"

#include <utility>

#include "base/strings.h"

namespace cairn::text::tokenizer {
namespace {

constexpr std::size_t most_input_bytes = 1U << 30;
// So many bytes of a linear pass count as one step.
constexpr std::size_t bytes_of_step = 64;

/// The input where it is not UTF-8: faulty bytes as U+FFFD, and what each byte came from.
struct Repaired {
  std::string text;
  std::vector<Span> origins;
};

void repair(std::string_view input, Repaired& out) {
  for (std::size_t at = 0; at < input.size();) {
    const std::size_t begin = at;
    append_character(out.text, next_character(input, at));
    out.origins.resize(out.text.size(), span_of(begin, at));
  }
}

struct Buffers {
  Work work;
  std::vector<AddedPart> raw;
  std::vector<AddedPart> parts;
};

Buffers& buffers() {
  thread_local Buffers of_thread;
  return of_thread;
}

template <class T>
void shrink(std::vector<T>& buffer) {
  constexpr std::size_t kept_elements = 1U << 16;
  if (buffer.capacity() > kept_elements) buffer = {};
}

void shrink(Buffers& all) {
  all.work.text.shrink();
  shrink(all.work.changes);
  shrink(all.work.pieces);
  shrink(all.work.finer);
  shrink(all.work.paths);
  shrink(all.work.found);
  shrink(all.work.symbols);
  shrink(all.work.merges);
  shrink(all.raw);
  shrink(all.parts);
}

/// One run: the input and what is wanted of it.
class Run {
 public:
  Run(const Pipeline& pipeline, const Pipeline::Wanted& wanted, os::Steps& steps)
      : pipeline_(pipeline), wanted_(wanted), all_(buffers()) {
    all_.work.steps = &steps;
    tracked_ = wanted.ranges;
    for (const auto& step : pipeline.pre_tokenizers.steps) tracked_ |= step->needs_origins();
    tracked_ |= wanted.trusted.has_value() && !pipeline.added.normalized().empty();
    all_.work.barred = pipeline.barred.of(wanted.trusted.has_value());
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() {
    all_.work.steps = nullptr;
    all_.work.barred = nullptr;
    shrink(all_);
  }

  /// Calls `words(text, pieces, out)` for what lies between added tokens.
  template <class Words>
  Status go(std::string_view input, TokenList* out, Words words) {
    if (input.size() > most_input_bytes) {
      return Error{.kind = ErrorKind::too_large,
                   .message = "tokenizer: texts may have at most 1 GiB"};
    }
    if (!is_utf8(input)) {
      repair(input, repaired_);
      input = repaired_.text;
      origins_ = repaired_.origins.data();
    }
    const AddedMatcher& raw = pipeline_.added.raw();
    if (raw.empty()) return part(input, {span_of(0, input.size()), std::nullopt}, out, words);
    all_.raw.clear();
    if (!wanted_.trusted) {
      raw.split(input, wanted_.match_special, all_.raw);
    } else if (origins_ == nullptr) {
      raw.split_within(input, *wanted_.trusted, all_.raw);
    } else {
      const auto origin_of = [this](std::size_t at) { return origins_[at]; };
      raw.split_within(input, trusted_parts(input.size(), *wanted_.trusted, origin_of), all_.raw);
    }
    for (const AddedPart& one : all_.raw) {
      CAIRN_CHECK(part(input, one, out, words));
      if (is_full(out)) break;
    }
    return ok_status();
  }

 private:
  bool is_full(const TokenList* out) const {
    return out != nullptr && out->ids.size() > wanted_.limit;
  }

  template <class Words>
  Status part(std::string_view input, const AddedPart& one, TokenList* out, Words& words) {
    if (one.span.begin == one.span.end) return ok_status();
    Aligned& text = all_.work.text;
    const Span* origins = origins_ == nullptr ? nullptr : origins_ + one.span.begin;
    text.reset(one.span.of(input), one.span.begin, origins, tracked_ || origins != nullptr);
    if (one.id) {
      add(*one.id, span_of(0, text.bytes().size()), out);
      return ok_status();
    }
    for (const auto& step : pipeline_.normalizers) {
      CAIRN_CHECK(all_.work.steps->take(1 + text.bytes().size() / bytes_of_step));
      CAIRN_CHECK(step->apply(all_.work));
    }
    if (pipeline_.added.normalized().empty())
      return between(span_of(0, text.bytes().size()), out, words);
    all_.parts.clear();
    split_normalized(text);
    if (all_.parts.size() == 1 && !all_.parts.front().id)
      return between(all_.parts.front().span, out, words);
    // Pre-tokenizers rewrite the text: each part begins with a text of its own.
    const std::string normalized(text.bytes());
    std::vector<Span> spans;
    if (text.tracked())
      for (std::size_t at = 0; at < normalized.size(); ++at) spans.push_back(text.origin(at));
    const std::uint32_t base = text.base();
    for (const AddedPart& normal : all_.parts) {
      text.reset(normal.span.of(normalized), spans.empty() ? base + normal.span.begin : base,
                 spans.empty() ? nullptr : spans.data() + normal.span.begin, !spans.empty());
      if (normal.id) {
        add(*normal.id, span_of(0, text.bytes().size()), out);
      } else {
        CAIRN_CHECK(between(span_of(0, text.bytes().size()), out, words));
      }
      if (is_full(out)) break;
    }
    return ok_status();
  }

  void split_normalized(const Aligned& text) {
    const AddedMatcher& matcher = pipeline_.added.normalized();
    if (!wanted_.trusted) {
      matcher.split(text.bytes(), wanted_.match_special, all_.parts);
      return;
    }
    const auto origin_of = [&text](std::size_t at) { return text.origin(at); };
    matcher.split_within(
        text.bytes(), trusted_parts(text.bytes().size(), *wanted_.trusted, origin_of), all_.parts);
  }

  void add(std::uint32_t id, Span span, TokenList* out) {
    if (out == nullptr) return;
    const Span origin = out->with_spans ? all_.work.text.origin(span) : span;
    out->add(id, origin.begin, origin.end);
  }

  template <class Words>
  Status between(Span whole, TokenList* out, Words& words) {
    Work& work = all_.work;
    work.pieces.clear();
    if (whole.end > whole.begin) work.pieces.push_back(whole);
    for (const auto& step : pipeline_.pre_tokenizers.steps) {
      CAIRN_CHECK(work.steps->take(1 + work.text.bytes().size() / bytes_of_step));
      CAIRN_CHECK(step->apply(work));
    }
    const std::size_t first = out == nullptr ? 0 : out->spans.size();
    CAIRN_CHECK(words(work, out));
    if (out != nullptr && out->with_spans)
      for (std::size_t i = first; i < out->spans.size(); ++i)
        out->spans[i] = work.text.origin(out->spans[i]);
    return ok_status();
  }

  const Pipeline& pipeline_;
  const Pipeline::Wanted& wanted_;
  Buffers& all_;
  Repaired repaired_;
  const Span* origins_ = nullptr;
  bool tracked_ = false;
};

}  // namespace

Status Pipeline::run(std::string_view text, const Wanted& wanted, os::Steps& steps,
                     TokenList& out) const {
  out.with_spans = wanted.ranges;
  return Run(*this, wanted, steps).go(text, &out, [&](Work& work, TokenList* tokens) {
    return model->encode(work.text.bytes(), work.pieces, work, *tokens, wanted.limit);
  });
}

Status Pipeline::words(std::string_view text, os::Steps& steps,
                       std::vector<std::string>& out) const {
  const Wanted wanted;
  return Run(*this, wanted, steps).go(text, nullptr, [&](Work& work, TokenList*) {
    for (const Span piece : work.pieces) out.emplace_back(piece.of(work.text.bytes()));
    return ok_status();
  });
}

Result<Pipeline> read_pipeline(const Json& tokenizer) {
  static const Json null;
  const Fields fields(tokenizer, "");
  const auto member = [&](std::string_view name) -> const Json& {
    const Json* found = fields.find(name);
    return found == nullptr ? null : *found;
  };
  const Json& model = member("model");
  if (!model.is_object()) return wrong_file("[model] must be an object");
  const Fields model_fields(model, "model");
  CAIRN_TRY(std::string type, model_fields.type());
  if (type.empty()) {  // of old files: by what it has
    const Json* vocab = model.find("vocab");
    type = model.find("merges") != nullptr         ? "BPE"
           : vocab != nullptr && vocab->is_array() ? "Unigram"
                                                   : "WordPiece";
  }
  Pipeline out;
  CAIRN_TRY(out.normalizers, read_normalizers(member("normalizer")));
  const bool plain_bytes = type == "BPE" && model.string_or("continuing_subword_prefix").empty() &&
                           model.string_or("end_of_word_suffix").empty() &&
                           !model.bool_or("byte_fallback");
  CAIRN_TRY(out.pre_tokenizers, read_pre_tokenizers(member("pre_tokenizer"), plain_bytes));
  if (type == "WordPiece") {
    CAIRN_TRY(out.model, read_wordpiece(model_fields));
  } else if (type == "Unigram") {
    CAIRN_TRY(out.model, read_unigram(model_fields));
  } else if (type == "BPE") {
    CAIRN_TRY(out.model, read_bpe(model_fields, out.pre_tokenizers.plain_bytes));
  } else {
    return model_fields.unknown_type(type, "WordPiece, Unigram, BPE");
  }
  CAIRN_TRY(out.added,
            AddedTokens::read(member("added_tokens"), out.normalizers, out.model->vocabulary()));
  out.barred = BarredTokens(out.added, out.model->vocabulary());
  return out;
}

Result<Pipeline> bert_pipeline(std::string_view vocab_txt, BertOptions options) {
  if (!is_utf8(vocab_txt)) return wrong_file("vocab.txt is not UTF-8");
  Pipeline out;
  CAIRN_TRY(auto normalizer, bert_normalizer(options));
  out.normalizers.push_back(std::move(normalizer));
  CAIRN_TRY(out.pre_tokenizers,
            read_pre_tokenizers(Json::object({{"type", "BertPreTokenizer"}}), false));
  CAIRN_TRY(out.model, wordpiece_of_lines(vocab_txt));
  std::vector<AddedToken> special;
  for (const char* content : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) {
    if (const auto id = out.model->vocabulary().id_of(content))
      special.push_back({.content = content, .id = *id, .special = true});
  }
  CAIRN_TRY(out.added,
            AddedTokens::build(std::move(special), out.normalizers, out.model->vocabulary()));
  out.barred = BarredTokens(out.added, out.model->vocabulary());
  return out;
}

}  // namespace cairn::text::tokenizer
