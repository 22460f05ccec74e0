// SPDX-License-Identifier: Apache-2.0
// Reading the audit log from any place: against all of its lines, read at once.
#include "gate/trail/audit_trail.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "format/time.h"
#include "gate/audit_verify.h"
#include "os/files/test_folder.h"
#include "os/random.h"

namespace cairn::gate::audit_trail_test {
namespace {

using Texts = std::vector<std::string>;
const os::Deadline never = os::Deadline::never();

struct Trail {
  explicit Trail(std::uint64_t file_bytes = 4096, std::size_t files_max = 1000) {
    options.file_bytes_max = file_bytes;
    options.files_max = files_max;
    open();
  }
  void open() {
    trail.reset();
    log.reset();
    log = std::move(AuditLog::open(os::system_files(), clock, options).value());
    trail = std::make_unique<AuditTrail>(os::system_files(), clock, *log, options.key,
                                         auth::SigningKey::of_seed(std::string(32, 's')).value());
  }
  void write(int lines) {
    constexpr std::string_view actions[] = {"access_denied", "access_granted",
                                            "authentication_failed"};
    constexpr std::string_view users[] = {"ann", "bob", "root", "anna"};
    constexpr std::string_view paths[] = {"/books", "/books/_doc/1", "/bookshop",
                                          "/_security/api_key"};
    for (int i = 0; i < lines; ++i) {
      clock.advance_ms(static_cast<std::int64_t>(random->below(2000)));
      log->write({.action = actions[random->below(3)],
                  .method = "PUT",
                  .path = paths[random->below(4)],
                  .operation = random->below(2) == 0 ? "index.create" : "security.create_api_key",
                  .origin = "192.0.2.1",
                  .username = users[random->below(4)],
                  .reason = std::string(random->below(400), 'r'),
                  .status = 403});
    }
  }
  /// Every line, as a reader without any of this would see them.
  Texts all() const {
    Texts out;
    const auto names = audit_files(os::system_files(), options.folder).value();
    for (const auto& name : names) {
      std::ifstream in(options.folder + "/" + name);
      for (std::string line; std::getline(in, line);) out.push_back(line);
    }
    return out;
  }
  AuditLines lines() const { return {os::system_files(), log->snapshot(true).value(), never}; }
  Texts segments(std::size_t lines_max, std::size_t bytes_max = 1 << 20) const {
    Texts out;
    for (std::uint64_t after = 0;;) {
      const auto segment =
          trail->segment({.after = after, .lines_max = lines_max, .bytes_max = bytes_max}, never);
      REQUIRE_MESSAGE(segment.ok(), segment.error().message);
      if (segment->text.empty()) return out;
      REQUIRE(segment->seal.to > after);
      after = segment->seal.to;
      out.push_back(segment->text);
    }
  }

  os::TestFolder folder;
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(3);
  AuditOptions options = {.folder = folder / "audit",
                          .key = std::string(32, 'k'),
                          .head_file = folder / "keys/audit.head"};
  std::unique_ptr<AuditLog> log;
  std::unique_ptr<AuditTrail> trail;
};

Texts lines_in(const std::string& text) {
  Texts out;
  for (const auto line : split(text, '\n')) out.emplace_back(line);
  out.pop_back();
  return out;
}

SealedCount verify(const Texts& inputs, Texts* faults = nullptr) {
  const auto key = auth::SigningKey::of_seed(std::string(32, 's')).value();
  Texts told;
  SegmentVerifier verifier(auth::VerifyingKey::parse(key.public_pem()).value(),
                           [&](std::uint64_t line, const std::string& reason) {
                             told.push_back(std::to_string(line) + ": " + reason);
                           });
  for (const auto& input : inputs) {
    for (const auto& line : lines_in(input)) verifier.take(line);
    verifier.end_input();
  }
  CHECK(told.size() == verifier.count().faults);
  if (faults != nullptr)
    *faults = told;
  else if (!told.empty())
    FAIL_CHECK(told.front());
  return verifier.count();
}

bool oracle(const std::string& text, const AuditQuery& query) {
  const Json line = parse_json(text).value();
  const auto number = static_cast<std::uint64_t>(line.int_or("chain.number"));
  const std::int64_t time = parse_iso8601(line.string_or("@timestamp")).value();
  if (number >= query.before) return false;
  if (query.since_ms && time < *query.since_ms) return false;
  if (query.until_ms && time >= *query.until_ms) return false;
  if (!query.identity.empty() && !wildcard_match(query.identity, line.string_or("user.name")) &&
      !wildcard_match(query.identity, line.string_or("origin.address")))
    return false;
  if (!query.operation.empty() && !wildcard_match(query.operation, line.string_or("action")))
    return false;
  if (!query.outcome.empty() && query.outcome != line.string_or("event.outcome") &&
      query.outcome != line.string_or("event.action"))
    return false;
  const std::string path = line.string_or("url.path");
  if (query.resource == "books") return path == "/books" || path.starts_with("/books/");
  return query.resource.empty() || wildcard_match(query.resource, path);
}

}  // namespace

TEST_CASE("audit trail: lines forwards, backwards and from any place are those of the files") {
  // Many small files, and files in which a place is looked for by halves.
  for (const std::uint64_t file_bytes : {std::uint64_t{4096}, std::uint64_t{700'000}}) {
    Trail trail(file_bytes);
    trail.write(file_bytes == 4096 ? 300 : 4000);
    const Texts all = trail.all();
    AuditLines lines = trail.lines();
    Texts forwards, backwards;
    for (AuditPlace at = lines.begin();;) {
      const auto line = lines.next(at).value();
      if (!line) break;
      forwards.emplace_back(*line);
    }
    for (AuditPlace at = lines.end();;) {
      const auto line = lines.previous(at).value();
      if (!line) break;
      backwards.emplace_back(*line);
    }
    CHECK(forwards == all);
    std::reverse(backwards.begin(), backwards.end());
    CHECK(backwards == all);
    for (std::uint64_t number = 0; number <= all.size() + 1; number += 1 + all.size() / 37) {
      AuditPlace at = lines
                          .first_not([number](std::string_view line) {
                            return number_of(line).value_or(0) <= number;
                          })
                          .value();
      const auto line = lines.next(at).value();
      CHECK(line.has_value() == (number < all.size()));
      if (line) CHECK(*line == all[number]);
    }
  }
}

TEST_CASE("audit trail: what stands in a file that is no line of the log is read, too") {
  Trail trail;
  trail.write(3);
  const std::string path = trail.options.folder + "/audit.jsonl";
  trail.log.reset();
  std::ofstream(path, std::ios::app) << "\n\n" << std::string(3 << 20, 'x') << "\n{}\n";
  trail.open();
  AuditLines lines = trail.lines();
  std::size_t forwards = 0, backwards = 0;
  for (AuditPlace at = lines.begin();;) {
    const auto line = lines.next(at).value();
    if (!line) break;
    forwards += line->size();
    CHECK(line->size() <= 1 << 20);
  }
  for (AuditPlace at = lines.end();;) {
    const auto line = lines.previous(at).value();
    if (!line) break;
    backwards += line->size();
  }
  CHECK(forwards == backwards);
  CHECK(forwards > 3u << 20);
}

TEST_CASE("audit trail: searches find what a look at every line finds, page by page") {
  Trail trail(20'000);
  trail.write(1500);
  const Texts all = trail.all();
  const auto random = os::seeded_random(11);
  const std::int64_t first =
      parse_iso8601(parse_json(all.front())->string_or("@timestamp")).value();
  const std::int64_t last = parse_iso8601(parse_json(all.back())->string_or("@timestamp")).value();
  const auto time = [&] {
    return first + static_cast<std::int64_t>(
                       random->below(static_cast<std::uint64_t>(last - first + 10'000)));
  };
  const Texts identities = {"ann", "an*", "192.0.2.1", "nobody", "ro*t"};
  const Texts operations = {"index.create", "security.*", "indices.none"};
  const Texts outcomes = {"failure", "success", "access_denied", "authentication_failed", "no"};
  const Texts resources = {"books", "/books*", "/_security/*", "/none"};
  for (int round = 0; round < 60; ++round) {
    AuditQuery query;
    if (random->below(2) == 0) query.since_ms = time();
    if (random->below(2) == 0) query.until_ms = time();
    if (random->below(2) == 0) query.identity = identities[random->below(identities.size())];
    if (random->below(3) == 0) query.operation = operations[random->below(operations.size())];
    if (random->below(3) == 0) query.outcome = outcomes[random->below(outcomes.size())];
    if (random->below(3) == 0) query.resource = resources[random->below(resources.size())];
    query.size = 1 + random->below(200);
    Texts expected, found;
    for (auto line = all.rbegin(); line != all.rend(); ++line)
      if (oracle(*line, query)) expected.push_back(*line);
    AuditLines lines = trail.lines();
    for (int pages = 0;; ++pages) {
      REQUIRE(pages < 2000);
      const auto page = search_audit(lines, query, 30'000);
      REQUIRE(page.ok());
      CHECK(page->lines.size() <= query.size);
      found.insert(found.end(), page->lines.begin(), page->lines.end());
      if (!page->next) break;
      CHECK(*page->next < query.before);
      query.before = *page->next;
    }
    CHECK(found == expected);
  }
}

TEST_CASE("complexity: audit trail: a page looks at no more than its bound, whatever is asked") {
  Trail trail(20'000);
  trail.write(1000);
  AuditLines lines = trail.lines();
  AuditQuery query{.identity = "nobody"};
  std::size_t pages = 0;
  for (;; ++pages) {
    const auto page = search_audit(lines, query, 10'000);
    REQUIRE(page.ok());
    CHECK(page->lines.empty());
    if (!page->next) break;
    // Some 400 bytes a line: no page goes further than its bytes.
    if (query.before != UINT64_MAX) CHECK(query.before - *page->next < 100);
    query.before = *page->next;
  }
  CHECK(pages > 20);
}

TEST_CASE("audit trail: segments are the log, each line once, and verify by the public key alone") {
  Trail trail(8192);
  trail.write(400);
  trail.open();
  trail.write(100);
  const Texts all = trail.all();
  for (const std::size_t lines_max : {1u, 7u, 499u, 10'000u}) {
    const Texts segments = trail.segments(lines_max);
    Texts lines;
    for (const auto& segment : segments) {
      Texts some = lines_in(segment);
      CHECK(AuditSeal::decode(some.back()).has_value());
      some.pop_back();
      CHECK(some.size() <= lines_max);
      lines.insert(lines.end(), some.begin(), some.end());
    }
    CHECK(lines == all);
    const SealedCount count = verify(segments);
    CHECK(count.faults == 0);
    CHECK(count.lines == 500);
    CHECK(count.from == 1);
    CHECK(count.to == 500);
    CHECK(count.segments == segments.size());
  }
  CHECK(trail.segments(10'000, 2000).size() > 50);
}

TEST_CASE("audit trail: whatever is changed in an export is found out") {
  Trail trail(8192);
  trail.write(40);
  const Texts segments = trail.segments(10);
  REQUIRE(segments.size() == 4);
  const auto random = os::seeded_random(2);
  for (int round = 0; round < 300; ++round) {
    Texts changed = segments;
    const std::size_t which = random->below(changed.size());
    Texts lines = lines_in(changed[which]);
    const std::size_t at = random->below(lines.size());
    switch (random->below(6)) {
      case 0:
        lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      case 1:
        lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), "{}");
        break;
      case 2:
        std::swap(lines[at], lines[(at + 1) % lines.size()]);
        break;
      case 3:
        lines[at][random->below(lines[at].size())] ^= 2;
        break;
      case 4:
        lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), lines[at]);
        break;
      default:
        lines.resize(at);
    }
    changed[which].clear();
    for (const auto& line : lines) changed[which] += line + "\n";
    if (changed[which].empty()) changed[which] = "\n";
    Texts faults;
    verify(changed, &faults);
    CHECK_FALSE(faults.empty());
  }
  for (std::size_t gone = 1; gone + 1 < segments.size(); ++gone) {
    Texts fewer = segments;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(gone));
    Texts faults;
    verify(fewer, &faults);
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].find("missing before this segment") != std::string::npos);
  }
  Texts twice = segments;
  twice.insert(twice.begin() + 1, segments[0]);
  Texts faults;
  verify(twice, &faults);
  CHECK_FALSE(faults.empty());
}

TEST_CASE("audit trail: a log that was edited is given all the same, and the seal says so") {
  Trail trail(1 << 20);
  trail.write(20);
  Texts lines = trail.all();
  lines[4].replace(lines[4].find("PUT"), 3, "GET");
  lines.erase(lines.begin() + 10);
  trail.log.reset();
  {
    std::ofstream out(trail.options.folder + "/audit.jsonl", std::ios::trunc);
    for (const auto& line : lines) out << line << "\n";
  }
  trail.open();
  const auto segment = trail.trail->segment({}, never);
  REQUIRE(segment.ok());
  CHECK(segment->seal.lines == 19);
  REQUIRE(segment->seal.faults.size() == 2);
  CHECK(segment->seal.faults[0].find("it was edited") != std::string::npos);
  CHECK(segment->seal.faults[1].find("number 11 is missing") != std::string::npos);
  Texts faults;
  verify({segment->text}, &faults);
  CHECK(faults.size() == 2);
}

TEST_CASE("audit trail: while lines are written and files turn, what is read is whole") {
  Trail trail(4096);
  std::thread writer([&] { trail.write(600); });
  Texts segments;
  for (std::uint64_t after = 0; after < 600;) {
    const auto segment = trail.trail->segment({.after = after, .lines_max = 37}, never);
    REQUIRE(segment.ok());
    CHECK(segment->seal.faults.empty());
    const auto page = trail.trail->search({.size = 20}, never);
    REQUIRE(page.ok());
    for (std::size_t i = 1; i < page->lines.size(); ++i)
      CHECK(*number_of(page->lines[i]) + 1 == *number_of(page->lines[i - 1]));
    if (segment->text.empty()) continue;
    after = segment->seal.to;
    segments.push_back(segment->text);
  }
  writer.join();
  CHECK(verify(segments).lines == 600);
}

TEST_CASE("audit trail: a log that is switched off says so; one whose files go is read on") {
  Trail trail(4096, 3);
  trail.write(50);
  AuditLines before = trail.lines();
  trail.write(200);  // all that `before` has named is dropped but the open one
  AuditPlace at = before.begin();
  const auto line = before.next(at);
  REQUIRE(line.ok());
  const auto seal = trail.trail->segment({}, never);
  REQUIRE(seal.ok());
  CHECK(seal->seal.from > 100);
  CHECK(seal->seal.to == 250);
  const auto off = AuditLog::open(os::system_files(), trail.clock, {});
  REQUIRE(off.ok());
  const auto snapshot = (*off)->snapshot(false);
  REQUIRE_FALSE(snapshot.ok());
  CHECK(snapshot.error().kind == ErrorKind::unsupported);
}

}  // namespace cairn::gate::audit_trail_test
