// SPDX-License-Identifier: Apache-2.0
#include "net/http/form_data.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/encode.h"
#include "base/strings.h"

namespace cairn::net {
namespace {

constexpr std::size_t boundary_bytes_max = 70;

Error not_form(std::string what) {
  return {ErrorKind::invalid_argument, {}, "multipart/form-data: " + std::move(what)};
}

// bchars of RFC 2046; browsers and programs use some that must be quoted, and do not quote them.
bool is_boundary_character(char c) {
  constexpr std::string_view others = "'()+_,-./:=? ";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         others.find(c) != std::string_view::npos;
}

using Parameter = std::pair<std::string, std::string>;

// Within quotes a backslash hides a quote and nothing else: paths of Windows come with theirs bare.
Result<std::string> take_quoted(std::string_view& text) {
  std::string value;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return value;
    }
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '"') ++i;
    value += text[i];
  }
  return not_form("a quoted parameter does not end");
}

Result<std::string> take_value(std::string_view& text) {
  if (text.starts_with('"')) return take_quoted(text);
  const std::size_t end = std::min(text.find(';'), text.size());
  std::string value(trim(text.substr(0, end)));
  text.remove_prefix(end);
  return value;
}

// "; name=value; other="quoted"" behind the first word of a field.
Result<std::vector<Parameter>> parameters_of(std::string_view text) {
  std::vector<Parameter> parameters;
  while (true) {
    text = trim(text);
    if (text.empty()) return parameters;
    if (text[0] != ';') return not_form("a parameter is not set apart by a semicolon");
    text = trim(text.substr(1));
    if (text.empty()) return parameters;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) return not_form("a parameter has no value");
    std::string name = lower_ascii(trim(text.substr(0, equals)));
    text = trim(text.substr(equals + 1));
    CAIRN_TRY(std::string value, take_value(text));
    const bool again = std::any_of(parameters.begin(), parameters.end(),
                                   [&](const Parameter& known) { return known.first == name; });
    if (again) return not_form("the parameter " + name + " stands twice");
    parameters.emplace_back(std::move(name), std::move(value));
  }
}

const std::string* find_in(const std::vector<Parameter>& parameters, std::string_view wanted) {
  for (const auto& [name, value] : parameters)
    if (name == wanted) return &value;
  return nullptr;
}

// `name`, or `name*=UTF-8''…` of RFC 5987, which some programs send for what is not ASCII.
Result<std::optional<std::string>> text_of(const std::vector<Parameter>& parameters,
                                           const std::string& name) {
  if (const std::string* extended = find_in(parameters, name + "*")) {
    const std::size_t language = extended->find('\'');
    const std::size_t text =
        language == std::string::npos ? language : extended->find('\'', language + 1);
    if (text == std::string::npos || !equals_ignore_case(extended->substr(0, language), "utf-8"))
      return not_form(name + "* is not UTF-8''…");
    const auto decoded = percent_decode(std::string_view(*extended).substr(text + 1));
    if (!decoded) return not_form(name + "* has a broken percent escape");
    return std::optional<std::string>(*decoded);
  }
  const std::string* plain = find_in(parameters, name);
  return plain == nullptr ? std::nullopt : std::optional<std::string>(*plain);
}

Status read_disposition(std::string_view value, FormPart& part) {
  const std::size_t end = std::min(value.find(';'), value.size());
  if (!equals_ignore_case(trim(value.substr(0, end)), "form-data"))
    return not_form("a part is no form-data");
  CAIRN_TRY(const auto parameters, parameters_of(value.substr(end)));
  CAIRN_TRY(auto name, text_of(parameters, "name"));
  if (!name) return not_form("a part has no name");
  part.name = std::move(*name);
  CAIRN_TRY(part.filename, text_of(parameters, "filename"));
  return ok_status();
}

Result<FormPart> read_part_head(std::string_view head) {
  FormPart part;
  bool disposed = false;
  while (!head.empty()) {
    const std::size_t end = head.find("\r\n");
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 2);
    const bool broken = std::any_of(line.begin(), line.end(), [](unsigned char c) {
      return (c < 0x20 && c != '\t') || c == 0x7f;
    });
    const std::size_t colon = line.find(':');
    if (broken || colon == std::string_view::npos || colon == 0)
      return not_form("a line in the head of a part is no field");
    const std::string_view name = line.substr(0, colon), value = trim(line.substr(colon + 1));
    if (equals_ignore_case(name, "Content-Type")) part.content_type = value;
    if (!equals_ignore_case(name, "Content-Disposition")) continue;
    if (disposed) return not_form("a part has Content-Disposition twice");
    CAIRN_CHECK(read_disposition(value, part));
    disposed = true;
  }
  if (!disposed) return not_form("a part has no Content-Disposition");
  return part;
}

}  // namespace

bool is_form_data(std::string_view content_type) {
  return equals_ignore_case(trim(content_type.substr(0, content_type.find(';'))),
                            "multipart/form-data");
}

Result<std::string> form_boundary(std::string_view content_type) {
  const std::size_t end = std::min(content_type.find(';'), content_type.size());
  CAIRN_TRY(const auto parameters, parameters_of(content_type.substr(end)));
  const std::string* boundary = find_in(parameters, "boundary");
  if (boundary == nullptr || boundary->empty()) return not_form("Content-Type has no boundary");
  if (boundary->size() > boundary_bytes_max || boundary->back() == ' ' ||
      !std::all_of(boundary->begin(), boundary->end(), is_boundary_character))
    return not_form("the boundary is none");
  return *boundary;
}

FormDataReader::FormDataReader(BodyReader& body, std::string_view boundary)
    : body_(body), delimiter_("\r\n--" + std::string(boundary)), window_(window_bytes, '\0') {
  // The first delimiter needs no line before it: it is read as if there were one.
  window_.replace(0, 2, "\r\n");
  end_ = 2;
}

void FormDataReader::pass(std::size_t bytes) {
  at_ += bytes;
  passed_ += bytes;
}

// Reads once, behind what is there. The number of bytes; 0 at the end of the body.
Result<std::size_t> FormDataReader::fill() {
  if (at_ > 0) {
    std::memmove(window_.data(), window_.data() + at_, end_ - at_);
    end_ -= at_;
    at_ = 0;
  }
  CAIRN_TRY(const std::size_t count, body_.read({window_.data() + end_, window_.size() - end_}));
  end_ += count;
  return count;
}

Status FormDataReader::need(std::size_t bytes) {
  while (end_ - at_ < bytes) {
    CAIRN_TRY(const std::size_t count, fill());
    if (count == 0) return not_form("the body ends before the form does");
  }
  return ok_status();
}

// At least one byte, unless the part ends here. A tail that may be the beginning of a delimiter
// waits for what comes.
Result<FormDataReader::Stretch> FormDataReader::stretch() {
  while (true) {
    const std::string_view there = window();
    const void* const found =
        memmem(there.data(), there.size(), delimiter_.data(), delimiter_.size());
    if (found != nullptr)
      return Stretch{static_cast<std::size_t>(static_cast<const char*>(found) - there.data()),
                     true};
    if (there.size() >= delimiter_.size()) {
      const std::size_t sure = there.size() - (delimiter_.size() - 1);
      const std::size_t open = there.find('\r', sure);
      return Stretch{std::min(open, there.size()), false};
    }
    // Short of a delimiter, what cannot begin one goes out.
    const std::size_t open = there.find('\r');
    if (!there.empty() && open != 0) return Stretch{std::min(open, there.size()), false};
    CAIRN_CHECK(need(there.size() + 1));
  }
}

Result<std::size_t> FormDataReader::read(std::span<char> into) {
  if (!in_part_ || into.empty()) return std::size_t{0};
  CAIRN_TRY(const Stretch now, stretch());
  const std::size_t count = std::min(now.bytes, into.size());
  std::memcpy(into.data(), window_.data() + at_, count);
  pass(count);
  in_part_ = count > 0;
  return count;
}

Status FormDataReader::skip_part() {
  while (in_part_) {
    CAIRN_TRY(const Stretch now, stretch());
    pass(now.bytes);
    in_part_ = !now.last;
  }
  return ok_status();
}

// True where another part follows.
Result<bool> FormDataReader::pass_delimiter() {
  CAIRN_CHECK(need(delimiter_.size() + 2));
  if (passed_ == 0 &&
      window().starts_with("\r\n\r\n")) {  // some programs begin with a line of their own
    pass(2);
    CAIRN_CHECK(need(delimiter_.size() + 2));
  }
  if (!window().starts_with(delimiter_))
    return not_form("the body does not begin with a delimiter");
  pass(delimiter_.size());
  if (window().starts_with("--")) {
    pass(2);
    return false;
  }
  for (std::size_t padding = 0;; ++padding) {
    CAIRN_CHECK(need(2));
    if (window()[0] != ' ' && window()[0] != '\t') break;
    if (padding == part_head_bytes_max) return not_form("a delimiter does not end");
    pass(1);
  }
  if (!window().starts_with("\r\n")) return not_form("a delimiter does not end its line");
  pass(2);
  return true;
}

Result<std::string> FormDataReader::take_head() {
  CAIRN_CHECK(need(2));
  if (window().starts_with("\r\n")) return not_form("a part has no head");
  std::size_t from = 0;
  while (true) {
    const std::size_t found = window().find("\r\n\r\n", from);
    if (found != std::string_view::npos && found <= part_head_bytes_max) {
      std::string head(window().substr(0, found));
      pass(found + 4);
      return head;
    }
    if (window().size() > part_head_bytes_max)
      return Error{ErrorKind::too_large,
                   {},
                   "multipart/form-data: the head of a part has more than " +
                       std::to_string(part_head_bytes_max) + " bytes"};
    from = window().size() < 3 ? 0 : window().size() - 3;
    CAIRN_CHECK(need(window().size() + 1));
  }
}

Status FormDataReader::drain() {
  while (true) {
    pass(end_ - at_);
    at_ = end_ = 0;
    CAIRN_TRY(const std::size_t count, fill());
    if (count == 0) return ok_status();
  }
}

Result<std::optional<FormPart>> FormDataReader::next() {
  if (finished_) return std::optional<FormPart>();
  CAIRN_CHECK(skip_part());
  CAIRN_TRY(const bool follows, pass_delimiter());
  if (!follows) {
    finished_ = true;
    CAIRN_CHECK(drain());
    return std::optional<FormPart>();
  }
  CAIRN_TRY(const std::string head, take_head());
  CAIRN_TRY(FormPart part, read_part_head(head));
  in_part_ = true;
  return std::optional<FormPart>(std::move(part));
}

}  // namespace cairn::net
