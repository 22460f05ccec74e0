// SPDX-License-Identifier: Apache-2.0
// Real repositories, made by git itself; and what git writes, read.
#include "connectors/sources/git/git.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "connectors/configuration.h"
#include "connectors/sources/git/git_output.h"
#include "connectors/sources/piped_program.h"
#include "connectors/testing.h"
#include "os/files/test_folder.h"

namespace cairn::connectors::git_test {
namespace {

namespace fs = std::filesystem;

const os::Deadline never = os::Deadline::never();

std::string shell(const std::string& command, const std::string& folder) {
  auto child = PipedProgram::start(
      {.command = {"/bin/sh", "-ec", "cd '" + folder + "'\n" + command},
       .environment = {"PATH=/usr/bin:/bin", "HOME=" + folder, "LC_ALL=C.UTF-8",
                       "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=a@b.c",
                       "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=a@b.c",
                       "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z",
                       "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z"}});
  REQUIRE(child.ok());
  const auto text = (*child)->read_all(1 << 20, os::Deadline::in_ms(60'000));
  REQUIRE_MESSAGE(text.ok(), (text.ok() ? std::string() : text.error().message));
  return *text;
}

struct Fixture {
  os::TestFolder folder;
  std::string repository = folder / "root/repo";

  Fixture() {
    fs::create_directories(repository);
    git("git init -q -b main .");
    commit("README.md", "# Read me\nfirst", "Begin\n\nThe long story.");
    commit("src/a.txt", "text of a", "Add a");
    commit("picture.png", "no text", "Add a picture");
  }
  void git(const std::string& command) const { shell(command, repository); }
  void commit(const std::string& file, const std::string& text, const std::string& message) const {
    fs::create_directories(fs::path(repository + "/" + file).parent_path());
    std::ofstream(repository + "/" + file) << text;
    std::ofstream(folder / "message") << message;
    git("git add -A; git commit -q -F '" + (folder / "message") + "'");
  }
  std::unique_ptr<const SourceType> type() const {
    return git_source(
        {.roots = fixed_roots({folder / "root"}), .outreach = {}, .work_folder = folder / "work"});
  }
  Json values(const Json& some = Json::object()) const {
    Json out = type()->configuration_schema();
    out.find("repository")->set("value", repository);
    for (const auto& [name, value] : some.as_object()) out.find(name)->set("value", value);
    return out;
  }
  std::unique_ptr<Source> opened(const Json& some = Json::object()) const {
    auto source = type()->open(values(some));
    REQUIRE_MESSAGE(source.ok(), (source.ok() ? std::string() : source.error().message));
    return *std::move(source);
  }
};

struct Seen {
  std::vector<std::string> paths, removed;
  std::string cursor;
  bool whole = true;
};

Seen walk(Source& source, const std::string& cursor = {}) {
  const auto walk = source.walk(cursor, never);
  REQUIRE_MESSAGE(walk.ok(), (walk.ok() ? std::string() : walk.error().message));
  Seen out;
  for (bool last = false; !last;) {
    const auto page = (*walk)->next(never);
    REQUIRE_MESSAGE(page.ok(), (page.ok() ? std::string() : page.error().message));
    for (const auto& item : page->items) out.paths.push_back(item.path);
    for (const auto& path : page->removed) out.removed.push_back(path);
    last = page->last;
  }
  out.cursor = (*walk)->cursor();
  out.whole = (*walk)->is_whole();
  std::sort(out.paths.begin(), out.paths.end());
  return out;
}

using Paths = std::vector<std::string>;

}  // namespace

TEST_CASE("git: the files of the branch that HEAD names, read from their commit") {
  const Fixture f;
  std::ofstream(f.repository + "/src/a.txt") << "not committed";
  const auto source = f.opened();
  const SourcePage all = all_pages(*source);
  REQUIRE(all.items.size() == 2);
  CHECK(all.skipped == 1);
  CHECK(all.items[0].path == "README.md");
  CHECK(all.items[0].size_bytes == 15);
  const auto documents = documents_of(*source, all.items[0]);
  REQUIRE(documents.ok());
  CHECK(documents->front().title == "Read me");
  CHECK(documents_of(*source, all.items[1])->front().body == "text of a");
  const auto facts = source->check(never);
  REQUIRE(facts.ok());
  CHECK(is_git_id(facts->string_or("commit")));
}

TEST_CASE("git: branches and tags by name, packed and loose; one that is not there is none") {
  const Fixture f;
  f.git("git checkout -q -b other; git tag -a -m t v1");
  f.commit("only-there.txt", "x", "On the other one");
  f.git("git checkout -q main");
  CHECK(walk(*f.opened(Json::object({{"branch", "other"}}))).paths ==
        Paths{"README.md", "only-there.txt", "src/a.txt"});
  f.git("git pack-refs --all; git gc -q");
  CHECK(walk(*f.opened(Json::object({{"branch", "other"}}))).paths.size() == 3);
  CHECK(walk(*f.opened(Json::object({{"branch", "v1"}}))).paths.size() == 2);
  const auto none = f.opened(Json::object({{"branch", "none"}}))->walk("", never);
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().kind == ErrorKind::not_found);
}

TEST_CASE("git: a walk over changes compares two commits") {
  const Fixture f;
  const auto source = f.opened();
  const std::string before = walk(*source).cursor;
  CHECK(walk(*source, before).paths.empty());
  f.commit("src/a.txt", "another text", "Change a");
  f.commit("b.md", "new", "Add b");
  f.git("git rm -q README.md; git commit -q -m gone");
  const Seen seen = walk(*source, before);
  CHECK_FALSE(seen.whole);
  CHECK(seen.paths == Paths{"b.md", "src/a.txt"});
  CHECK(seen.removed == Paths{"README.md"});
  // A text whose name is that of a picture now is gone.
  f.git("git mv b.md b.png; git commit -q -m moved");
  CHECK(walk(*source, seen.cursor).removed == Paths{"b.md", "b.png"});
  CHECK(walk(*source, std::string(40, '1')).whole);
}

TEST_CASE("git: history gives a document for each commit, and loses those that were rewritten") {
  const Fixture f;
  const auto source = f.opened(Json::object({{"files", false}, {"history", true}}));
  const SourcePage all = all_pages(*source);
  REQUIRE(all.items.size() == 3);
  const SourceItem& first = all.items[2];
  CHECK(first.modified_ms == 1767323045000);
  REQUIRE(first.content);
  const SourceDocument& document = first.content->documents.front();
  CHECK(document.title == "Begin");
  CHECK(document.body == "Begin\n\nThe long story.");
  CHECK(document.fields.string_or("author") == "Ada");
  const std::string before = walk(*source).cursor;
  f.git("git commit -q --amend -m 'Add another picture'");
  const Seen seen = walk(*source, before);
  CHECK(seen.paths.size() == 1);
  CHECK(seen.removed == Paths{"commit:" + before});
}

TEST_CASE("git: only the files and folders that are asked for, by their names as they are") {
  const Fixture f;
  f.commit("src/[x].txt", "x", "odd");
  CHECK(walk(*f.opened(Json::object({{"paths", Json::array({"src"})}}))).paths ==
        Paths{"src/[x].txt", "src/a.txt"});
  CHECK(walk(*f.opened(Json::object({{"paths", Json::array({"src/[x].txt"})}}))).paths ==
        Paths{"src/[x].txt"});
}

TEST_CASE("git: too large files are named and passed over") {
  const Fixture f;
  f.commit("large.txt", std::string(300'000, 'x'), "large");
  const auto source = f.opened(Json::object({{"max_file_size", 1000}}));
  const SourcePage all = all_pages(*source);
  REQUIRE(all.items.size() == 3);
  CHECK(documents_of(*source, all.items[1]).error().kind == ErrorKind::too_large);
  CHECK(documents_of(*source, all.items[2])->front().body == "text of a");
}

TEST_CASE("git: nothing of a repository's configuration runs, and no link in it leads out") {
  const Fixture f;
  const std::string proof = f.folder / "it-ran";
  f.git("git config core.fsmonitor 'touch " + proof + "'; git config core.pager 'touch " + proof +
        "'; git config diff.external 'touch " + proof + "'; git config log.showSignature true; " +
        "git config gpg.program 'touch " + proof + "'");
  for (const auto* hook : {"post-checkout", "reference-transaction", "pre-auto-gc"}) {
    fs::create_directories(f.repository + "/.git/hooks");
    std::ofstream(f.repository + "/.git/hooks/" + hook) << "#!/bin/sh\ntouch " << proof << "\n";
    fs::permissions(f.repository + "/.git/hooks/" + hook, fs::perms::owner_all);
  }
  const auto source = f.opened(Json::object({{"history", true}}));
  for (const auto& item : all_pages(*source).items) CHECK(documents_of(*source, item).ok());
  CHECK_FALSE(fs::exists(proof));

  const Fixture other;
  const auto refuses = [&](const std::string& way) {
    const auto walked = f.opened()->walk("", never);
    CAPTURE(way);
    REQUIRE_FALSE(walked.ok());
    CHECK(walked.error().kind == ErrorKind::permission_denied);
  };
  std::ofstream(f.repository + "/.git/objects/info/alternates")
      << other.repository << "/.git/objects\n";
  refuses("alternates");
  fs::remove(f.repository + "/.git/objects/info/alternates");
  fs::create_symlink(other.repository + "/.git/objects/pack", f.repository + "/.git/objects/zz");
  refuses("a link");
  fs::remove(f.repository + "/.git/objects/zz");
  CHECK(f.opened()->walk("", never).ok());
}

TEST_CASE("git: values that can never work are refused by their names") {
  const Fixture f;
  const auto fault = [&](const char* name, Json value) {
    const auto valid = f.type()->validate(f.values(Json::object({{name, std::move(value)}})));
    REQUIRE_FALSE(valid.ok());
    return valid.error().message;
  };
  CHECK(fault("repository", "/etc").find("connectors.directory.roots") != std::string::npos);
  CHECK(fault("repository", "https://git.example/x.git").find("connectors.allowed_hosts") !=
        std::string::npos);
  CHECK(fault("repository", "ssh://git.example/x.git").find("https://") != std::string::npos);
  CHECK(fault("repository", "ext::sh -c touch% /tmp/x").find("https://") != std::string::npos);
  for (const auto* name : {"--upload-pack=x", "a..b", "a b", "a:b", "a*", "/a", "a@{1}"})
    CHECK(fault("branch", name).find("[branch]") != std::string::npos);
  CHECK(fault("files", false).find("[history]") != std::string::npos);
  CHECK(f.type()->validate(f.values(Json::object({{"branch", "feature/x-1.2"}}))).ok());
}

TEST_CASE("git output: what is no record of git is an error") {
  CHECK(read_tree_entry("100644 blob " + std::string(40, 'a') + "      12\ta b")->size_bytes == 12);
  CHECK_FALSE(read_tree_entry("120000 blob " + std::string(40, 'a') + " 12\tlink")->is_file);
  CHECK_FALSE(read_tree_entry("160000 commit " + std::string(40, 'a') + " -\tsub")->is_file);
  for (const std::string& text : {std::string(), std::string("100644 blob x 1\tp"),
                                  "100644 blob " + std::string(40, 'a') + " -\tp",
                                  "100644 blob " + std::string(40, 'a') + " 1 p"})
    CHECK_FALSE(read_tree_entry(text).ok());
  CHECK_FALSE(read_diff_entry(":1 2 3 4", "p").ok());
  CHECK_FALSE(read_blob_head("x blob many").ok());
  CHECK(read_blob_head(std::string(40, 'a') + " missing").error().kind == ErrorKind::not_found);
  CHECK(read_reference("ref: refs/heads/main\n")->name == "refs/heads/main");
  CHECK_FALSE(read_reference("ref: refs/../../etc/passwd").ok());
  CHECK(read_reference(std::string(64, 'a')).error().kind == ErrorKind::unsupported);
  const std::string packed = "# pack-refs with: peeled\n" + std::string(40, 'b') +
                             " refs/heads/main\n^" + std::string(40, 'c') + "\n";
  CHECK(packed_reference(packed, "refs/heads/main") == std::string(40, 'b'));
  CHECK(packed_reference(packed, "heads/main").empty());
}

TEST_CASE("child process: complaints come with its end, and it ends with its object") {
  auto failing = PipedProgram::start(
      {.command = {"/bin/sh", "-c", "echo why >&2; exit 3"}, .environment = {}});
  REQUIRE(failing.ok());
  const auto text = (*failing)->read_all(100, never);
  REQUIRE_FALSE(text.ok());
  CHECK(text.error().message == "/bin/sh ended with status 3: why");
  auto silent = PipedProgram::start({.command = {"/bin/sleep", "1000"}, .environment = {}});
  REQUIRE(silent.ok());
  CHECK((*silent)->read(os::Deadline::in_ms(20)).error().kind == ErrorKind::timeout);
  auto cat = PipedProgram::start({.command = {"/bin/cat"}, .environment = {}});
  REQUIRE(cat.ok());
  REQUIRE((*cat)->write("said", never).ok());
  CHECK(*(*cat)->read(never) == "said");
  CHECK((*cat)->read_all(100, never)->empty());
}

}  // namespace cairn::connectors::git_test
