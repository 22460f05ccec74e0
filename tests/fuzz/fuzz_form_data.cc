// SPDX-License-Identifier: Apache-2.0
// Forms of browsers, read whole and in pieces, which must agree; and, where they can be read, as
// uploads of objects, whose policy nobody has signed.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "net/http/form_data.h"
#include "s3/form_policy.h"
#include "s3/signing/form_claim.h"
#include "s3api/forms/upload_form.h"

namespace {

using namespace cairn;

void require(bool holds) {
  if (!holds) std::abort();
}

class Pieces final : public net::BodyReader {
 public:
  Pieces(std::string_view text, std::size_t step) : text_(text), step_(step) {}
  Result<std::size_t> read(std::span<char> into) override {
    const std::size_t count = std::min({into.size(), step_, text_.size()});
    std::memcpy(into.data(), text_.data(), count);
    text_.remove_prefix(count);
    return count;
  }
  std::optional<std::uint64_t> length() const override { return std::nullopt; }
  const net::Headers& trailers() const override { return none_; }

 private:
  std::string_view text_;
  std::size_t step_;
  net::Headers none_;
};

// Names and bytes of all parts; or why not.
std::string read_form(std::string_view text, std::size_t step) {
  Pieces pieces(text, step);
  net::FormDataReader reader(pieces, "XX");
  std::string out;
  std::array<char, 777> buffer{};
  while (true) {
    const auto part = reader.next();
    if (!part.ok()) return part.error().message;
    if (!*part) return out;
    out += (*part)->name + "\n" + (*part)->filename.value_or("-") + "\n" + (*part)->content_type +
           "\n";
    while (true) {
      const auto count = reader.read(buffer);
      if (!count.ok()) return count.error().message;
      if (*count == 0) break;
      out.append(buffer.data(), *count);
    }
  }
}

void upload(std::string_view text) {
  Pieces pieces(text, 999);
  net::RequestHead head;
  head.method = "POST";
  head.target = "/b";
  head.headers.add("Content-Type", "multipart/form-data; boundary=XX");
  head.headers.add("Transfer-Encoding", "chunked");
  const auto form = s3api::read_upload_form(head, pieces, s3::Dialect::svc);
  if (!form.ok()) {
    require(!form.error().code.empty());
    return;
  }
  require(!(*form)->key.empty());
  for (const auto& [name, value] : (*form)->head.headers.fields())
    require(value.find_first_of("\r\n") == std::string::npos);
  if (const std::string* text_of_policy = (*form)->field("policy"))
    if (const auto policy = s3::parse_form_policy(*text_of_policy); policy.ok()) {
      (void)s3::check_form_policy(*policy, (*form)->fields, "b", policy->expires_ms - 1);
      require(
          s3::check_form_policy(*policy, (*form)->fields, "b", policy->expires_ms).error().code ==
          "AccessDenied");
    }
  static s3::SigningKeys keys;
  const auto claim = s3::read_form_claim((*form)->fields);
  if (claim.ok() && *claim)
    require(!s3::verify_form_claim(**claim, (*form)->fields,
                                   {.secret = "a secret that no input knows"}, keys)
                 .ok());
  std::array<char, 777> buffer{};
  while (true) {
    const auto count = (*form)->file->read(buffer);
    if (!count.ok() || *count == 0) return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string whole = read_form(text, SIZE_MAX);
  require(read_form(text, 1) == whole);
  require(read_form(text, 13) == whole);
  upload(text);
  (void)net::form_boundary(text);
  (void)s3::parse_form_policy(text);
  return 0;
}
