// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "app/commands.h"

int main(int count, char** words) {
  std::vector<std::string> environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    environment.emplace_back(*entry);
  return cairn::app::run({words + 1, words + count}, environment);
}
