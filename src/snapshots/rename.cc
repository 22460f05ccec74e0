// SPDX-License-Identifier: Apache-2.0
#include "snapshots/rename.h"

#include "snapshots/errors.h"

namespace cairn::snapshots {
namespace {

/// The C library knows them though POSIX does not, and tries every way to match them: on a long
/// name that takes for ever.
bool has_back_reference(const std::string& pattern) {
  for (std::size_t i = 0; i + 1 < pattern.size(); ++i)
    if (pattern[i] == '\\') {
      ++i;
      if (pattern[i] >= '1' && pattern[i] <= '9') return true;
    }
  return false;
}

}  // namespace

Result<std::unique_ptr<Rename>> Rename::compile(const std::string& pattern,
                                                std::string replacement) {
  auto out = std::unique_ptr<Rename>(new Rename(std::move(replacement)));
  if (pattern.empty()) return out;
  if (has_back_reference(pattern))
    return bad_argument("[rename_pattern] [" + pattern +
                        "] has a back-reference (\\1), which is not supported; name the group in "
                        "[rename_replacement] ($1)");
  if (const int fault = ::regcomp(&out->expression_, pattern.c_str(), REG_EXTENDED); fault != 0) {
    char text[256] = {};
    ::regerror(fault, &out->expression_, text, sizeof text);
    return bad_argument("[rename_pattern] [" + pattern + "] is no regular expression: " + text);
  }
  out->compiled_ = true;
  return out;
}

Rename::~Rename() {
  if (compiled_) ::regfree(&expression_);
}

std::string Rename::apply(const std::string& name) const {
  if (!compiled_) return name;
  regmatch_t groups[10];
  std::string out;
  std::size_t at = 0;
  while (at <= name.size() &&
         ::regexec(&expression_, name.c_str() + at, 10, groups, at > 0 ? REG_NOTBOL : 0) == 0) {
    const auto start = static_cast<std::size_t>(groups[0].rm_so);
    const auto end = static_cast<std::size_t>(groups[0].rm_eo);
    out.append(name, at, start);
    append_replacement(out, name.substr(at), groups);
    if (end == start) {  // an empty match: take one character and go on
      if (at + end < name.size()) out += name[at + end];
      at += end + 1;
    } else {
      at += end;
    }
  }
  if (at < name.size()) out.append(name, at);
  return out;
}

void Rename::append_replacement(std::string& out, const std::string& text,
                                const regmatch_t (&groups)[10]) const {
  for (std::size_t i = 0; i < replacement_.size(); ++i) {
    const char c = replacement_[i];
    if (c != '$' || i + 1 >= replacement_.size() || replacement_[i + 1] < '0' ||
        replacement_[i + 1] > '9') {
      out += c;
      continue;
    }
    const regmatch_t& group = groups[replacement_[++i] - '0'];
    if (group.rm_so < 0) continue;
    out.append(text, static_cast<std::size_t>(group.rm_so),
               static_cast<std::size_t>(group.rm_eo - group.rm_so));
  }
}

}  // namespace cairn::snapshots
