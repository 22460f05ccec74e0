// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <fstream>

#include "base/strings.h"
#include "cli/bulk/batch.h"
#include "cli/bulk/checkpoint.h"
#include "cli/bulk/line_source.h"
#include "os/files/test_folder.h"
#include "os/random.h"

namespace cairn::cli::bulk_test {
namespace {

std::string written(const os::TestFolder& folder, const std::string& text) {
  const std::string path = folder / "in.ndjson";
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  return path;
}

std::vector<InputLine> all_lines(LineSource& source) {
  std::vector<InputLine> out;
  for (;;) {
    auto line = source.next();
    REQUIRE(line.ok());
    if (!*line) return out;
    out.push_back(**line);
  }
}

}  // namespace

TEST_CASE("bulk: lines of an input, whatever ends them, with the places where they end") {
  const os::TestFolder folder;
  const std::string text = "{\"a\":1}\n\n{\"b\":2}\r\n" + std::string(3'000'000, 'x') + "\nlast";
  auto source = LineSource::open(written(folder, text));
  REQUIRE(source.ok());
  CHECK(source->size() == text.size());
  const auto lines = all_lines(*source);
  REQUIRE(lines.size() == 5);
  CHECK(lines[0].text == "{\"a\":1}");
  CHECK(lines[1].text.empty());
  CHECK(lines[2].text == "{\"b\":2}");
  CHECK(lines[3].text.size() == 3'000'000);
  CHECK(lines[4].text == "last");
  CHECK(lines[4].number == 5);
  CHECK(lines[4].end == text.size());
  CHECK(lines[2].end == 18);
  auto empty = LineSource::open(written(folder, ""));
  CHECK(all_lines(*empty).empty());
  const auto missing = LineSource::open(folder / "none");
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().kind == ErrorKind::not_found);
  CHECK_FALSE(LineSource::open(folder.path).ok());
}

TEST_CASE("bulk: an input goes on behind any line, and one that was changed is found out") {
  const os::TestFolder folder;
  const auto random = os::seeded_random(5);
  std::string text;
  for (int i = 0; i < 300; ++i)
    text += std::string(random->below(200), 'a') + std::to_string(i) + "\n";
  const std::string path = written(folder, text);
  auto whole = LineSource::open(path);
  std::vector<InputLine> lines;
  std::vector<std::string> marks = {LineSource::mark_of("")};
  for (;;) {
    auto line = whole->next();
    if (!*line) break;
    lines.push_back(**line);
    marks.push_back(LineSource::mark_of(whole->tail()));
  }
  for (std::size_t done = 1; done <= lines.size(); done += 13) {
    auto rest = LineSource::open(path);
    REQUIRE(rest->skip(lines[done - 1].end, done, marks[done]).ok());
    const auto others = all_lines(*rest);
    REQUIRE(others.size() == lines.size() - done);
    if (!others.empty()) {
      CHECK(others[0].text == lines[done].text);
      CHECK(others[0].number == done + 1);
    }
    CHECK(LineSource::mark_of(rest->tail()) == marks.back());
  }
  std::string changed = text;
  changed[lines[150].end - 2] ^= 1;
  auto other = LineSource::open(written(folder, changed));
  const Status skipped = other->skip(lines[150].end, 151, marks[151]);
  REQUIRE_FALSE(skipped.ok());
  CHECK(skipped.error().kind == ErrorKind::corrupt);
  auto shorter = LineSource::open(written(folder, text.substr(0, 50)));
  CHECK_FALSE(shorter->skip(lines[150].end, 151, marks[151]).ok());
}

TEST_CASE(
    "bulk: ids are of a field, or of the load and the line; other lines are rejected with a "
    "reason") {
  const InputLine line{.text = R"({"isbn":"a b","n":{"m":7}})", .number = 12};
  CHECK(*id_of_line(line, "", "ab12") == "ab12-12");
  CHECK(*id_of_line(line, "isbn", "x") == "a b");
  CHECK(*id_of_line(line, "n.m", "x") == "7");
  for (const auto& [text, field, reason] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"{", "", "no JSON"},
           {"[1]", "", "no JSON object"},
           {"{\"a\":1}", "b", "field [b]"},
           {"{\"a\":{}}", "a", "field [a]"},
           {"{\"a\":\"\"}", "a", "from 1 to 512"}}) {
    const auto id = id_of_line({.text = text, .number = 1}, field, "x");
    REQUIRE_FALSE(id.ok());
    CHECK(id.error().message.find(reason) != std::string::npos);
  }
}

TEST_CASE("bulk: an answer is told by line") {
  std::vector<BatchItem> items;
  for (std::uint64_t i = 1; i <= 4; ++i)
    items.push_back(
        {{.text = "{\"n\":" + std::to_string(i) + "}", .number = i}, "id\"" + std::to_string(i)});
  CHECK(bulk_text(items).starts_with("{\"index\":{\"_id\":\"id\\\"1\"}}\n{\"n\":1}\n"));
  const auto answer = parse_json(R"({"errors":true,"items":[{"index":{"status":201}},
      {"index":{"status":400,"error":{"type":"t","reason":"r"}}},{"index":{"status":429}},
      {"index":{"status":200}}]})");
  const auto outcome = judge_answer(items, *answer);
  REQUIRE(outcome.ok());
  CHECK(outcome->loaded == 2);
  REQUIRE(outcome->rejected.size() == 1);
  const auto told = parse_json(trim(outcome->rejected[0].encode()));
  REQUIRE(told.ok());
  CHECK(told->int_or("line") == 2);
  CHECK(told->int_or("status") == 400);
  CHECK(told->find_path("error.reason")->as_string() == "r");
  CHECK(told->find_path("document.n")->as_int() == 2);
  REQUIRE(outcome->again.size() == 1);
  CHECK(outcome->again[0].line.number == 3);
  CHECK_FALSE(judge_answer(items, Json::object()).ok());
  CHECK_FALSE(judge_answer(items, *parse_json(R"({"items":[{}]})")).ok());
  const RejectedLine broken{.line = {.text = "{\"", .number = 3}, .status = 400, .error = Json()};
  CHECK(parse_json(trim(broken.encode()))->string_or("document") == "{\"");
}

TEST_CASE("bulk: a checkpoint reads back, and nothing else does") {
  const os::TestFolder folder;
  const std::string path = folder / "c";
  CHECK_FALSE(LoadCheckpoint::read(path)->has_value());
  const LoadCheckpoint at{.index = "b",
                          .id_field = "f",
                          .load = "l",
                          .lines = 3,
                          .bytes = 99,
                          .mark = "m",
                          .loaded = 2,
                          .rejected = 1,
                          .rejects_bytes = 40,
                          .done = true};
  REQUIRE(at.write(path).ok());
  const auto back = LoadCheckpoint::read(path);
  REQUIRE(back.ok());
  CHECK((*back)->bytes == 99);
  CHECK((*back)->rejects_bytes == 40);
  CHECK((*back)->done);
  std::ofstream(path, std::ios::trunc) << "{}";
  CHECK_FALSE(LoadCheckpoint::read(path).ok());
}

}  // namespace cairn::cli::bulk_test
