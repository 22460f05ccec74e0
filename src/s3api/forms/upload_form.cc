// SPDX-License-Identifier: Apache-2.0
#include "s3api/forms/upload_form.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "s3/errors.h"
#include "s3/signing/signing.h"
#include "s3api/forms/form_head.h"

namespace cairn::s3api {
namespace {

constexpr std::string_view file_name_variable = "${filename}";
constexpr std::string_view one_file = "POST requires exactly one file upload per request.";

Error bad_upload_field(std::string_view name, std::string_view value, std::string message) {
  return s3::error("InvalidArgument", std::move(message))
      .with_detail("ArgumentName", std::string(name))
      .with_detail("ArgumentValue", std::string(value));
}

Error too_long_fields() {
  return s3::error("MaxPostPreDataLengthExceededError")
      .with_detail("MaxPostPreDataLength", std::to_string(form_fields_bytes_max));
}

// What the reader of forms says, as clients of this protocol know it.
Error as_form_error(Error fault, bool before_file) {
  if (fault.kind == ErrorKind::too_large && before_file) return too_long_fields();
  if (fault.code.empty() &&
      (fault.kind == ErrorKind::invalid_argument || fault.kind == ErrorKind::too_large))
    return s3::error("MalformedPOSTRequest").with_detail("Reason", fault.message);
  return fault;
}

Status check_is_form(const net::RequestHead& head) {
  const auto type = head.headers.find("Content-Type");
  if (!type || !net::is_form_data(*type))
    return s3::error("PreconditionFailed")
        .with_detail("Condition", "Bucket POST must be of the enclosure-type multipart/form-data");
  if (!head.headers.has("Content-Length") && !head.headers.has("Transfer-Encoding"))
    return s3::error("MissingContentLength");
  CAIRN_TRY(const auto claim, s3::read_claim(head));
  if (!claim) return ok_status();
  return bad_upload_field(claim->in_query ? "X-Amz-Algorithm" : "Authorization", "",
                          "Only one auth mechanism allowed; the fields of the form say who asks");
}

Result<std::string> read_field_value(net::FormDataReader& form) {
  std::string value;
  char piece[4096];
  while (true) {
    auto count = form.read(piece);
    if (!count.ok()) return as_form_error(std::move(count).error(), true);
    if (*count == 0) return value;
    if (form.passed_bytes() > form_fields_bytes_max) return too_long_fields();
    value.append(piece, *count);
  }
}

// The part of the file; every field before it goes to `fields`.
Result<net::FormPart> read_form_fields(net::FormDataReader& form, s3::FormFields& fields) {
  while (true) {
    auto part = form.next();
    if (!part.ok()) return as_form_error(std::move(part).error(), true);
    if (form.passed_bytes() > form_fields_bytes_max) return too_long_fields();
    if (!*part) return bad_upload_field("file", "0", std::string(one_file));
    std::string name = lower_ascii((*part)->name);
    if (name == "file") return std::move(**part);
    if (s3::find_field(fields, name) != nullptr)
      return bad_upload_field(name, "", "A field of the form stands more than once.");
    CAIRN_TRY(std::string value, read_field_value(form));
    fields.emplace_back(std::move(name), std::move(value));
  }
}

// Browsers of long ago send where the file stood.
std::string_view without_folders(std::string_view path) {
  const std::size_t last = path.find_last_of("/\\");
  return last == std::string_view::npos ? path : path.substr(last + 1);
}

std::string with_file_name(std::string_view value, std::string_view file_name) {
  std::string out;
  for (;;) {
    const std::size_t at = value.find(file_name_variable);
    out += value.substr(0, at);
    if (at == std::string_view::npos) return out;
    // What is longer is refused: many short variables stand for a long name each.
    if (out.size() > form_fields_bytes_max) return out;
    out += file_name;
    value.remove_prefix(at + file_name_variable.size());
  }
}

/// All fields are as long as they may be sent, with the name in them too.
Status put_file_name(s3::FormFields& fields, std::string_view file_name) {
  std::size_t bytes = 0;
  for (auto& [name, value] : fields) {
    if (name != "policy") value = with_file_name(value, file_name);
    bytes += value.size();
    if (bytes > form_fields_bytes_max) return too_long_fields();
  }
  return ok_status();
}

Result<std::optional<s3::Dialect>> dialect_of_fields(const s3::FormFields& fields) {
  std::optional<s3::Dialect> shown;
  for (const auto& [name, value] : fields) {
    const bool svc = name.starts_with("x-svc-");
    if (!svc && !name.starts_with("x-amz-") && name != "awsaccesskeyid") continue;
    const s3::Dialect dialect = svc ? s3::Dialect::svc : s3::Dialect::aws;
    if (shown.value_or(dialect) != dialect)
      return bad_upload_field(name, value,
                              "The field is of another dialect than the rest of the form.");
    shown = dialect;
  }
  return shown;
}

Result<std::string> form_key_of(const s3::FormFields& fields) {
  const std::string* key = s3::find_field(fields, "key");
  if (key == nullptr)
    return bad_upload_field(
        "key", "",
        "Bucket POST must contain a field named 'key'.  If it is specified, please "
        "check the order of the fields.");
  if (key->empty())
    return bad_upload_field("key", "", "User key must have a length greater than 0.");
  return *key;
}

}  // namespace

Result<std::unique_ptr<UploadForm>> read_upload_form(const net::RequestHead& head,
                                                     net::BodyReader& body, s3::Dialect otherwise) {
  CAIRN_CHECK(check_is_form(head));
  const auto boundary = net::form_boundary(head.headers.find("Content-Type").value_or(""));
  if (!boundary.ok()) return as_form_error(boundary.error(), false);
  auto form = std::make_unique<UploadForm>();
  auto reader = std::make_unique<net::FormDataReader>(body, *boundary);
  CAIRN_TRY(const net::FormPart file, read_form_fields(*reader, form->fields));
  CAIRN_CHECK(put_file_name(form->fields, without_folders(file.filename.value_or(""))));
  CAIRN_TRY(form->dialect, dialect_of_fields(form->fields));
  CAIRN_TRY(form->key, form_key_of(form->fields));
  CAIRN_TRY(form->head, head_of_form(head, form->fields, form->dialect.value_or(otherwise)));
  form->file = std::make_unique<FormFile>(std::move(reader));
  return form;
}

Result<std::size_t> FormFile::read(std::span<char> into) {
  if (ended_) return std::size_t{0};
  auto count = form_->read(into);
  if (!count.ok()) return as_form_error(std::move(count).error(), false);
  count_ += *count;
  if (count_ > most_)
    return s3::error("EntityTooLarge")
        .with_detail("ProposedSize", std::to_string(count_))
        .with_detail("MaxSizeAllowed", std::to_string(most_));
  if (*count > 0) return count;
  if (count_ < least_)
    return s3::error("EntityTooSmall")
        .with_detail("ProposedSize", std::to_string(count_))
        .with_detail("MinSizeAllowed", std::to_string(least_));
  CAIRN_CHECK(check_rest());
  ended_ = true;
  return std::size_t{0};
}

// Fields behind the file have no say. That the form ends tells that the file is whole.
Status FormFile::check_rest() {
  while (true) {
    auto part = form_->next();
    if (!part.ok()) return as_form_error(std::move(part).error(), false);
    if (!*part) return ok_status();
    if (equals_ignore_case((*part)->name, "file"))
      return s3::error("IncorrectNumberOfFilesInPostRequest");
  }
}

}  // namespace cairn::s3api
