// SPDX-License-Identifier: Apache-2.0
// A form of a browser that uploads one file to a bucket: its fields say what header fields say of a
// PutObject, and its file is the object's bytes.
// Source: the API reference of the service that this protocol comes from, "POST Object".
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "net/http/form_data.h"
#include "net/http/message.h"
#include "s3/form_policy.h"
#include "s3/wire/dialect.h"

namespace cairn::s3api {

/// Of the fields before the file, with their delimiters and heads.
inline constexpr std::uint64_t form_fields_bytes_max = 20 << 10;

/// The bytes of the file, at whose end the rest of the form is read: there must be no other file.
class FormFile final : public net::BodyReader {
 public:
  explicit FormFile(std::unique_ptr<net::FormDataReader> form) : form_(std::move(form)) {}
  /// How many bytes there may be, both ends included.
  void limit(std::uint64_t least, std::uint64_t most) { least_ = least, most_ = most; }
  /// Errors: EntityTooLarge, EntityTooSmall; MalformedPOSTRequest;
  /// IncorrectNumberOfFilesInPostRequest; those of the body.
  Result<std::size_t> read(std::span<char> into) override;
  std::optional<std::uint64_t> length() const override { return std::nullopt; }
  const net::Headers& trailers() const override { return none_; }

 private:
  Status check_rest();

  std::unique_ptr<net::FormDataReader> form_;
  std::uint64_t least_ = 0;
  std::uint64_t most_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t count_ = 0;
  bool ended_ = false;
  net::Headers none_;
};

struct UploadForm {
  s3::FormFields fields = {};               // with the file's name in place of ${filename}
  std::optional<s3::Dialect> dialect = {};  // that its fields show
  std::string key = {};
  /// The head of the request with the fields of the form in place of those that speak of objects.
  net::RequestHead head = {};
  std::unique_ptr<FormFile> file = {};

  /// The value of a field, or null.
  const std::string* field(std::string_view name) const { return s3::find_field(fields, name); }
};

/// Reads the fields of a form up to its file, of which nothing is read. Fields behind the file are
/// never looked at. `otherwise`: the dialect of a form that shows none. Errors: PreconditionFailed
/// (the body is no form); MissingContentLength; InvalidArgument (who asks stands outside of the
/// form; no key, no file, a field that stands twice or cannot be one);
/// MaxPostPreDataLengthExceededError; MalformedPOSTRequest; those of the body.
Result<std::unique_ptr<UploadForm>> read_upload_form(const net::RequestHead& head,
                                                     net::BodyReader& body, s3::Dialect otherwise);

}  // namespace cairn::s3api
