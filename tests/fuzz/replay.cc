// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target over the files of its corpus, over each file cut short, and over each file
// with single bytes changed: what every build can check without a fuzzer.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void run(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

/// At most 256 variants of each kind, spread evenly.
std::size_t vary(const std::string& bytes) {
  const std::size_t step = bytes.size() / 256 + 1;
  std::size_t runs = 0;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    run(bytes.substr(0, at));
    for (const char replacement : {'\0', '\xff', '\n', '"', '<', '%'}) {
      std::string changed = bytes;
      changed[at] = replacement;
      run(changed);
      ++runs;
    }
    ++runs;
  }
  return runs;
}

}  // namespace

int main(int count, char** arguments) {
  LLVMFuzzerInitialize(&count, &arguments);
  std::size_t files = 0, runs = 0;
  for (int i = 1; i < count; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(arguments[i])) {
      std::ifstream in(entry.path(), std::ios::binary);
      const std::string bytes((std::istreambuf_iterator<char>(in)), {});
      run(bytes);
      runs += 1 + vary(bytes);
      ++files;
    }
  }
  std::printf("%zu files, %zu runs\n", files, runs);
  return files > 0 ? 0 : 1;
}
