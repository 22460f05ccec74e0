// SPDX-License-Identifier: Apache-2.0
#include "os/processes/child_process.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "os/files/test_folder.h"

namespace cairn::os::child_process_test {

namespace {

/// What a shell prints and how it ends, bound by `params`.
struct Shell {
  std::string printed;
  ChildEnd end;

  Shell(const std::string& command, ChildParams params) {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    const Descriptor reading(ends[0]);
    Descriptor writing(ends[1]);
    params.program = "/bin/sh";
    params.words = {"sh", "-c", command};
    params.output = writing.get();
    auto child = ChildProcess::start(params);
    REQUIRE_MESSAGE(child.ok(), (child.ok() ? std::string() : child.error().message));
    writing.close();
    char piece[256];
    for (ssize_t count; (count = ::read(reading.get(), piece, sizeof piece)) > 0;)
      printed.append(piece, static_cast<std::size_t>(count));
    end = child->end(Deadline::in_ms(30'000));
  }
};

}  // namespace

TEST_CASE("child process: ends with its status, with nothing of ours but what it is given") {
  const Shell shell("cat; env | grep -v PWD= | sort; ls /proc/self/fd | wc -l; exit 7", {});
  CHECK(shell.printed.find("LC_ALL=C.UTF-8") != std::string::npos);
  CHECK(shell.printed.find("HOME") == std::string::npos);
  CHECK(shell.printed.find("4\n") != std::string::npos);  // the three, and that of ls itself
  CHECK(shell.end.code == 7);
  CHECK(shell.end.signal == 0);
}

TEST_CASE(
    "child process: it sees the environment that it is given, and writes files where it may") {
  const TestFolder folder;
  ChildParams params{.environment = {"ONE=1"}};
  const std::string command = "echo \"[$ONE$LC_ALL]\"; echo written > " + (folder / "file");
  CHECK(Shell(command, params).end.signal == SIGXFSZ);
  params.writes_files = true;
  const Shell shell(command, params);
  CHECK(shell.printed == "[1]\n");
  CHECK(shell.end.code == 0);
}

TEST_CASE("child process: what it has started is killed with it, where that is asked for") {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  {
    auto child = ChildProcess::start({.program = "/bin/sh",
                                      .words = {"sh", "-c", "sleep 600 & echo; wait"},
                                      .output = writing.get(),
                                      .ends_with_thread = true});
    REQUIRE(child.ok());
    writing.close();
    char byte = 0;
    REQUIRE(::read(reading.get(), &byte, 1) == 1);
    CHECK_FALSE(child->has_ended());
  }
  // The end comes when nobody holds the other one: the shell's sleep is gone too.
  char byte = 0;
  CHECK(::read(reading.get(), &byte, 1) == 0);
  auto child = ChildProcess::start({.program = "/bin/true", .words = {"true"}});
  REQUIRE(child.ok());
  CHECK(child->end(Deadline::in_ms(30'000)).code == 0);
  CHECK(child->has_ended());
}

TEST_CASE("child process: a program that is not there is an error") {
  const auto child = ChildProcess::start({.program = "/nonexistent", .words = {"x"}});
  REQUIRE_FALSE(child.ok());
  CHECK(child.error().message == "/nonexistent cannot be started: No such file or directory");
}

TEST_CASE("child process: it is killed at the deadline, and when nobody holds it") {
  pid_t id = 0;
  {
    auto child = ChildProcess::start({.program = "/bin/sleep", .words = {"sleep", "600"}});
    REQUIRE(child.ok());
    id = child->id();
    ChildProcess moved = *std::move(child);
    CHECK(::kill(id, 0) == 0);
  }
  CHECK(::kill(id, 0) != 0);
  auto child = ChildProcess::start({.program = "/bin/sleep", .words = {"sleep", "600"}});
  REQUIRE(child.ok());
  CHECK(child->end(Deadline::in_ms(10)).signal == SIGKILL);
}

TEST_CASE("child process: bounds of computing and of files") {
  ChildParams params;
  params.limits.cpu_seconds = 1;
  const Shell slow("while :; do :; done", params);
  CHECK(slow.end.signal == SIGKILL);
  const TestFolder folder;
  const Shell writes("echo x > " + (folder / "file") + "; echo $?", {});
  CHECK(writes.printed.find("0\n") == std::string::npos);
}

TEST_CASE("child process: with the calls of a program that reads, it neither writes nor connects") {
  const SystemCallFilter filter(reading_program_calls(), OtherCalls::fail);
  ChildParams params;
  params.filter = &filter;
  const TestFolder folder;
  folder.write("there", "old words");
  const std::string there = folder / "there";
  CHECK(Shell("exec cat " + there, params).printed == "old words");
  CHECK(Shell("echo x > " + there + " || echo refused", params).printed == "refused\n");
  CHECK(Shell("echo $(echo within) || echo refused", params).printed != "within\n");  // no fork
  CHECK(Shell("exec /bin/rm " + there, params).end.code != 0);
  CHECK(Shell("exec cat " + there, params).printed == "old words");
}

TEST_CASE("child process: where the kernel knows Landlock, only the folders are read") {
  const TestFolder folder;
  folder.write("outside/secret", "planted");
  folder.write("inside/own", "mine");
  const ReadableFolders folders({"/usr", "/bin", "/lib", "/lib64", folder / "inside", "/dev/null"});
  if (!folders.known_to_kernel()) {
    MESSAGE("skipped: this kernel has no Landlock");
    return;
  }
  ChildParams params;
  params.folders = &folders;
  const auto shown = [&](const std::string& path) {
    return Shell("exec cat " + (folder / path), params).printed;
  };
  CHECK(shown("inside/own") == "mine");
  CHECK(shown("outside/secret").empty());
  CHECK(Shell("cd " + folder.path + " && ls", params).printed.empty());
}

}  // namespace cairn::os::child_process_test
