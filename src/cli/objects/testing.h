// SPDX-License-Identifier: Apache-2.0
// What the tests of the commands share: a run whose client answers with stubs, and what it printed.
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "cli/objects/command.h"
#include "objectclient/client.h"
#include "os/files/test_folder.h"

namespace cairn::cli {

/// Runs of `cairn objects` against one stubbed client.
struct StubbedObjects {
  StubbedObjects() {
    run.environment = [](std::string_view) { return std::nullopt; };
    run.console.out = [this](std::string_view text) { out += text; };
    run.console.err = [this](std::string_view text) { err += text; };
    run.open = [this](const Arguments&, ObjectRun&) -> Result<Service> {
      return Service(client, os::Deadline::never());
    };
  }
  StubbedObjects(const StubbedObjects&) = delete;
  StubbedObjects& operator=(const StubbedObjects&) = delete;

  int operator()(const std::vector<std::string>& words) {
    out.clear();
    err.clear();
    return run_objects(words, run);
  }

  /// The parameters of the calls of an operation.
  std::vector<objectclient::Value> calls(std::string_view operation) const {
    std::vector<objectclient::Value> found;
    for (const auto& call : client.stubbed_calls())
      if (call.operation == operation) found.push_back(objectclient::Value::map(call.params));
    return found;
  }

  objectclient::Client client = objectclient::Client({.stub_responses = true});
  ObjectRun run;
  std::string out;
  std::string err;
};

/// A folder that is gone after the test; what commands wrote there can be read.
struct ScratchFolder : os::TestFolder {
  std::optional<std::string> read(const std::string& name) const {
    const std::string whole = *this / name;
    if (!std::filesystem::is_regular_file(whole)) return std::nullopt;
    std::ifstream in(whole, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
};

inline bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace cairn::cli
