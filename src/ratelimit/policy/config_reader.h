// SPDX-License-Identifier: Apache-2.0
// Reads one object of the configuration member by member, and knows which nobody asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "ratelimit/policy/policy.h"

namespace cairn::ratelimit {

/// Each read leaves its target as it is where the member is absent. The first fault is kept, and
/// later reads do nothing; finish() gives it, or that of the first member that was not asked for.
/// A null object reads as an empty one.
class ConfigReader {
 public:
  ConfigReader(const Json& object, std::string path);

  void flag(std::string_view name, bool& into);
  void number(std::string_view name, std::uint32_t& into, std::uint32_t lowest = 0,
              std::uint32_t highest = 0xffff'ffff);
  void limit(std::string_view name, Limit& into, std::uint32_t highest = 0xffff'ffff);
  void text(std::string_view name, std::string& into);
  void texts(std::string_view name, std::vector<std::string>& into);
  /// The member's place among `names`.
  void choice(std::string_view name, std::initializer_list<std::string_view> names,
              std::size_t& into);
  void object(std::string_view name, const std::function<Status(ConfigReader&)>& read);

  /// The member itself, asked for; null where it is absent or a fault was found before.
  const Json* take(std::string_view name);
  /// ConfigReader that were not asked for yet: for objects whose names are free. They count as asked.
  std::vector<std::pair<std::string, const Json*>> rest();
  void fail(std::string_view name, std::string_view must, const Json* was = nullptr);
  std::string path_of(std::string_view name) const;

  Status finish();

 private:
  const Json* object_ = nullptr;
  std::string path_;
  std::vector<std::string> known_ = {};
  bool failed_ = false;
  Error fault_ = {};
};

}  // namespace cairn::ratelimit
