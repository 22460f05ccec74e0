// SPDX-License-Identifier: Apache-2.0
// How the files of the console are answered to a browser.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "console/files.h"
#include "net/http/message.h"

namespace cairn::console {

struct Answer {
  int status = 200;
  net::Headers headers = {};
  std::string body = {};
};

/// How long a browser may keep a file without asking.
enum class Keeping {
  never,    // pages, which name the others
  forever,  // files whose names have a hash of what they hold
};

/// The file as it is stored, or inflated for who does not take gzip; 304 where the browser has it;
/// 404 where there is none. `policy`: its Content-Security-Policy.
Answer answer(const Files& files, std::string_view path, const net::Headers& asked, Keeping keeping,
              std::string_view policy);

/// What a page may do in a browser: run its own files alone, and talk to nobody else.
/// `frame_ancestors`: pages that may show it in a frame, as CSP has them; empty: none. `framed`:
/// the origin whose pages it shows in frames, and whose sound and video it plays; empty: none.
std::string content_policy(const std::vector<std::string>& frame_ancestors = {},
                           std::string_view framed = {});
/// Errors: invalid_argument, for what would end the field or begin another directive.
Status check_frame_ancestors(const std::vector<std::string>& frame_ancestors);

}  // namespace cairn::console
