// SPDX-License-Identifier: Apache-2.0
#include "connectors/isolation/pdf.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/strings.h"
#include "connectors/extract/office.h"
#include "connectors/extract/text.h"
#include "os/files/descriptor.h"
#include "os/processes/child_process.h"
#include "os/threads/blocking.h"

namespace cairn::connectors {
namespace {

constexpr int exit_damaged = 1;
constexpr int exit_not_permitted = 3;

Error no_reader(const char* what) {
  return {
      .kind = ErrorKind::unavailable,
      .message = std::string("a PDF cannot be handed over: ") + what + ": " + std::strerror(errno)};
}

/// The bytes as a file that has no name.
Result<os::Descriptor> nameless_file(std::string_view bytes) {
  os::Descriptor file(::memfd_create("pdf", MFD_CLOEXEC));
  if (file.get() < 0) return no_reader("memfd_create");
  while (!bytes.empty()) {
    const ssize_t count = ::write(file.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return no_reader("write");
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

const os::SystemCallFilter& program_filter() {
  static const os::SystemCallFilter filter(os::reading_program_calls(), os::OtherCalls::fail);
  return filter;
}

/// Its libraries, and the tables of poppler-data.
const os::ReadableFolders& program_folders() {
  static const os::ReadableFolders folders(
      {"/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/ld.so.preload", "/dev/null"});
  return folders;
}

Error too_slow(const ExtractorOptions& options) {
  return {.kind = ErrorKind::too_large,
          .message = "it takes longer than " + std::to_string(options.wall_ms) + " ms to read"};
}

/// All that the program prints.
Result<std::string> printed(int pipe, const ExtractorOptions& options, const os::Deadline& until) {
  const os::Blocking blocking;
  std::string out;
  char piece[64u << 10];
  for (;;) {
    pollfd watched{.fd = pipe, .events = POLLIN, .revents = 0};
    const int wait_ms = static_cast<int>(std::min<std::int64_t>(until.remaining_ms(), 100));
    const int ready = ::poll(&watched, 1, wait_ms);
    if (ready <= 0) {
      if (until.passed()) return too_slow(options);
      continue;
    }
    const ssize_t count = ::read(pipe, piece, sizeof piece);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return out;
    out.append(piece, static_cast<std::size_t>(count));
    if (out.size() > options.text_bytes_max)
      return Error{.kind = ErrorKind::too_large,
                   .message = "it holds more text than is taken of one file"};
  }
}

Status judge(const os::ChildEnd& end, const ExtractorOptions& options) {
  if (end.signal == SIGKILL || end.signal == SIGXCPU)
    return Error{.kind = ErrorKind::too_large,
                 .message = "it takes more than " + std::to_string(options.cpu_ms / 1000) +
                            " s of computing to read"};
  if (end.signal != 0)
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = "pdftotext crashed (signal " + std::to_string(end.signal) + ")"};
  if (end.code == exit_not_permitted)
    return Error{.kind = ErrorKind::unsupported, .message = "it forbids to copy its text"};
  if (end.code == exit_damaged)
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = "it is damaged, or encrypted with a password"};
  if (end.code != 0)
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = "pdftotext ended with status " + std::to_string(end.code)};
  return ok_status();
}

std::string without_entities(std::string_view text) {
  constexpr std::pair<std::string_view, char> entities[] = {
      {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t at = std::min(text.find('&'), text.size());
    out += text.substr(0, at);
    text.remove_prefix(at);
    if (text.empty()) break;
    std::size_t taken = 1;
    char character = '&';
    for (const auto& [entity, meant] : entities)
      if (text.starts_with(entity)) taken = entity.size(), character = meant;
    out += character;
    text.remove_prefix(taken);
  }
  return out;
}

std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const std::size_t begin = text.find(before);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin + before.size());
  return text.substr(0, text.rfind(after));
}

}  // namespace

ExtractedFile text_of_html_meta(std::string_view printed) {
  const std::size_t head_end = std::min(printed.find("<body>"), printed.size());
  const std::string_view title = between(printed.substr(0, head_end), "<title>", "</title>");
  ExtractedFile out;
  out.body = squeeze(without_entities(between(printed, "<pre>", "</pre>")));
  out.title = first_line(squeeze(without_entities(title)));
  if (out.title.empty()) out.title = first_line(out.body);
  return out;
}

Result<ExtractedFile> pdf_text(std::string_view bytes, const ExtractorOptions& options,
                               const os::Deadline& deadline) {
  CAIRN_CHECK(deadline.check("reading a file"));
  if (options.pdftotext.empty())
    return Error{.kind = ErrorKind::unsupported,
                 .code = "pdf_reader_missing",  // another start may find it
                 .message =
                     "PDFs are read by pdftotext, which is not installed: install Debian's "
                     "package poppler-utils and start Cairn again"};
  CAIRN_TRY(const os::Descriptor file, nameless_file(bytes));
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return no_reader("pipe");
  const os::Descriptor reading(ends[0]);
  os::Descriptor writing(ends[1]);
  os::ChildParams params{.program = options.pdftotext,
                         .words = {"pdftotext", "-htmlmeta", "-enc", "UTF-8", "-", "-"}};
  params.input = file.get();
  params.output = writing.get();
  params.limits = {.memory_bytes = options.memory_bytes,
                   .cpu_seconds = std::max(options.cpu_ms / 1000, 1u)};
  params.filter = &program_filter();
  params.folders = &program_folders();
  CAIRN_TRY(auto process, os::ChildProcess::start(params));
  writing.close();
  const os::Deadline until = deadline.sooner_ms(options.wall_ms);
  auto text = printed(reading.get(), options, until);
  if (!text.ok()) {
    CAIRN_CHECK(deadline.check("reading a file"));
    return std::move(text).error();
  }
  CAIRN_CHECK(judge(process.end(until), options));
  if (!is_utf8(*text))
    return Error{.kind = ErrorKind::invalid_argument, .message = "its text is no UTF-8"};
  ExtractedFile out = text_of_html_meta(*text);
  if (out.body.empty())
    return Error{.kind = ErrorKind::unsupported,
                 .message = "it holds no text: its pages may be pictures"};
  return out;
}

std::string installed_pdftotext() {
  for (const char* path : {"/usr/bin/pdftotext", "/usr/local/bin/pdftotext"})
    if (::access(path, X_OK) == 0) return path;
  return {};
}

}  // namespace cairn::connectors
