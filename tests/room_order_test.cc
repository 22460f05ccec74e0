// SPDX-License-Identifier: Apache-2.0
// Reads the table of rooms in docs/architecture.md and compares it with what src/ includes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {
namespace fs = std::filesystem;

struct Room {
  int storey = 0;
  std::string sentence;
  std::set<std::string> may_include;  // "room" or "room:header"
  bool everything = false;
};
using Rooms = std::map<std::string, Room>;

struct Folders {
  std::vector<std::string> upper_first;
  std::set<std::string> open;  // headers for other rooms, "sub/header.h" or "sub/*"
};

std::string read(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string strip(std::string text) {
  const auto drop = [](char c) { return c == ' ' || c == '`' || c == '\r'; };
  while (!text.empty() && drop(text.back())) text.pop_back();
  while (!text.empty() && drop(text.front())) text.erase(0, 1);
  return text;
}

std::vector<std::string> cells(const std::string& line, char separator) {
  std::vector<std::string> out;
  std::stringstream in(line);
  for (std::string cell; std::getline(in, cell, separator);) out.push_back(strip(cell));
  return out;
}

Rooms read_rooms() {
  Rooms rooms;
  std::stringstream text(read("docs/architecture.md"));
  for (std::string line; std::getline(text, line);) {
    if (line.size() < 5 || line[0] != '|' || line[2] < '0' || line[2] > '9') continue;
    // `memory_*` and the like stand in sentences, so only the outer bars separate.
    const auto row = cells(line, '|');
    if (row.size() < 5) continue;
    // Not stripped of backticks: a sentence may begin with one.
    std::string sentence = line.substr(line.find("` | ") + 4);
    sentence = sentence.substr(0, sentence.find(" | "));
    Room room;
    room.storey = std::stoi(row[1]);
    room.sentence = sentence;
    for (const auto& name : cells(row[4], ',')) {
      if (name == "*") room.everything = true;
      else if (name != "–") room.may_include.insert(name);
    }
    rooms[row[2]] = std::move(room);
  }
  return rooms;
}

/// The rows of the table of sub-folders: a room, its sub-folders, what is open.
std::map<std::string, Folders> read_folders() {
  std::map<std::string, Folders> rooms;
  std::stringstream text(read("docs/architecture.md"));
  bool inside = false;
  for (std::string line; std::getline(text, line);) {
    if (line.rfind("### ", 0) == 0) inside = line == "### Sub-folders";
    if (!inside || line.rfind("| `", 0) != 0) continue;
    const auto row = cells(line, '|');
    if (row.size() < 4) continue;
    Folders& folders = rooms[row[1]];
    folders.upper_first = cells(row[2], ',');
    for (const auto& header : cells(row[3], ',')) folders.open.insert(header);
  }
  return rooms;
}

bool is_source(const fs::path& path) {
  return path.extension() == ".h" || path.extension() == ".cc";
}

/// The `room/header.h` of a line `#include "room/header.h"`, or empty.
std::string included(const std::string& line) {
  const std::string start = "#include \"";
  if (line.rfind(start, 0) != 0) return {};
  return line.substr(start.size(), line.find('"', start.size()) - start.size());
}

/// What tests build with: they may use every room on a lower storey.
bool is_test(const std::string& path) {
  for (const auto part : {"_test.cc", "_rig.h", "testing.h", "oracle.h", "_contract.h", "fake_",
                          "_for_tests.h", "tiny_", "concept_", "_bench."})
    if (path.find(part) != std::string::npos) return true;
  return false;
}

bool allowed(const Rooms& rooms, const std::string& path, const std::string& from,
             const std::string& header) {
  const std::string to = header.substr(0, header.find('/'));
  const Room& room = rooms.at(from);
  if (is_test(path) && rooms.at(to).storey < room.storey) return true;
  if (to == from || to == "base" || room.everything) return true;
  if (to == "os" && room.storey > 1) return true;
  return room.may_include.count(to) > 0 ||
         room.may_include.count(to + ":" + header.substr(header.find('/') + 1)) > 0;
}

/// The sub-folder that a path below its room names, or empty for the room's root.
std::string sub_folder(const std::string& below_room) {
  const auto end = below_room.find('/');
  return end == std::string::npos ? std::string() : below_room.substr(0, end);
}

/// Of one room: the root is shared; an upper sub-folder includes itself and lower ones.
bool in_order(const Folders& folders, const std::string& from, const std::string& to) {
  if (from.empty() || to.empty()) return true;
  const auto& all = folders.upper_first;
  return std::find(all.begin(), all.end(), from) <= std::find(all.begin(), all.end(), to);
}

bool is_open(const Folders& folders, const std::string& header) {
  const std::string sub = sub_folder(header);
  return sub.empty() || folders.open.count(header) > 0 || folders.open.count(sub + "/*") > 0;
}

/// Where a banned word is right, and why.
bool is_excepted(const std::string& path, const std::string& word) {
  // Elsewhere a thread that cannot be started ends the process without a word: see os/threads/thread.h.
  const bool threads = word.find("thread") != std::string::npos;
  if (threads && (path.rfind("src/os/", 0) == 0 || path == "src/net/server/worker_pool.cc")) return true;
  return is_test(path) && (threads || word == "std::async");
}

}  // namespace

TEST_CASE("architecture: every row names rooms on lower storeys only") {
  const Rooms rooms = read_rooms();
  REQUIRE(rooms.size() > 20);
  for (const auto& [name, room] : rooms) {
    for (const auto& entry : room.may_include) {
      const std::string below = entry.substr(0, entry.find(':'));
      REQUIRE_MESSAGE(rooms.count(below) == 1, name << " names an unknown room " << below);
      CHECK_MESSAGE(rooms.at(below).storey < room.storey, name << " stands no higher than " << below);
    }
  }
}

TEST_CASE("architecture: a room includes only what its row allows") {
  const Rooms rooms = read_rooms();
  std::size_t seen = 0;
  for (const auto& entry : fs::recursive_directory_iterator("src")) {
    if (!entry.is_regular_file() || !is_source(entry.path())) continue;
    const std::string path = entry.path().string();
    const std::string room = path.substr(4, path.find('/', 4) - 4);
    REQUIRE_MESSAGE(rooms.count(room) == 1, path << " lies in no room of docs/architecture.md");
    std::stringstream text(read(entry.path()));
    int number = 0;
    for (std::string line; std::getline(text, line);) {
      ++number;
      const std::string header = included(line);
      if (header.find('/') == std::string::npos) continue;
      ++seen;
      CHECK_MESSAGE(rooms.count(header.substr(0, header.find('/'))) == 1,
                    path << ":" << number << " includes from no room: " << header);
      CHECK_MESSAGE(allowed(rooms, path, room, header),
                    path << ":" << number << " room " << room << " may not include " << header);
    }
  }
  CHECK(seen > 100);
}

TEST_CASE("architecture: sub-folders are named, in order, and closed to other rooms") {
  auto rooms = read_folders();
  REQUIRE(rooms.size() > 5);
  for (const auto& entry : fs::recursive_directory_iterator("src")) {
    if (!entry.is_regular_file() || !is_source(entry.path())) continue;
    const std::string path = entry.path().string();
    const auto room_end = path.find('/', 4);
    const std::string room = path.substr(4, room_end - 4);
    const std::string folder = sub_folder(path.substr(room_end + 1));
    const auto& named = rooms[room].upper_first;
    CHECK_MESSAGE((folder.empty() || std::find(named.begin(), named.end(), folder) != named.end()),
                  path << " lies in a sub-folder that docs/architecture.md does not name");
    if (is_test(path)) continue;
    std::stringstream text(read(entry.path()));
    for (std::string line; std::getline(text, line);) {
      const std::string header = included(line);
      const auto slash = header.find('/');
      if (slash == std::string::npos) continue;
      const std::string to = header.substr(0, slash), below = header.substr(slash + 1);
      if (to == room)
        CHECK_MESSAGE(in_order(rooms[room], folder, sub_folder(below)),
                      path << " includes " << header << ", which stands above it");
      else
        CHECK_MESSAGE(is_open(rooms[to], below), path << " includes " << header
                                                      << ", which is not open to other rooms");
    }
  }
}

TEST_CASE("architecture: the README of a room says what each of its sub-folders is for") {
  for (const auto& [name, folders] : read_folders()) {
    const std::string text = read(fs::path("src") / name / "README.md");
    for (const auto& folder : folders.upper_first)
      CHECK_MESSAGE(text.find("`" + folder + "/`") != std::string::npos,
                    "src/" << name << "/README.md does not say what " << folder << "/ is for");
  }
}

TEST_CASE("architecture: the README of a room names each of its sources") {
  for (const auto& entry : fs::recursive_directory_iterator("src")) {
    const std::string stem = entry.path().stem().string();
    if (!is_source(entry.path()) || stem.find("_test") != std::string::npos) continue;
    const std::string path = entry.path().string();
    const std::string text = read(path.substr(0, path.find('/', 4)) + "/README.md");
    const auto is_letter = [&](std::size_t at) {
      return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
    };
    bool found = false;
    for (auto at = text.find(stem); !found && at != std::string::npos; at = text.find(stem, at + 1))
      found = (at == 0 || !is_letter(at - 1)) && !is_letter(at + stem.size());
    CHECK_MESSAGE(found, path << " is not named in the README of its room");
  }
}

TEST_CASE("architecture: the README of a room lists no source that is not there") {
  std::map<std::string, std::set<std::string>> stems;  // by room
  for (const auto& entry : fs::recursive_directory_iterator("src")) {
    const std::string path = entry.path().string();
    if (is_source(entry.path()))
      stems[path.substr(4, path.find('/', 4) - 4)].insert(entry.path().stem().string());
  }
  for (const auto& [room, there] : stems) {
    std::stringstream text(read(fs::path("src") / room / "README.md"));
    for (std::string line; std::getline(text, line);) {
      const bool row = line.starts_with("| `");
      if (!row && !line.starts_with("- `")) continue;
      const std::string names = line.substr(0, row ? line.find('|', 1) : line.find("`:"));
      for (auto at = names.find('`'); at != std::string::npos; at = names.find('`', at + 1)) {
        const auto end = std::min(names.find('`', at + 1), names.size());
        const std::string name = names.substr(at + 1, end - at - 1);
        at = end;
        if (name.ends_with('/') || name.find_first_of("*<") != std::string::npos) continue;
        CHECK_MESSAGE(there.count(fs::path(name).stem().string()) == 1,
                      "src/" << room << "/README.md lists " << name << ", which is not there");
        if (end == names.size()) break;
      }
    }
  }
}

TEST_CASE("architecture: every furnished room has a README that opens with its sentence") {
  for (const auto& [name, room] : read_rooms()) {
    const fs::path folder = fs::path("src") / name;
    if (!fs::exists(folder)) continue;
    const std::string text = read(folder / "README.md");
    CHECK_MESSAGE(text.rfind("# " + name + "\n\n" + room.sentence, 0) == 0,
                  "src/" << name << "/README.md must begin with '# " << name
                         << "', an empty line, and: " << room.sentence);
  }
}

TEST_CASE("sources: no banned words, no file names that say nothing") {
  const std::vector<std::string> banned = {"co_await", ".detach(", "std::regex", "std::async",
                                           "std::thread", "std::jthread", "pthread_create(",
                                           "FIXME", "sprintf(buf", "using namespace std;"};
  const std::vector<std::string> empty_names = {"util", "utils", "helper", "helpers", "misc",
                                                "manager", "common"};
  for (const auto& entry : fs::recursive_directory_iterator("src")) {
    if (!entry.is_regular_file() || !is_source(entry.path())) continue;
    const std::string text = read(entry.path());
    for (const auto& word : banned) {
      const bool good = is_excepted(entry.path().string(), word) || text.find(word) == std::string::npos;
      CHECK_MESSAGE(good, entry.path().string() << " has " << word);
    }
    CHECK_MESSAGE(text.rfind("// SPDX-License-Identifier: Apache-2.0\n", 0) == 0,
                  entry.path().string() << " must begin with its licence line");
    const std::string stem = entry.path().stem().string();
    CHECK_MESSAGE(std::find(empty_names.begin(), empty_names.end(), stem) == empty_names.end(),
                  entry.path().string() << " has a name that says nothing");
  }
}
