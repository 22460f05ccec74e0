// SPDX-License-Identifier: Apache-2.0
// A message: its subject, who wrote it to whom, its text, and the texts of what is attached.
#include <algorithm>

#include "base/strings.h"
#include "connectors/extract/mime.h"
#include "connectors/extract/office.h"
#include "connectors/extract/readers.h"
#include "format/json.h"
#include "format/time.h"
#include "text/encoding.h"

namespace cairn::connectors {
namespace {

constexpr int nested_max = 8;  // parts within parts

class EmailText {
 public:
  EmailText(ExtractedFile& out, const ExtractOptions& options) : out_(out), options_(options) {}

  void add_message(const MimePart& message) {
    constexpr std::pair<const char*, const char*> shown[] = {
        {"from", "From: "}, {"to", "To: "}, {"cc", "Cc: "}, {"date", "Date: "}};
    const std::string subject = message.header("subject");
    if (out_.title.empty())
      out_.title = first_line(subject);
    else if (!subject.empty())
      line("Subject: " + subject);
    for (const auto& [name, label] : shown)
      if (const std::string value = message.header(name); !value.empty()) line(label + value);
    out_.body += '\n';
    add(message, 0);
  }

 private:
  void line(const std::string& text) { (out_.body += text) += '\n'; }

  void add(const MimePart& part, int depth) {
    if (out_.body.size() > options_.text_bytes_max) return;
    if (part.type.starts_with("multipart/") && !part.boundary.empty() && depth < nested_max)
      return add_parts(part, depth);
    if (part.type == "message/rfc822") return add_attached_message(part);
    const bool is_text = part.type == "text/plain" || part.type == "text/html";
    if (is_text && !part.is_attachment) return add_text(part);
    add_attachment(part);
  }

  void add_parts(const MimePart& whole, int depth) {
    std::vector<MimePart> parts;
    for (const auto bytes : mime_parts(whole.body, whole.boundary))
      parts.push_back(parse_mime(bytes));
    if (whole.type == "multipart/alternative") {
      // The same text several times: the plain one, else the last, which is the best.
      for (const MimePart& part : parts)
        if (part.type == "text/plain" && !trim(part.body).empty()) return add(part, depth + 1);
      if (!parts.empty()) add(parts.back(), depth + 1);
      return;
    }
    for (const MimePart& part : parts) add(part, depth + 1);
  }

  void add_text(const MimePart& part) {
    const auto text = text::any_encoding(part.content(), part.charset);
    if (!text) return;
    line(part.type == "text/html" ? extract_html(*text).body : *text);
  }

  void add_attached_message(const MimePart& part) {
    if (attached_) return;
    attached_ = true;
    const std::string content = part.content();
    add_message(parse_mime(content));
    attached_ = false;
  }

  void add_attachment(const MimePart& part) {
    if (!part.file_name.empty()) line(part.file_name);
    if (attached_ || !options_.attachments) return;
    const NamedKind named = kind_by_name(part.file_name);
    if (part.file_name.empty() || !named.skipped.empty()) return;
    std::string content = part.content();
    if (named.kind == FileKind::pdf) {
      out_.enclosed.push_back({part.file_name, std::move(content)});
      return;
    }
    ExtractOptions within = options_;
    within.rows = within.attachments = false;
    within.charset.clear();
    auto read = extract_file(part.file_name, content, within);
    if (!read.ok()) return;
    if (!read->title.empty()) line(read->title);
    line(whole_text(*std::move(read)));
  }

  ExtractedFile& out_;
  const ExtractOptions& options_;
  bool attached_ = false;  // within a message that is attached to another one
};

bool is_message(const MimePart& part) {
  for (const auto* name : {"from", "subject", "date", "to", "message-id", "received"})
    if (part.headers.count(name) > 0) return true;
  return false;
}

/// What a message says of itself, as fields. A date that is none is left to the text.
std::string fields_of(const MimePart& message) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  for (const auto* name : {"from", "to", "cc"})
    if (const std::string value = message.header(name); !value.empty())
      json.key(name).string(value);
  if (const std::int64_t ms = message_date_ms(message.header("date")); ms != 0)
    json.key("date").string(format_iso8601(ms));
  json.end_object();
  return out;
}

ExtractedFile read_message(std::string_view bytes, const ExtractOptions& options) {
  const MimePart message = parse_mime(bytes);
  ExtractedFile out;
  EmailText(out, options).add_message(message);
  out.body = squeeze(out.body);
  out.fields_json = fields_of(message);
  return out;
}

std::string_view line_at(std::string_view bytes, std::size_t at) {
  const std::string_view rest = bytes.substr(std::min(at, bytes.size()));
  return rest.substr(0, rest.find('\n'));
}

bool is_header_line(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == 0 || colon == std::string_view::npos) return false;
  const std::string_view name = line.substr(0, colon);
  return std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

/// "09:00" somewhere, as in the line before a message.
bool has_time(std::string_view line) {
  const auto digit = [&](std::size_t i) { return line[i] >= '0' && line[i] <= '9'; };
  for (std::size_t i = 1; i + 2 < line.size(); ++i)
    if (line[i] == ':' && digit(i - 1) && digit(i + 1) && digit(i + 2)) return true;
  return false;
}

/// Whether the line at `at` is one that stands before a message, and not a sentence of one: not
/// every program marks those. A header follows it, and either an empty line stands before it or it
/// has a time.
bool begins_message(std::string_view bytes, std::size_t at) {
  const std::string_view line = line_at(bytes, at);
  if (!line.starts_with("From ") || !is_header_line(line_at(bytes, at + line.size() + 1)))
    return false;
  const std::string_view before = bytes.substr(0, at);
  return before.empty() || before.ends_with("\n\n") || before.ends_with("\n\r\n") || has_time(line);
}

/// Where the next message begins, at `from` or after it; the end where none does.
std::size_t find_message(std::string_view bytes, std::size_t from) {
  for (std::size_t at = from; at < bytes.size();) {
    if ((at == 0 || bytes[at - 1] == '\n') && begins_message(bytes, at)) return at;
    at = bytes.find("\nFrom ", at);
    if (at == std::string_view::npos) break;
    ++at;
  }
  return bytes.size();
}

/// Lines that begin as the one before a message does have a mark, which goes: ">From".
std::string without_marks(std::string_view message) {
  std::string out;
  out.reserve(message.size());
  while (!message.empty()) {
    const std::size_t end = std::min(message.find('\n'), message.size() - 1) + 1;
    std::string_view line = message.substr(0, end);
    message.remove_prefix(end);
    const std::size_t marks = line.find_first_not_of('>');
    if (marks != 0 && marks != std::string_view::npos && line.substr(marks).starts_with("From "))
      line.remove_prefix(1);
    out += line;
  }
  return out;
}

}  // namespace

Result<ExtractedFile> extract_email(std::string_view bytes, const ExtractOptions& options) {
  if (!is_message(parse_mime(bytes)))
    return Error{.kind = ErrorKind::invalid_argument, .message = "it has no header of a message"};
  return read_message(bytes, options);
}

Result<ExtractedFile> extract_mailbox(std::string_view bytes, const ExtractOptions& options) {
  ExtractedFile out;
  std::size_t text_bytes = 0;
  for (std::size_t at = find_message(bytes, 0); at < bytes.size();) {
    const std::size_t begin = at + line_at(bytes, at).size() + 1;
    at = find_message(bytes, begin);
    ExtractedFile one = read_message(without_marks(bytes.substr(begin, at - begin)), options);
    const std::string label = "message " + std::to_string(out.rows.size() + 1);
    text_bytes += one.body.size();
    if (text_bytes > options.text_bytes_max)
      return Error{.kind = ErrorKind::too_large,
                   .message = label + " is beyond the text that is taken of one file"};
    out.rows.push_back({.fields_json = std::move(one.fields_json),
                        .body = std::move(one.body),
                        .title = std::move(one.title),
                        .label = label});
    for (EnclosedFile& file : one.enclosed) {
      file.row = out.rows.size();
      out.enclosed.push_back(std::move(file));
    }
  }
  if (out.rows.empty())
    return Error{.kind = ErrorKind::invalid_argument, .message = "it holds no message"};
  return out;
}

}  // namespace cairn::connectors
