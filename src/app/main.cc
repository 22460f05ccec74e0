// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include "app/commands/commands.h"

namespace {

constexpr int system_error = 71;  // EX_OSERR

/// Libraries throw where the system has no memory and no threads left, in threads of their own too.
/// Who limited them should read which limit it was.
[[noreturn]] void end_for_want() {
  const char* what = "an exception that nothing expects";
  const char* advice = "this is a fault of the program";
  char text[256] = "";
  try {
    if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    what = "no memory is left";
    advice = "raise the limit of memory or address space (ulimit -v, MemoryMax=)";
  } catch (const std::system_error& error) {
    std::snprintf(text, sizeof text, "the system refuses a thread or a lock: %s", error.what());
    what = text;
    advice = "raise the limit of address space or of processes (ulimit -v, ulimit -u, TasksMax=)";
  } catch (const std::exception& error) {
    std::snprintf(text, sizeof text, "%s", error.what());
    what = text;
  } catch (...) {
  }
  std::fprintf(stderr, "cairn: %s; %s\n", what, advice);
  ::_exit(system_error);
}

}  // namespace

int main(int count, char** words) {
  std::set_terminate(end_for_want);
  std::vector<std::string> environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    environment.emplace_back(*entry);
  return cairn::app::run({words + 1, words + count}, environment);
}
