// SPDX-License-Identifier: Apache-2.0
#include "app/reload/file_watch.h"

#include <doctest/doctest.h>

#include "os/files/files.h"
#include "os/files/test_folder.h"

namespace file_watch_test {

using namespace cairn;
using namespace cairn::app;

namespace {

/// A certificate and a key fit where their files hold the same text.
struct Watched {
  os::TestFolder folder;
  os::FakeClock clock;
  int tried = 0, taken = 0;

  std::string text_of(const std::string& name) const {
    return *os::read_file(os::system_files(), folder / name, 100);
  }
  void write(const std::string& name, const std::string& text) const { folder.write(name, text); }
  FileWatch watch() {
    return {
        clock, "certificate", {folder / "cert.pem", folder / "key.pem", ""}, [this]() -> Status {
          ++tried;
          if (text_of("cert.pem") != text_of("key.pem"))
            return Error{.kind = ErrorKind::invalid_argument, .message = "they do not fit"};
          ++taken;
          return ok_status();
        }};
  }
};

}  // namespace

TEST_CASE("file watch: what does not fit yet is tried until it does, or for a while") {
  Watched files;
  files.write("cert.pem", "one");
  files.write("key.pem", "one");
  FileWatch watch = files.watch();
  watch.look();
  CHECK(files.tried == 0);
  files.write("cert.pem", "second");
  watch.look();
  CHECK(files.tried == 1);
  files.clock.advance_ms(1'000);
  watch.look();
  CHECK(files.tried == 2);
  CHECK(files.taken == 0);
  files.write("key.pem", "second");
  watch.look();
  CHECK(files.taken == 1);
  watch.look();
  CHECK(files.tried == 3);
  files.write("key.pem", "the third");
  watch.look();
  files.clock.advance_ms(FileWatch::patience_ms);
  watch.look();
  CHECK(files.tried == 5);
  files.clock.advance_ms(FileWatch::patience_ms);
  watch.look();
  CHECK(files.tried == 5);
  files.write("cert.pem", "the third");
  CHECK(watch.now().ok());
  CHECK(files.taken == 2);
  watch.look();
  CHECK(files.tried == 6);
}

TEST_CASE("file watch: without files there is nothing to read") {
  Watched files;
  FileWatch watch(files.clock, "certificate", {"", ""},
                  [&]() -> Status { return ++files.tried, ok_status(); });
  watch.look();
  CHECK(watch.now().ok());
  CHECK(files.tried == 0);
}

}  // namespace file_watch_test
