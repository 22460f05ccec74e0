// SPDX-License-Identifier: Apache-2.0
// The chain of the audit log: whatever is changed behind its back is named by file and line.
#include "gate/audit_chain.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

#include "format/json.h"
#include "gate/audit.h"
#include "gate/audit_verify.h"
#include "os/files/test_folder.h"

namespace cairn::gate::audit_chain_test {
namespace {

using Lines = std::vector<std::string>;

struct Log {
  os::TestFolder folder;
  os::FakeClock clock;
  AuditOptions options = {.folder = folder / "audit",
                          .key = std::string(32, 'k'),
                          .head_file = folder / "keys/audit.head",
                          .file_bytes_max = 4096,
                          .files_max = 100};

  std::unique_ptr<AuditLog> open() {
    auto opened = AuditLog::open(os::system_files(), clock, options);
    REQUIRE_MESSAGE(opened.ok(), opened.error().message);
    return std::move(*opened);
  }
  void write(int lines) { write(*open(), lines); }
  void write(AuditLog& log, int lines) {
    for (int i = 0; i < lines; ++i) {
      clock.advance_ms(1000);
      log.write({.action = "access_denied", .method = "PUT", .path = "/a\",\"chain.mac\":\"x"});
    }
  }
  std::vector<AuditFault> verify(AuditCount* count = nullptr, const ChainLink& noted = {}) {
    std::vector<AuditFault> faults;
    const auto done = verify_audit(
        os::system_files(), options.folder, options.key, options.head_file,
        [&](const AuditFault& fault) { faults.push_back(fault); }, os::Deadline::never(), noted);
    REQUIRE_MESSAGE(done.ok(), done.error().message);
    CHECK(done->faults == faults.size());
    if (count != nullptr) *count = *done;
    return faults;
  }
  Lines read(const std::string& file = "audit.jsonl") const {
    Lines lines;
    std::ifstream in(options.folder + "/" + file);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }
  void replace(const Lines& lines, const std::string& file = "audit.jsonl") const {
    std::ofstream out(options.folder + "/" + file, std::ios::trunc);
    for (const auto& line : lines) out << line << "\n";
  }
  std::vector<std::string> files() const {
    return audit_files(os::system_files(), options.folder).value();
  }
};

}  // namespace

TEST_CASE("audit chain: X05 untouched, over files and restarts, it verifies") {
  Log log;
  for (int i = 0; i < 5; ++i) log.write(20);
  CHECK(log.files().size() > 3);
  AuditCount count;
  CHECK(log.verify(&count).empty());
  CHECK(count.lines == 100);
  CHECK(count.unchained == 0);
  for (const auto& file : log.files())
    for (const auto& line : log.read(file)) CHECK(parse_json(line).ok());
  log.options.key = std::string(32, 'o');
  CHECK(log.verify().size() == 100);
}

TEST_CASE("audit chain: X05 a line that was removed, swapped, edited or put in is named") {
  struct Row {
    const char* what;
    std::function<void(Lines&)> change;
    std::uint64_t line;
    const char* reason;
  };
  const Row rows[] = {
      {"removed", [](Lines& lines) { lines.erase(lines.begin() + 4); }, 5, "number 5 is missing"},
      {"two removed", [](Lines& lines) { lines.erase(lines.begin() + 4, lines.begin() + 6); }, 5,
       "numbers 5 to 6 are missing"},
      {"swapped", [](Lines& lines) { std::swap(lines[4], lines[5]); }, 5, "number 5 is missing"},
      {"repeated", [](Lines& lines) { lines.insert(lines.begin() + 4, lines[3]); }, 5,
       "swapped or repeated"},
      {"edited", [](Lines& lines) { lines[4].replace(lines[4].find("PUT"), 3, "GET"); }, 5,
       "edited"},
      {"edited in its mac", [](Lines& lines) { lines[4][lines[4].size() - 3] ^= 1; }, 5, "edited"},
      {"without its chain",
       [](Lines& lines) { lines[4] = R"({"event.action":"access_denied"})"; }, 5, "put in"},
      {"put in", [](Lines& lines) { lines.insert(lines.begin() + 4, "{}"); }, 5, "put in"},
      {"first removed", [](Lines& lines) { lines.erase(lines.begin()); }, 1,
       "lines before it are missing"},
      {"last removed", [](Lines& lines) { lines.pop_back(); }, 9, "number 10 is missing at the end"},
      {"all removed", [](Lines& lines) { lines.clear(); }, 0, "numbers 1 to 10 are missing"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    Log log;
    log.options.file_bytes_max = 1 << 20;
    log.write(10);
    Lines lines = log.read();
    REQUIRE(lines.size() == 10);
    row.change(lines);
    log.replace(lines);
    const auto faults = log.verify();
    REQUIRE_FALSE(faults.empty());
    CHECK(faults[0].file == "audit.jsonl");
    CHECK(faults[0].line == row.line);
    CHECK_MESSAGE(faults[0].reason.find(row.reason) != std::string::npos, faults[0].reason);
  }
}

TEST_CASE("audit chain: X05 a clean end is told from one where lines could be missing") {
  Log log;
  log.options.file_bytes_max = 1 << 20;
  log.write(10);
  AuditCount count;
  CHECK(log.verify(&count).empty());
  CHECK(count.ended);
  CHECK(count.newest.number == 10);
  const ChainLink tenth = count.newest;
  {
    const auto running = log.open();
    log.write(*running, 5);
    CHECK(log.verify(&count).empty());
    CHECK_FALSE(count.ended);
    CHECK(count.sure_up_to == 10);
    const ChainLink newest = count.newest;
    CHECK(newest.number == 15);
    // As after a crash: who cuts these five leaves no trace, but for what was noted elsewhere.
    const Lines lines = log.read();
    log.replace({lines.begin(), lines.end() - 3});
    CHECK(log.verify(&count).empty());
    CHECK_FALSE(count.ended);
    REQUIRE(log.verify(&count, newest).size() == 1);
    CHECK(log.verify(&count, newest)[0].reason.find("numbers 13 to 15 are missing at the end") == 0);
    CHECK(count.sure_up_to == 15);
    CHECK(log.verify(&count, tenth).empty());
    const auto other = log.verify(&count, {.number = 11, .mac = newest.mac});
    REQUIRE(other.size() == 1);
    CHECK(other[0].line == 11);
    log.replace(lines);
    CHECK(log.verify(&count, newest).empty());
  }
  CHECK(log.verify(&count).empty());
  CHECK(count.ended);
  CHECK(count.sure_up_to == 15);
}

TEST_CASE("audit chain: X05 what was cut before a start stays a fault after it") {
  Log log;
  log.options.file_bytes_max = 1 << 20;
  log.write(10);
  Lines lines = log.read();
  lines.resize(7);
  log.replace(lines);
  log.write(3);
  const auto faults = log.verify();
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].line == 8);
  CHECK(faults[0].reason.find("numbers 8 to 10 are missing before it") == 0);
}

TEST_CASE("audit chain: X05 a file that is gone is found, one that was too old is none") {
  Log log;
  log.write(200);
  const auto files = log.files();
  REQUIRE(files.size() > 4);
  const auto gone = [&](std::size_t at) {
    const auto path = std::filesystem::path(log.options.folder) / files[at];
    const Lines kept = log.read(files[at]);
    std::filesystem::remove(path);
    const auto faults = log.verify();
    log.replace(kept, files[at]);
    return faults;
  };
  REQUIRE(gone(0).size() == 1);
  CHECK(gone(0)[0].reason.find("at the beginning") != std::string::npos);
  REQUIRE(gone(1).size() == 1);
  CHECK(gone(1)[0].file == files[2]);
  CHECK(gone(1)[0].line == 1);
  CHECK(gone(files.size() - 1)[0].reason.find("at the end") != std::string::npos);
  CHECK(log.verify().empty());

  log.options.files_max = 3;
  log.write(100);
  CHECK(log.files().size() <= 3);
  CHECK(log.verify().empty());
  log.write(1);
  CHECK(log.verify().empty());
}

TEST_CASE("audit chain: a line that a crash cut goes at the start, and nothing is missing") {
  Log log;
  log.write(5);
  std::filesystem::remove(log.options.head_file);  // as if it had been written before them
  const std::string path = log.options.folder + "/audit.jsonl";
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 10);
  AuditCount count;
  CHECK(log.verify(&count).empty());
  CHECK(count.torn);
  CHECK(count.lines == 4);
  log.write(2);
  CHECK(log.verify(&count).empty());
  CHECK_FALSE(count.torn);
  CHECK(count.lines == 6);
}

TEST_CASE("audit chain: lines from before there was one are counted, and none may follow") {
  Log log;
  std::filesystem::create_directories(log.options.folder);
  log.replace({R"({"event.action":"access_denied"})", R"({"event.action":"access_denied"})"});
  log.write(3);
  AuditCount count;
  CHECK(log.verify(&count).empty());
  CHECK(count.unchained == 2);
  CHECK(count.lines == 5);
}

TEST_CASE("audit chain: a line and its parts") {
  ChainLink before;
  const std::string first = chain_line(R"({"a":1})", true, "key", before);
  CHECK(before.number == 1);
  CHECK(first.ends_with("\"}\n"));
  const auto read = read_chained_line(std::string_view(first).substr(0, first.size() - 1));
  REQUIRE(read.has_value());
  CHECK(read->link == before);
  CHECK(read->follows == "");
  CHECK(follows(*read, "", "key"));
  CHECK_FALSE(follows(*read, "", "other"));
  CHECK_FALSE(follows(*read, before.mac, "key"));
  for (const auto* wrong : {"", "{}", R"({"a":1,"chain.mac":"0123456789abcdef0123456789abcdef"})",
                            R"({"a":1,"chain.number":0,"chain.mac":"0123456789abcdef0123456789abcdef"})",
                            R"({"a":1,"chain.number":x,"chain.mac":"0123456789abcdef0123456789abcdef"})",
                            R"({"a":1,"chain.number":1,"chain.mac":"0123"})"})
    CHECK_FALSE_MESSAGE(read_chained_line(wrong).has_value(), wrong);
}

}  // namespace cairn::gate::audit_chain_test
