// SPDX-License-Identifier: Apache-2.0
#include "gate/audit_chain.h"

#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "format/json.h"

namespace cairn::gate {
namespace {

constexpr std::size_t mac_bytes = 16;
constexpr std::string_view number_member = ",\"chain.number\":";
constexpr std::string_view follows_member = ",\"chain.follows\":\"";
constexpr std::string_view mac_member = ",\"chain.mac\":\"";

std::string mac_of(std::string_view key, std::string_view mac_before, std::string_view text) {
  std::string all;
  all.reserve(mac_before.size() + text.size());
  all.append(mac_before).append(text);
  return to_hex(std::string_view(hmac_sha256(key, all)).substr(0, mac_bytes));
}

}  // namespace

std::string chain_line(std::string object, bool first_of_file, std::string_view key,
                       ChainLink& before) {
  object.pop_back();  // the closing brace
  object.append(number_member).append(std::to_string(before.number + 1));
  if (first_of_file) object.append(follows_member).append(before.mac).append("\"");
  std::string mac = mac_of(key, before.mac, object);
  object.append(mac_member).append(mac).append("\"}\n");
  before = {before.number + 1, std::move(mac)};
  return object;
}

// The members stand last and have no escapes, so the end of the line can be read without the rest;
// whoever writes them elsewhere in a line cannot make the mac.
std::optional<ChainedLine> read_chained_line(std::string_view line) {
  const std::size_t mac_at = line.rfind(mac_member);
  if (mac_at == std::string_view::npos || !line.ends_with("\"}")) return std::nullopt;
  ChainedLine out;
  out.covered = line.substr(0, mac_at);
  const std::size_t mac_text = mac_at + mac_member.size();
  out.link.mac = line.substr(mac_text, line.size() - mac_text - 2);
  std::string_view rest = out.covered;
  const std::size_t number_at = rest.rfind(number_member);
  if (out.link.mac.size() != 2 * mac_bytes || number_at == std::string_view::npos)
    return std::nullopt;
  std::string_view number = rest.substr(number_at + number_member.size());
  if (const std::size_t at = number.find(follows_member); at != std::string_view::npos) {
    const std::string_view mac = number.substr(at + follows_member.size());
    if (!mac.ends_with('"')) return std::nullopt;
    out.follows = mac.substr(0, mac.size() - 1);
    number = number.substr(0, at);
  }
  const auto counted = parse_number<std::uint64_t>(number);
  if (!counted || *counted == 0) return std::nullopt;
  out.link.number = *counted;
  return out;
}

bool follows(const ChainedLine& line, std::string_view mac_before, std::string_view key) {
  return equals_constant_time(line.link.mac, mac_of(key, mac_before, line.covered));
}

std::string ChainHead::encode() const {
  return Json::object({{"number", static_cast<std::int64_t>(newest.number)},
                       {"mac", newest.mac},
                       {"oldest", static_cast<std::int64_t>(oldest)},
                       {"end", is_end}})
             .dump() +
         "\n";
}

Result<ChainHead> ChainHead::decode(std::string_view text) {
  const auto parsed = parse_json(text);
  if (!parsed.ok() || !parsed->is_object() || parsed->int_or("number", -1) < 0 ||
      parsed->int_or("oldest", -1) < 0)
    return Error{ErrorKind::corrupt, {}, "the head of the audit log does not read back"};
  ChainHead head;
  head.newest = {static_cast<std::uint64_t>(parsed->int_or("number")), parsed->string_or("mac")};
  head.oldest = static_cast<std::uint64_t>(parsed->int_or("oldest"));
  head.is_end = parsed->bool_or("end");
  return head;
}

}  // namespace cairn::gate
