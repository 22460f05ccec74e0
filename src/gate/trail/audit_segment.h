// SPDX-License-Identifier: Apache-2.0
// A piece of the audit log for others: its lines as they stand, and a sealing line, with which
// whoever has the public key can tell that all of it is what this installation wrote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/secrets/signing_key.h"
#include "base/hash.h"
#include "base/result.h"
#include "gate/audit_chain.h"
#include "gate/trail/audit_lines.h"

namespace cairn::gate {

/// What a sealing line says, which is the last of its segment:
/// {"type":"audit.seal","from":…,"to":…,"lines":…,"newest":…,"follows":"…","mac":"…","sha256":"…",
///  "sealed_at":"…","key":"…","faults":[…],"signature":"…"}
struct AuditSeal {
  std::uint64_t from = 0, to = 0;  // numbers of the first and the last line
  std::uint64_t lines = 0;
  std::uint64_t newest = 0;  // of the log, as it was then
  std::string follows = {};  // the mac of the line before the first
  std::string mac = {};      // of the last
  std::string sha256 = {};   // of all the lines, each with its end; hexadecimal
  std::string sealed_at = {};
  std::string key = {};                  // id of the key pair
  std::vector<std::string> faults = {};  // where the chain did not hold: the first hundred

  /// The line, signed, with its end.
  std::string encode(const auth::SigningKey& key) const;
  /// Nothing for a line that seals nothing.
  static std::optional<AuditSeal> decode(std::string_view line);
};

struct SegmentWanted {
  std::uint64_t after = 0;  // lines of greater numbers
  std::size_t lines_max = 10'000;
  std::size_t bytes_max = 4u << 20;  // one line is given whatever its length
};

struct AuditSegment {
  std::string text = {};  // empty: there are no such lines, and the seal says `newest` alone
  AuditSeal seal = {};
};

/// The next lines in the order of the log, and their seal. Lines of before there was a chain are
/// left out; where the chain is broken the seal says so, and the lines are there all the same.
/// Errors: those of AuditLines.
Result<AuditSegment> read_segment(AuditLines& lines, std::uint64_t newest,
                                  const SegmentWanted& wanted, std::string_view chain_key,
                                  const auth::SigningKey& signing, std::int64_t now_ms);

struct SealedCount {
  std::uint64_t segments = 0;
  std::uint64_t lines = 0;
  std::uint64_t from = 0, to = 0;
  std::string mac = {};  // of the last line
  std::uint64_t faults = 0;
};

/// Judges segments, line by line, with the public key alone. One thread.
class SegmentVerifier {
 public:
  /// `on_fault` hears which line of the input, from 1, and what is wrong with it.
  using OnFault = std::function<void(std::uint64_t line, const std::string& reason)>;
  SegmentVerifier(auth::VerifyingKey key, OnFault on_fault);
  /// Without the line's end.
  void take(std::string_view line);
  /// Another input follows, whose lines are counted from 1; or none.
  void end_input();
  const SealedCount& count() const { return count_; }

 private:
  void judge(const AuditSeal& seal, std::string_view line);
  void fault(const std::string& reason);
  void begin();

  const auth::VerifyingKey key_;
  const OnFault on_fault_;
  SealedCount count_;
  std::uint64_t line_ = 0;
  Digest digest_;
  std::uint64_t lines_ = 0;  // of this segment
  std::uint64_t first_ = 0, last_ = 0;
  bool ascending_ = true;
  std::string mac_ = {};
  std::optional<AuditSeal> before_;
  std::uint64_t segments_before_ = 0;  // in other inputs
};

}  // namespace cairn::gate
