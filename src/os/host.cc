// SPDX-License-Identifier: Apache-2.0
#include "os/host.h"

#include <unistd.h>

namespace cairn::os {

std::string host_name() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') return "localhost";
  return name;
}

}  // namespace cairn::os
