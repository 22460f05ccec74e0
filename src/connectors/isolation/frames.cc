// SPDX-License-Identifier: Apache-2.0
#include "connectors/isolation/frames.h"

#include <cstring>
#include <optional>

#include "base/strings.h"
#include "format/json.h"

namespace cairn::connectors {
namespace {

// Those that say something about a file.
constexpr ErrorKind kinds_of_files[] = {ErrorKind::invalid_argument, ErrorKind::unsupported,
                                        ErrorKind::too_large, ErrorKind::corrupt};

void put_number(std::string& out, std::uint64_t number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  out.append(bytes, sizeof bytes);
}

void put_text(std::string& out, std::string_view text) {
  put_number(out, text.size());
  out += text;
}

std::size_t place_of_kind(ErrorKind kind) {
  for (std::size_t i = 0; i < std::size(kinds_of_files); ++i)
    if (kinds_of_files[i] == kind) return i;
  return 0;
}

class ReplyReader {
 public:
  explicit ReplyReader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    if (rest_.size() < sizeof value) return fail();
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  std::string bytes() {
    const std::uint64_t size = number();
    if (size > rest_.size()) return fail(), std::string();
    std::string out(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return out;
  }
  std::string text() {
    std::string out = bytes();
    if (!is_utf8(out)) fail();
    return out;
  }
  /// How many things follow, of which each takes sixteen bytes at least.
  std::uint64_t count() {
    const std::uint64_t value = number();
    return value > rest_.size() / 16 ? fail() : value;
  }
  std::string object_or_nothing() {
    std::string out = text();
    if (out.empty()) return out;
    check_object(out);
    return out;
  }
  std::string object() {
    std::string out = text();
    check_object(out);
    return out;
  }
  bool well() const { return well_ && rest_.empty(); }
  bool failed() const { return !well_; }

 private:
  void check_object(const std::string& out) {
    const auto json = parse_json(out);
    if (!json.ok() || !json->is_object()) fail();
  }
  std::uint64_t fail() {
    well_ = false;
    rest_ = {};
    return 0;
  }
  std::string_view rest_;
  bool well_ = true;
};

Error no_answer() {
  return {.kind = ErrorKind::corrupt, .message = "its reader gave an answer that is none"};
}

}  // namespace

std::string encode_reply(const Result<ExtractedFile>& file) {
  std::string out;
  put_number(out, file.ok() ? 0 : 1 + place_of_kind(file.error().kind));
  if (!file.ok()) {
    put_text(out, file.error().message);
    return out;
  }
  out.reserve(file->body.size() + file->title.size() + 64);
  put_text(out, file->title);
  put_text(out, file->body);
  put_text(out, file->fields_json);
  put_number(out, file->rows.size());
  for (const auto& row : file->rows) {
    put_text(out, row.fields_json);
    put_text(out, row.body);
    put_text(out, row.title);
    put_text(out, row.label);
  }
  put_number(out, file->enclosed.size());
  for (const auto& enclosed : file->enclosed) {
    put_text(out, enclosed.name);
    put_text(out, enclosed.bytes);
    put_number(out, enclosed.row);
  }
  return out;
}

Result<ExtractedFile> decode_reply(std::string_view bytes) {
  ReplyReader reader(bytes);
  const std::uint64_t kind = reader.number();
  if (kind > std::size(kinds_of_files)) return no_answer();
  if (kind > 0) {
    std::string message = reader.text();
    if (!reader.well() || message.size() > 4096) return no_answer();
    return Error{.kind = kinds_of_files[kind - 1], .message = std::move(message)};
  }
  ExtractedFile out;
  out.title = reader.text();
  out.body = reader.text();
  out.fields_json = reader.object_or_nothing();
  for (std::uint64_t left = reader.count(); left > 0 && !reader.failed(); --left) {
    ExtractedRow row{.fields_json = reader.object(), .body = reader.text()};
    row.title = reader.text();
    row.label = reader.text();
    out.rows.push_back(std::move(row));
  }
  for (std::uint64_t left = reader.count(); left > 0 && !reader.failed(); --left) {
    std::string name = reader.text();
    out.enclosed.push_back({.name = std::move(name), .bytes = reader.bytes()});
    out.enclosed.back().row = reader.number();
    if (out.enclosed.back().row > out.rows.size()) return no_answer();
  }
  if (!reader.well()) return no_answer();
  return out;
}

}  // namespace cairn::connectors
