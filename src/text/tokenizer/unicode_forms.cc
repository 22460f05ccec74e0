// SPDX-License-Identifier: Apache-2.0
// NFC, NFD, NFKC and NFKD. Where origins are wanted the form is made character by character, as
// the origins of composed and reordered characters follow from how they came about.
#include <unicode/normalizer2.h>

#include <algorithm>

#include "text/tokenizer/normalizers.h"

namespace cairn::text::tokenizer {
namespace {

struct Pending {
  UChar32 c;
  int change;
  std::uint8_t order;  // the canonical combining class
};

/// Composes a stream of decomposed characters (Unicode, chapter 3.11).
class Composer {
 public:
  Composer(const icu::Normalizer2& composing, std::vector<Change>& out)
      : composing_(composing), out_(out) {}

  void take(Pending next) {
    if (!has_starter_) {
      if (next.order != 0) {
        out_.push_back({next.c, next.change});
      } else {
        start(next);
      }
      return;
    }
    const bool blocked = last_order_ >= 0 && last_order_ >= next.order;
    if (!blocked) {
      const UChar32 both = composing_.composePair(starter_.c, next.c);
      if (both >= 0) {
        starter_ = {both, starter_.change + next.change - 1};
        return;
      }
    }
    if (next.order == 0) {
      flush();
      start(next);
      return;
    }
    after_.push_back({next.c, next.change});
    last_order_ = next.order;
  }

  void flush() {
    if (!has_starter_) return;
    out_.push_back(starter_);
    out_.insert(out_.end(), after_.begin(), after_.end());
    after_.clear();
    has_starter_ = false;
    last_order_ = -1;
  }

 private:
  void start(Pending next) {
    starter_ = {next.c, next.change};
    has_starter_ = true;
    last_order_ = -1;
  }

  const icu::Normalizer2& composing_;
  std::vector<Change>& out_;
  Change starter_{};
  bool has_starter_ = false;
  int last_order_ = -1;
  std::vector<Change> after_;
};

class Form : public Normalizer {
 public:
  Form(const icu::Normalizer2& form, const icu::Normalizer2* composing)
      : form_(form), composing_(composing) {}

  Status apply(Work& work) const override {
    const std::string_view text = work.text.bytes();
    if (is_ascii(text)) return ok_status();
    UErrorCode status = U_ZERO_ERROR;
    const icu::StringPiece piece(text.data(), static_cast<std::int32_t>(text.size()));
    if (form_.isNormalizedUTF8(piece, status) != 0 && U_SUCCESS(status)) return ok_status();
    make_changes(text, work.changes);
    return rewrite(work.text, work.changes);
  }

 private:
  void make_changes(std::string_view text, std::vector<Change>& out) const {
    out.clear();
    Composer composer(composing_ == nullptr ? form_ : *composing_, out);
    std::vector<Pending> marks;  // not yet in canonical order
    const auto pass = [&](const Pending& one) {
      if (composing_ == nullptr) {
        out.push_back({one.c, one.change});
      } else {
        composer.take(one);
      }
    };
    const auto pass_marks = [&] {
      std::stable_sort(marks.begin(), marks.end(),
                       [](const Pending& a, const Pending& b) { return a.order < b.order; });
      for (const Pending& mark : marks) pass(mark);
      marks.clear();
    };
    const auto take = [&](UChar32 c, int change) {
      const Pending one{c, change, c < 0x300 ? std::uint8_t{0} : form_.getCombiningClass(c)};
      if (one.order != 0) {
        marks.push_back(one);
        return;
      }
      if (!marks.empty()) pass_marks();
      pass(one);
    };
    icu::UnicodeString parts;
    for (std::size_t at = 0; at < text.size();) {
      const UChar32 c = next_character(text, at);
      if (c < 0x80 || form_.getDecomposition(c, parts) == 0) {
        take(c, 0);
        continue;
      }
      for (std::int32_t i = 0; i < parts.length(); i = parts.moveIndex32(i, 1))
        take(parts.char32At(i), i == 0 ? 0 : 1);
    }
    pass_marks();
    composer.flush();
  }

  const icu::Normalizer2& form_;
  const icu::Normalizer2* composing_;  // of composing forms: by canonical pairs
};

}  // namespace

Result<std::unique_ptr<const Normalizer>> unicode_form(UnicodeForm form) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* nfc = icu::Normalizer2::getNFCInstance(status);
  const icu::Normalizer2* one = nullptr;
  switch (form) {
    case UnicodeForm::nfc:
      one = nfc;
      break;
    case UnicodeForm::nfd:
      one = icu::Normalizer2::getNFDInstance(status);
      break;
    case UnicodeForm::nfkc:
      one = icu::Normalizer2::getNFKCInstance(status);
      break;
    case UnicodeForm::nfkd:
      one = icu::Normalizer2::getNFKDInstance(status);
      break;
  }
  if (U_FAILURE(status) || one == nullptr) return wrong_file("Unicode data is missing");
  const bool composes = form == UnicodeForm::nfc || form == UnicodeForm::nfkc;
  return std::unique_ptr<const Normalizer>(std::make_unique<Form>(*one, composes ? nfc : nullptr));
}

}  // namespace cairn::text::tokenizer
