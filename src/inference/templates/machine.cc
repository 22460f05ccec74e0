// SPDX-License-Identifier: Apache-2.0
#include "inference/templates/machine.h"

#include <algorithm>

#include "inference/errors.h"

namespace cairn::inference::templates {

Error Machine::too_large(std::string_view what) const {
  return status_error(ErrorKind::too_large, "chat template, line " + std::to_string(place.line) +
                                                ", column " + std::to_string(place.column) + ": " +
                                                std::string(what))
      .with_detail("line", std::to_string(place.line))
      .with_detail("col", std::to_string(place.column));
}

Status Machine::spend(std::uint64_t steps) {
  if (steps > left())
    return too_large("rendering takes more than " + std::to_string(limits.steps) + " steps");
  taken_ += steps;
  return steps_.take(steps);
}

Status Machine::spend_bytes(std::uint64_t bytes) {
  if (bytes > most_string_bytes) return too_large("a string has more than 16 MiB");
  return spend(1 + bytes / 64);
}

Status Machine::spend_text(const Text& text) {
  CAIRN_CHECK(spend_bytes(text.size()));
  return spend(text.borders() / 16);
}

Status Machine::spend_piece(std::uint64_t bytes) {
  // What a value has beside its bytes is as large as those of two steps.
  return spend(2 + bytes / 64);
}

Status Machine::keep_within(const Text& made) const {
  if (made.size() <= most_string_bytes) return ok_status();
  return too_large("a string has more than 16 MiB");
}

Result<std::vector<const Value*>> Arguments::bind(
    const Machine& machine, std::string_view callee,
    std::initializer_list<std::string_view> parameters) const {
  std::vector<const Value*> out(parameters.size());
  if (positional() > parameters.size()) {
    return machine.fault("'" + std::string(callee) + "' takes at most " +
                         std::to_string(parameters.size()) + " arguments");
  }
  for (std::size_t i = 0; i < positional(); ++i) out[i] = &values[i];
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto* const found = std::find(parameters.begin(), parameters.end(), names[i]);
    const auto place = static_cast<std::size_t>(found - parameters.begin());
    if (found == parameters.end() || out[place] != nullptr) {
      return machine.fault("'" + std::string(callee) + "' takes no argument '" +
                           shown_name(names[i]) + "'" +
                           (found == parameters.end() ? "" : " twice"));
    }
    out[place] = &values[positional() + i];
  }
  return out;
}

}  // namespace cairn::inference::templates
