// SPDX-License-Identifier: Apache-2.0
// Regular expressions by ICU.
#include "text/regex.h"

#include <unicode/regex.h>
#include <unicode/utext.h>

namespace cairn::text {
namespace {

// ICU counts in units of 10,000 matching steps; a step is some nanoseconds.
constexpr std::int32_t step_limit = 500;
constexpr std::int32_t stack_limit_bytes = 8 << 20;

struct CloseMatchedText {
  void operator()(UText* text) const { utext_close(text); }
};

Error faulty(std::string_view pattern, std::string why) {
  return Error{.kind = ErrorKind::invalid_argument,
               .code = "illegal_argument_exception",
               .message = "Regular expression [" + std::string(pattern) + "] " + std::move(why)};
}

}  // namespace

struct Regex::Impl {
  std::string source;
  std::unique_ptr<icu::RegexPattern> pattern;
};

Regex::Regex(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Regex::~Regex() = default;
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;

Result<Regex> Regex::compile(std::string_view pattern) {
  UErrorCode status = U_ZERO_ERROR;
  UParseError where{};
  auto impl = std::make_unique<Impl>();
  impl->source = std::string(pattern);
  const auto text = icu::UnicodeString::fromUTF8(
      icu::StringPiece(pattern.data(), static_cast<std::int32_t>(pattern.size())));
  impl->pattern.reset(icu::RegexPattern::compile(text, UREGEX_MULTILINE, where, status));
  if (U_FAILURE(status) || impl->pattern == nullptr) {
    return faulty(pattern, "is not valid: " + std::string(u_errorName(status)) + " at character " +
                               std::to_string(where.offset));
  }
  return Regex(std::move(impl));
}

Result<std::vector<std::pair<std::size_t, std::size_t>>> Regex::find_all(
    std::string_view input) const {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<UText, CloseMatchedText> text(
      utext_openUTF8(nullptr, input.data(), static_cast<std::int64_t>(input.size()), &status));
  const std::unique_ptr<icu::RegexMatcher> matcher(impl_->pattern->matcher(status));
  std::vector<std::pair<std::size_t, std::size_t>> found;
  if (U_SUCCESS(status)) {
    matcher->setTimeLimit(step_limit, status);
    matcher->setStackLimit(stack_limit_bytes, status);
    matcher->reset(text.get());
    while (matcher->find(status)) {
      found.emplace_back(matcher->start64(status), matcher->end64(status));
    }
  }
  if (U_FAILURE(status)) {
    return faulty(impl_->source,
                  "takes too many steps on this text: " + std::string(u_errorName(status)));
  }
  return found;
}

}  // namespace cairn::text
