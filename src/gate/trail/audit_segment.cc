// SPDX-License-Identifier: Apache-2.0
#include "gate/trail/audit_segment.h"

#include <algorithm>
#include <utility>

#include "base/encode.h"
#include "format/json.h"
#include "format/time.h"
#include "gate/audit_verify.h"

namespace cairn::gate {
namespace {

constexpr std::string_view seal_start = "{\"type\":\"audit.seal\",";
constexpr std::string_view signature_member = ",\"signature\":\"";
constexpr std::size_t faults_told_max = 100;

std::uint64_t count_in(const Json& object, std::string_view name) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, object.int_or(name)));
}

}  // namespace

std::string AuditSeal::encode(const auth::SigningKey& signing) const {
  std::string out;
  JsonWriter line(out);
  line.begin_object();
  line.key("type").string("audit.seal");
  line.key("from").unsigned_integer(from);
  line.key("to").unsigned_integer(to);
  line.key("lines").unsigned_integer(lines);
  line.key("newest").unsigned_integer(newest);
  line.key("follows").string(follows);
  line.key("mac").string(mac);
  line.key("sha256").string(sha256);
  line.key("sealed_at").string(sealed_at);
  line.key("key").string(key);
  line.key("faults").begin_array();
  for (const auto& fault : faults) line.string(fault);
  line.end_array();
  // What is signed is all of the line up to here.
  const std::string signature = to_base64(signing.sign(out));
  return out.append(signature_member).append(signature).append("\"}\n");
}

std::optional<AuditSeal> AuditSeal::decode(std::string_view line) {
  if (!line.starts_with(seal_start)) return std::nullopt;
  const auto parsed = parse_json(line);
  if (!parsed.ok() || !parsed->is_object()) return std::nullopt;
  AuditSeal out{.from = count_in(*parsed, "from"),
                .to = count_in(*parsed, "to"),
                .lines = count_in(*parsed, "lines"),
                .newest = count_in(*parsed, "newest"),
                .follows = parsed->string_or("follows"),
                .mac = parsed->string_or("mac"),
                .sha256 = parsed->string_or("sha256"),
                .sealed_at = parsed->string_or("sealed_at"),
                .key = parsed->string_or("key")};
  if (const Json* faults = parsed->find("faults"); faults != nullptr && faults->is_array())
    for (const Json& fault : faults->as_array())
      if (fault.is_string()) out.faults.push_back(fault.as_string());
  return out;
}

Result<AuditSegment> read_segment(AuditLines& lines, std::uint64_t newest,
                                  const SegmentWanted& wanted, std::string_view chain_key,
                                  const auth::SigningKey& signing, std::int64_t now_ms) {
  const auto is_before = [&wanted](std::string_view line) {
    const auto number = number_of(line);
    return !number || *number <= wanted.after;
  };
  CAIRN_TRY(AuditPlace at, lines.first_not(is_before));
  AuditSegment out;
  std::optional<ChainLink> last;
  // The line before says what the first one must follow.
  AuditPlace before = at;
  CAIRN_TRY(const auto line_before, lines.previous(before));
  if (line_before)
    if (const auto chained = read_chained_line(*line_before)) last = chained->link;
  while (out.seal.lines < wanted.lines_max) {
    const AuditPlace begin = at;
    CAIRN_TRY(const auto line, lines.next(at));
    if (!line) break;
    if (out.seal.lines > 0 && out.text.size() + line->size() > wanted.bytes_max) break;
    const auto chained = read_chained_line(*line);
    auto reason = chained ? chain_fault(last, *chained, chain_key)
                          : std::optional<std::string>("it is no line of the chain");
    if (reason && out.seal.faults.size() < faults_told_max)
      out.seal.faults.push_back(lines.name_of(begin.file) + " at byte " +
                                std::to_string(begin.offset) + ": " + *reason);
    out.text.append(*line).push_back('\n');
    ++out.seal.lines;
    if (!chained) continue;
    if (out.seal.from == 0) {
      out.seal.from = chained->link.number;
      out.seal.follows = last ? last->mac : chained->follows.value_or("");
    }
    // The greatest: what follows goes on behind it, whatever somebody made of the numbers.
    out.seal.to = std::max(out.seal.to, chained->link.number);
    out.seal.mac = chained->link.mac;
    last = chained->link;
  }
  if (out.seal.from == 0) return AuditSegment{.seal = {.newest = newest}};
  out.seal.newest = std::max(newest, out.seal.to);
  out.seal.sha256 = to_hex(sha256(out.text));
  out.seal.sealed_at = format_iso8601(now_ms);
  out.seal.key = signing.id();
  out.text += out.seal.encode(signing);
  return out;
}

SegmentVerifier::SegmentVerifier(auth::VerifyingKey key, OnFault on_fault)
    : key_(std::move(key)), on_fault_(std::move(on_fault)), digest_(DigestKind::sha256) {}

void SegmentVerifier::fault(const std::string& reason) {
  ++count_.faults;
  on_fault_(line_, reason);
}

void SegmentVerifier::begin() {
  digest_ = Digest(DigestKind::sha256);
  lines_ = first_ = last_ = 0;
  ascending_ = true;
  mac_.clear();
}

void SegmentVerifier::take(std::string_view line) {
  ++line_;
  if (const auto seal = AuditSeal::decode(line)) {
    judge(*seal, line);
    begin();
    return;
  }
  digest_.update(line);
  digest_.update("\n");
  ++lines_;
  ++count_.lines;
  const auto chained = read_chained_line(line);
  if (!chained) return;
  if (first_ == 0)
    first_ = chained->link.number;
  else if (chained->link.number != last_ + 1)
    ascending_ = false;
  last_ = chained->link.number;
  mac_ = chained->link.mac;
}

void SegmentVerifier::judge(const AuditSeal& seal, std::string_view line) {
  ++count_.segments;
  const std::size_t at = line.rfind(signature_member);
  const auto signature =
      at == std::string_view::npos || !line.ends_with("\"}")
          ? std::nullopt
          : from_base64(line.substr(at + signature_member.size(),
                                    line.size() - at - signature_member.size() - 2));
  if (seal.key != key_.id())
    fault("it was sealed with the key " + seal.key + ", and the public key is of " + key_.id());
  else if (!signature || !key_.verifies(line.substr(0, at), *signature))
    fault("the seal was changed, or made with another key: its signature does not verify");
  if (seal.lines != lines_ || seal.sha256 != to_hex(digest_.finish()))
    fault("the lines before the seal, " + std::to_string(seal.from) + " to " +
          std::to_string(seal.to) + ", are not those that were sealed");
  for (const auto& told : seal.faults) fault("the server found when it sealed: " + told);
  if (seal.faults.empty() &&
      (!ascending_ || first_ != seal.from || last_ != seal.to || mac_ != seal.mac))
    fault("the numbers of the lines are not those of the seal");
  if (before_ && seal.from <= before_->to)
    fault("lines from number " + std::to_string(seal.from) + " on are there twice");
  else if (before_ && seal.from != before_->to + 1)
    fault(missing_numbers(before_->to + 1, seal.from - 1) + " before this segment");
  else if (before_ && seal.follows != before_->mac)
    fault("the segment follows other lines than those before it");
  if (count_.from == 0) count_.from = seal.from;
  count_.to = seal.to;
  count_.mac = seal.mac;
  before_ = seal;
}

void SegmentVerifier::end_input() {
  if (lines_ > 0)
    fault(std::to_string(lines_) + " lines at the end have no seal: the file was cut");
  else if (count_.segments == segments_before_)
    fault("no sealed lines are in it");
  segments_before_ = count_.segments;
  begin();
  line_ = 0;
}

}  // namespace cairn::gate
