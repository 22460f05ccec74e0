// SPDX-License-Identifier: Apache-2.0
// What is wrong, and which messages follow from that: one when it begins, one now and then while it
// lasts, and one when it is over.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/json.h"

namespace cairn::app {

/// One thing that is wrong now.
struct Fault {
  std::string key;   // the same as long as it lasts: "sync:docs", "disk", "certificate:/etc/…"
  std::string kind;  // "sync_failed", "disk_nearly_full", "certificate_ends", "audit_not_shipped"
  std::string subject;  // what it is about: a connector, a folder, a file
  std::string text;     // a sentence for people: what is wrong, and what to do
  Json details = Json::object();
};

struct Message {
  std::string id;     // the same when it is sent again
  std::string state;  // "begins", "lasts", "over", or "test"
  std::int64_t time_ms = 0;
  std::int64_t since_ms = 0;  // when the fault began
  Fault fault;
  Json to_json(const std::string& node) const;  // what a webhook gets
};

/// Remembers what was told, so that nothing is told again because the program was started anew.
class Conditions {
 public:
  /// `repeat_ms` 0: what lasts is told once.
  explicit Conditions(std::int64_t repeat_ms) : repeat_ms_(repeat_ms) {}

  /// The messages for this look. `kinds_looked_at`: what of was found wrong, and what of could not
  /// be looked at now stays as it was.
  std::vector<Message> update(const std::vector<Fault>& found,
                              const std::vector<std::string>& kinds_looked_at, std::int64_t now_ms);

  /// Those that last, for people.
  Json shown() const;
  Json save() const;
  /// What save() gave; anything else is left out.
  void restore(const Json& saved);

 private:
  struct Lasting {
    Fault fault;
    std::int64_t since_ms = 0;
    std::int64_t told_ms = 0;
  };
  Message message(const Lasting& of, std::string state, std::int64_t now_ms);

  const std::int64_t repeat_ms_;
  std::map<std::string, Lasting> lasting_;
};

}  // namespace cairn::app
