// SPDX-License-Identifier: Apache-2.0
// Reads one object of the configuration member by member, and keeps the first fault.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/json_fields.h"
#include "ratelimit/policy/policy.h"

namespace cairn::ratelimit {

/// Each read leaves its target as it is where the member is absent. The first fault is kept, and
/// later reads do nothing; finish() gives it, or that of the first member that was not asked for.
/// A null object reads as an empty one.
class ConfigReader final : private JsonFields {
 public:
  ConfigReader(const Json& object, std::string path);

  void flag(std::string_view name, bool& into) { keep(boolean(name), into); }
  void number(std::string_view name, std::uint32_t& into, std::uint32_t lowest = 0,
              std::uint32_t highest = 0xffff'ffff);
  void limit(std::string_view name, Limit& into, std::uint32_t highest = 0xffff'ffff);
  void text(std::string_view name, std::string& into) { keep(string(name), into); }
  void texts(std::string_view name, std::vector<std::string>& into) { keep(strings(name), into); }
  /// The member's place among `names`.
  void choice(std::string_view name, std::initializer_list<std::string_view> names,
              std::size_t& into);
  void object(std::string_view name, const std::function<Status(ConfigReader&)>& read);

  /// The member itself, asked for; null where it is absent or a fault was found before.
  const Json* take(std::string_view name);
  /// The members that were not asked for yet: for objects whose names are free. They count as
  /// asked.
  std::vector<std::pair<std::string, const Json*>> rest();
  void fail(std::string_view name, std::string_view must, const Json* was = nullptr);
  std::string path_of(std::string_view name) const;

  Status finish() const;

 private:
  template <class Read, class Target>
  void keep(Result<std::optional<Read>> read, Target& into);
  Error fault(std::string_view name, std::string text) const override;
  Error must_be(std::string_view name, std::string_view must, const Json* was) const;
  Error unfit(std::string_view name, const Json& value, const Wanted& wanted) const override;
  Error unknown_field(std::string_view name, const std::optional<std::string>& near) const override;

  const Json& object_;
  std::string path_;
  std::optional<Error> fault_ = {};
};

template <class Read, class Target>
void ConfigReader::keep(Result<std::optional<Read>> read, Target& into) {
  if (fault_) return;
  if (!read.ok())
    fault_ = std::move(read).error();
  else if (*read)
    into = static_cast<Target>(*std::move(*read));
}

}  // namespace cairn::ratelimit
