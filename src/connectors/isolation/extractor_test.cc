// SPDX-License-Identifier: Apache-2.0
// A reader of files that is taken over by each of them: none costs more than itself.
#include "connectors/isolation/extractor.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "connectors/isolation/extract_child.h"
#include "connectors/isolation/frames.h"
#include "connectors/isolation/pdf.h"
#include "connectors/isolation/sanitized.h"

namespace cairn::connectors::extractor_test {

namespace {

constexpr std::uint32_t computing_ms = runs_sanitized ? 5'000 : 300;
constexpr std::int64_t wall_ms = runs_sanitized ? 20'000 : 3'000;
const os::Deadline never = os::Deadline::never();

[[noreturn]] void loop() {
  volatile bool always = true;
  while (always) {
  }
  ::abort();
}

[[noreturn]] void take_all_memory() {
  for (std::vector<std::string> held;;) held.emplace_back(std::size_t{16} << 20, 'x');
}

Result<ExtractedFile> said(bool yes) {
  ExtractedFile file;
  file.body = yes ? "it went through" : "refused";
  return file;
}

/// Does what its name says.
Result<ExtractedFile> misbehave(std::string_view name, std::string_view bytes,
                                const ExtractOptions& options) {
  if (name == "loop") loop();
  if (name == "sleep") ::poll(nullptr, 0, 600'000);
  if (name == "crash") __builtin_trap();
  if (name == "end") ::_exit(3);
  if (name == "memory") take_all_memory();
  if (name == "open") return said(::open("/etc/passwd", O_RDONLY | O_CLOEXEC) >= 0);
  if (name == "socket") return said(::socket(AF_INET, SOCK_STREAM, 0) >= 0);
  if (name == "fork") return said(::fork() >= 0);
  if (name == "kill") return said(::kill(::getppid(), 0) == 0);
  if (name == "code")
    return said(::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
                MAP_FAILED);
  if (name == "flood") {
    const ExtractReplyHead head{.bytes = ~0ull};
    (void)!::write(0, &head, sizeof head);
    ::poll(nullptr, 0, 600'000);
  }
  if (name == "garbage") {
    const ExtractReplyHead head{.bytes = 8};
    (void)!::write(0, &head, sizeof head);
    (void)!::write(0, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
    ::_exit(0);
  }
  if (name == "much") {
    ExtractedFile file;
    file.body = std::string(options.text_bytes_max * 4, 'x');
    return file;
  }
  return extract_file(name, bytes, options);
}

/// Then the process is gone, as after a minute without work.
Result<ExtractedFile> read_once(std::string_view name, std::string_view bytes,
                                const ExtractOptions& options) {
  static int files = 0;
  if (files++ > 0) ::_exit(0);
  return extract_file(name, bytes, options);
}

ExtractorOptions options_of(const std::string& child) {
  return {.words = {"child", child},
          .memory_bytes = 256u << 20,
          .cpu_ms = computing_ms,
          .wall_ms = wall_ms,
          .text_bytes_max = 4u << 20,
          .pdftotext = installed_pdftotext()};
}

/// The body, or the error's message.
std::string read_by(Extractor& extractor, std::string_view name, std::string_view bytes = "words") {
  const auto file = extractor.extract(name, bytes, {}, never);
  return file.ok() ? file->body : "(" + file.error().message + ")";
}

struct Reason {
  const char* file;
  const char* reason;
};

}  // namespace

TEST_CASE("extractor: files are read by one child, which is kept") {
  const auto extractor = child_extractor(options_of("read"));
  CHECK(read_by(*extractor, "a.md", "# Head\n\n*words*") == "Head\n\nwords");
  CHECK(read_by(*extractor, "a.html", "<p>one<p>two") == "one\n\ntwo");
  CHECK(read_by(*extractor, "caf\xc3\xa9", "caf\xe9") == "café");
  CHECK(read_by(*extractor, "a.png", "x") == "(it is an image)");
  CHECK(read_by(*extractor, "a", std::string_view("\0\1\2", 3)) == "(it holds no text)");
  const std::string large(3u << 20, 'w');
  CHECK(read_by(*extractor, "a.txt", large) == large);
}

TEST_CASE("extractor: a hostile file costs itself, with its reason, and the next one is read") {
  const auto extractor = child_extractor(options_of("misbehave"));
  std::vector<Reason> reasons = {
      {"loop", " of computing to read"},
      {"sleep", "it takes longer than "},
      {"end", "its reader ended with status 3"},
      {"flood", "it holds more text than is taken of one file"},
      {"garbage", "its reader gave an answer that is none"},
      {"much", "it holds more text than is taken of one file"},
  };
  if (!runs_sanitized) {
    reasons.push_back({"crash", "its reader crashed (signal "});
    reasons.push_back({"memory", "it takes more memory to read than is allowed"});
    for (const char* call : {"open", "socket", "fork", "kill", "code"})
      reasons.push_back({call, "its reader gave up, or asked the system for what it may not"});
  }
  for (const Reason& one : reasons) {
    CAPTURE(one.file);
    const std::string answer = read_by(*extractor, one.file);
    CHECK_MESSAGE(answer.find(one.reason) != std::string::npos, answer);
    CHECK(read_by(*extractor, "a.txt") == "words");
  }
}

TEST_CASE("extractor: a child that ended for want of work is replaced without a word") {
  const auto extractor = child_extractor(options_of("misbehave"));
  CHECK(read_by(*extractor, "a.txt") == "words");
  // The one that is kept goes away, and is not waited for yet.
  CHECK(read_by(*extractor, "b.txt") == "words");
  const auto once = child_extractor(options_of("once"));
  for (int i = 0; i < 3; ++i) CHECK(read_by(*once, "a.txt") == "words");
}

TEST_CASE("extractor: callers wait for a child, and no longer than they want to") {
  auto options = options_of("misbehave");
  options.children = 1;
  const auto extractor = child_extractor(options);
  std::thread first([&] { (void)read_by(*extractor, "loop"); });
  std::vector<std::thread> others;
  for (int i = 0; i < 4; ++i)
    others.emplace_back([&] { CHECK(read_by(*extractor, "a.txt") == "words"); });
  for (auto& thread : others) thread.join();
  first.join();
  const auto late = extractor->extract("sleep", "", {}, os::Deadline::in_ms(50));
  REQUIRE_FALSE(late.ok());
  CHECK(late.error().kind == ErrorKind::timeout);
}

TEST_CASE("extractor: a program that cannot be started is told") {
  auto options = options_of("read");
  options.program = "/nonexistent/cairn";
  const auto file = child_extractor(options)->extract("a.txt", "words", {}, never);
  REQUIRE_FALSE(file.ok());
  CHECK(file.error().kind == ErrorKind::unavailable);
}

TEST_CASE("extractor: answers are taken apart with every length looked at") {
  ExtractedFile file;
  file.title = "T";
  file.body = "B";
  file.fields_json = "{\"b\":2}";
  file.rows.push_back({.fields_json = "{\"a\":1}", .body = "1", .title = "R", .label = "row 1"});
  file.enclosed.push_back({.name = "a.pdf", .bytes = "\xff", .row = 1});
  const std::string bytes = encode_reply(file);
  const auto back = decode_reply(bytes);
  REQUIRE(back.ok());
  CHECK(back->title == "T");
  CHECK(back->fields_json == "{\"b\":2}");
  CHECK(back->rows[0].fields_json == "{\"a\":1}");
  CHECK(back->rows[0].title == "R");
  CHECK(back->rows[0].label == "row 1");
  CHECK(back->enclosed[0].bytes == "\xff");
  CHECK(back->enclosed[0].row == 1);
  for (std::size_t cut = 0; cut < bytes.size(); ++cut)
    CHECK_FALSE(decode_reply(std::string_view(bytes).substr(0, cut)).ok());
  CHECK_FALSE(decode_reply(bytes + "x").ok());
  file.enclosed[0].row = 2;  // of one
  CHECK(decode_reply(encode_reply(file)).error().kind == ErrorKind::corrupt);
  file.enclosed[0].row = 1;
  file.fields_json = "[]";
  CHECK(decode_reply(encode_reply(file)).error().kind == ErrorKind::corrupt);
  file.fields_json.clear();
  CHECK(decode_reply(encode_reply(file)).ok());
  file.body = "\xff";
  CHECK(decode_reply(encode_reply(file)).error().kind == ErrorKind::corrupt);
  const Error error{.kind = ErrorKind::too_large, .message = "why"};
  CHECK(decode_reply(encode_reply(error)).error().message == "why");
}

TEST_CASE("pdf: what pdftotext prints with -htmlmeta is text again") {
  const auto file = text_of_html_meta(
      "<html>\n<head>\n<title>A &amp; B</title>\n</head>\n<body>\n<pre>\na &lt;b&gt; &amp;amp;\n\fc"
      "</pre>\n</body>\n");
  CHECK(file.title == "A & B");
  CHECK(file.body == "a <b> &amp;\nc");
  CHECK(text_of_html_meta("").body.empty());
}

TEST_CASE("pdf: without pdftotext each is named with what to install") {
  auto options = options_of("read");
  options.pdftotext.clear();
  const auto file = child_extractor(options)->extract("a.pdf", "%PDF-1.4", {}, never);
  REQUIRE_FALSE(file.ok());
  CHECK(file.error().kind == ErrorKind::unsupported);
  CHECK(file.error().message.find("poppler-utils") != std::string::npos);
}

TEST_CASE("pdf: damaged ones are named") {
  if (installed_pdftotext().empty()) {
    MESSAGE("skipped: pdftotext is not installed");
    return;
  }
  const auto extractor = child_extractor(options_of("read"));
  for (const char* bytes : {"", "%PDF-1.4", "no pdf at all"})
    CHECK(read_by(*extractor, "a.pdf", bytes) == "(it is damaged, or encrypted with a password)");
}

}  // namespace cairn::connectors::extractor_test

int run_as_child_of_a_test(int count, char** words) {
  using namespace cairn::connectors;
  if (count != 2) return 64;
  const std::string what = words[0];
  if (what == "read") return run_extract_child({words[1]});
  if (what == "misbehave") return run_extract_child({words[1]}, extractor_test::misbehave);
  if (what == "once") return run_extract_child({words[1]}, extractor_test::read_once);
  return 64;
}
