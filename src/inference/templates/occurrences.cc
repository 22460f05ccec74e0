// SPDX-License-Identifier: Apache-2.0
#include "inference/templates/occurrences.h"

#include <cstring>

namespace cairn::inference::templates {
namespace {

/// As text.find(part, from), whose time is the product of the lengths for some strings.
std::size_t find_from(std::string_view text, std::string_view part, std::size_t from) {
  if (part.size() > text.size() - from) return std::string_view::npos;
  const void* const found =
      ::memmem(text.data() + from, text.size() - from, part.data(), part.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

}  // namespace

Occurrences::Occurrences(std::string_view text, std::string_view part, From from)
    : text_(text), part_(part), from_(from) {
  if (from_ == From::beginning) return;
  reversed_text_.assign(text.rbegin(), text.rend());
  reversed_part_.assign(part.rbegin(), part.rend());
  text_ = reversed_text_;
  part_ = reversed_part_;
}

std::size_t Occurrences::next() {
  if (done_ == std::string_view::npos) return done_;
  const std::size_t at = find_from(text_, part_, done_);
  done_ = at == std::string_view::npos ? at : at + part_.size();
  if (at == std::string_view::npos || from_ == From::beginning) return at;
  return text_.size() - done_;
}

bool stands_in(std::string_view text, std::string_view part) {
  return part.empty() || find_from(text, part, 0) != std::string_view::npos;
}

}  // namespace cairn::inference::templates
