// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/files/mail_folder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "connectors/testing.h"
#include "os/files/test_folder.h"

namespace cairn::connectors::mail_folder_test {
namespace {

namespace fs = std::filesystem;

const char* const letter =
    "From: Ada <ada@example.org>\r\nTo: Bob <bob@example.org>\r\nSubject: "
    "=?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\n"
    "Date: Fri, 2 Jan 2026 03:04:05 +0000\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"
    "The meeting is at noon.\r\n";

struct Fixture {
  os::TestFolder folder;
  Fixture() {
    for (const auto* place :
         {"mail/cur", "mail/new", "mail/tmp", "mail/.Sent/cur", "mail/.Sent/new", "mail/.Sent/tmp"})
      fs::create_directories(folder / place);
    folder.write("mail/cur/1.a.host:2,S", letter);
    folder.write("mail/new/2.b.host", letter);
    folder.write("mail/cur/3.c.host:2,ST", letter);
    folder.write("mail/tmp/4.d.host", letter);
    folder.write("mail/.Sent/cur/5.e.host,S=9:2,", letter);
  }
  std::unique_ptr<Source> opened(bool subfolders = true) const {
    Json values = mail_folder_source(fixed_roots({folder.path}))->configuration_schema();
    values.find("path")->set("value", folder / "mail");
    values.find("subfolders")->set("value", subfolders);
    auto source = mail_folder_source(fixed_roots({folder.path}))->open(values);
    REQUIRE_MESSAGE(source.ok(), (source.ok() ? std::string() : source.error().message));
    return *std::move(source);
  }
};

std::vector<std::string> paths(const SourcePage& page) {
  std::vector<std::string> out;
  for (const auto& item : page.items) out.push_back(item.path);
  std::sort(out.begin(), out.end());
  return out;
}

using Paths = std::vector<std::string>;

}  // namespace

TEST_CASE("mail folder: messages of the inbox and its folders, without those in the trash") {
  const Fixture f;
  const auto source = f.opened();
  const SourcePage all = all_pages(*source);
  CHECK(paths(all) == Paths{".Sent/5.e.host,S=9", "1.a.host", "2.b.host"});
  CHECK(all.skipped == 1);
  for (const auto& item : all.items) {
    const auto documents = documents_of(*source, item);
    REQUIRE_MESSAGE(documents.ok(), (documents.ok() ? std::string() : documents.error().message));
    CHECK(documents->front().title == "Grüße");
    CHECK(documents->front().body.find("The meeting is at noon.") != std::string::npos);
  }
  CHECK(paths(all_pages(*f.opened(false))) == Paths{"1.a.host", "2.b.host"});
  CHECK(source->check(os::Deadline::never())->int_or("messages") == 3);
}

TEST_CASE("mail folder: flags and the way out of new change no message") {
  const Fixture f;
  const auto source = f.opened();
  const SourcePage before = all_pages(*source);
  fs::rename(f.folder / "mail/new/2.b.host", f.folder / "mail/cur/2.b.host:2,S");
  fs::rename(f.folder / "mail/cur/1.a.host:2,S", f.folder / "mail/cur/1.a.host:2,RS");
  for (const auto& item : before.items) CHECK(documents_of(*source, item).ok());
  const SourcePage after = all_pages(*source);
  CHECK(paths(after) == paths(before));
  for (std::size_t i = 0; i < after.items.size(); ++i)
    CHECK(after.items[i].version == before.items[i].version);
  fs::remove(f.folder / "mail/cur/2.b.host:2,S");
  SourceItem gone;
  gone.path = "2.b.host";
  CHECK(documents_of(*source, gone).error().kind == ErrorKind::not_found);
}

TEST_CASE("mail folder: no link leads out, and a folder without cur and new is none") {
  const Fixture f;
  f.folder.write("outside.txt", letter);
  fs::create_symlink("../../outside.txt", f.folder / "mail/cur/6.f.host");
  fs::create_symlink("/etc/passwd", f.folder / "mail/cur/7.g.host");
  const auto source = f.opened();
  const SourcePage all = all_pages(*source);
  REQUIRE(all.unreadable.size() == 1);
  CHECK(all.unreadable[0].path == "7.g.host");
  fs::remove_all(f.folder / "mail/new");
  CHECK_FALSE(source->walk("", os::Deadline::never()).ok());
  CHECK_FALSE(source->check(os::Deadline::never()).ok());
}

}  // namespace cairn::connectors::mail_folder_test
