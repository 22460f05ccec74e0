// SPDX-License-Identifier: Apache-2.0
// BertNormalizer: cleaning, spaces around ideographs, accents, lower case. One pass does it all,
// but for text with marks whose order matters.
#include <unicode/normalizer2.h>

#include <array>
#include <utility>

#include "text/tokenizer/normalizers.h"

namespace cairn::text::tokenizer {
namespace {

bool is_ideograph(UChar32 c) {
  constexpr std::pair<UChar32, UChar32> ranges[] = {
      {0x4e00, 0x9fff},   {0x3400, 0x4dbf},   {0x20000, 0x2a6df}, {0x2a700, 0x2b73f},
      {0x2b740, 0x2b81f}, {0x2b920, 0x2ceaf}, {0xf900, 0xfaff},   {0x2f800, 0x2fa1f}};
  return c >= 0x3400 && std::any_of(std::begin(ranges), std::end(ranges), [c](const auto& range) {
           return c >= range.first && c <= range.second;
         });
}

class Bert : public Normalizer {
 public:
  Bert(BertOptions options, const icu::Normalizer2& decompose)
      : options_(options), decompose_(decompose) {
    for (int c = 0; c < 0x80; ++c) {
      auto& to = ascii_[static_cast<std::size_t>(c)];
      to = static_cast<unsigned char>(c);
      if (options_.lowercase && c >= 'A' && c <= 'Z')
        to = static_cast<unsigned char>(c - 'A' + 'a');
      if (!options_.clean) continue;
      if (c < 0x20 || c == 0x7f) to = dropped;
      if (c == '\t' || c == '\n' || c == '\r') to = ' ';
    }
  }

  Status apply(Work& work) const override {
    const std::string_view text = work.text.bytes();
    if (is_ascii(text)) return apply_ascii(work.text, text);
    if (options_.strip_accents && has_ordered_spacing_marks(text)) return apply_apart(work);
    Rewrite out(work.text);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t from = at;
      const UChar32 c = next_character(text, at);
      if (c < 0x80) {
        put_ascii(out, static_cast<char>(c), from);
        continue;
      }
      put(out, c, from);
    }
    return out.finish();
  }

 private:
  static constexpr unsigned char dropped = 0xff;

  void put_ascii(Rewrite& out, char c, std::size_t from) const {
    const unsigned char to = ascii_[static_cast<unsigned char>(c)];
    if (to != dropped) out.put(static_cast<UChar32>(to), from);
  }

  Status apply_ascii(Aligned& aligned, std::string_view text) const {
    bool same = true;
    for (const char c : text) {
      same &= ascii_[static_cast<unsigned char>(c)] == static_cast<unsigned char>(c);
    }
    if (same) return ok_status();
    Rewrite out(aligned);
    for (std::size_t at = 0; at < text.size(); ++at) put_ascii(out, text[at], at);
    return out.finish();
  }

  void put(Rewrite& out, UChar32 c, std::size_t from) const {
    if (is_ideograph(c)) {
      // Some compatibility ideographs are made of others; that comes after the spaces.
      if (options_.space_ideographs) out.put(U' ', from);
      put_without_accents(out, c, from);
      if (options_.space_ideographs) out.put(U' ', from);
      return;
    }
    if (options_.clean) {
      constexpr std::uint32_t others = U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK | U_GC_CS_MASK;
      if (c == replacement_character || (U_GET_GC_MASK(c) & others) != 0) return;
      if (u_isUWhiteSpace(c) != 0) return out.put(U' ', from);
    }
    put_without_accents(out, c, from);
  }

  void put_without_accents(Rewrite& out, UChar32 c, std::size_t from) const {
    if (!options_.strip_accents) return put_lowered(out, c, from);
    icu::UnicodeString parts;
    if (u_getIntPropertyValue(c, UCHAR_NFD_QUICK_CHECK) == UNORM_YES ||
        decompose_.getDecomposition(c, parts) == 0) {
      if ((U_GET_GC_MASK(c) & U_GC_MN_MASK) == 0) put_lowered(out, c, from);
      return;
    }
    for (std::int32_t i = 0; i < parts.length(); i = parts.moveIndex32(i, 1)) {
      const UChar32 part = parts.char32At(i);
      if ((U_GET_GC_MASK(part) & U_GC_MN_MASK) == 0) put_lowered(out, part, from);
    }
  }

  void put_lowered(Rewrite& out, UChar32 c, std::size_t from) const {
    if (!options_.lowercase) return out.put(c, from);
    lowered(c, [&](UChar32 one) { out.put(one, from); });
  }

  /// Marks that are reordered but are no accents.
  bool has_ordered_spacing_marks(std::string_view text) const {
    for (std::size_t at = 0; at < text.size();) {
      const UChar32 c = next_character(text, at);
      if (c < 0x300 || is_ideograph(c)) continue;
      const std::uint32_t category = U_GET_GC_MASK(c);
      if ((category & (U_GC_MC_MASK | U_GC_ME_MASK)) != 0 && decompose_.getCombiningClass(c) != 0)
        return true;
      // Those that come out of a decomposition: musical notes.
      if (c >= 0x1d15e && c <= 0x1d1c0) return true;
    }
    return false;
  }

  /// The same, step by step.
  Status apply_apart(Work& work) const {
    BertOptions first = options_;
    first.strip_accents = false;
    first.lowercase = false;
    CAIRN_CHECK(Bert(first, decompose_).apply(work));
    CAIRN_TRY(const auto form, unicode_form(UnicodeForm::nfd));
    CAIRN_CHECK(form->apply(work));
    const std::string_view text = work.text.bytes();
    Rewrite out(work.text);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t from = at;
      const UChar32 c = next_character(text, at);
      if (c < 0x300 || (U_GET_GC_MASK(c) & U_GC_MN_MASK) == 0) put_lowered(out, c, from);
    }
    return out.finish();
  }

  BertOptions options_;
  const icu::Normalizer2& decompose_;
  std::array<unsigned char, 0x80> ascii_{};
};

}  // namespace

Result<std::unique_ptr<const Normalizer>> bert_normalizer(BertOptions options) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* nfd = icu::Normalizer2::getNFDInstance(status);
  if (U_FAILURE(status) || nfd == nullptr) return wrong_file("Unicode data is missing");
  return std::unique_ptr<const Normalizer>(std::make_unique<Bert>(options, *nfd));
}

}  // namespace cairn::text::tokenizer
