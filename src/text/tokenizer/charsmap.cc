// SPDX-License-Identifier: Apache-2.0
// Precompiled: SentencePiece's table of characters and what becomes of them. The table is a double
// array over UTF-8 (u32 bytes of it, its units, then the replacements, each ended by a zero byte).
// What is looked up are grapheme clusters shorter than 6 bytes, else their characters one by one;
// the first, shortest entry that a piece starts with decides for all of it. So does the library
// that made the models' vocabularies.
#include <unicode/uchar.h>

#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/encode.h"
#include "base/strings.h"
#include "text/tokenizer/normalizers.h"

namespace cairn::text::tokenizer {
namespace {

constexpr std::size_t longest_cluster = 5;  // in bytes, that is looked up whole
constexpr std::size_t most_replacement_bytes = 256;

class Table {
 public:
  Table(std::vector<std::uint32_t> units, std::string replacements)
      : units_(std::move(units)), replacements_(std::move(replacements)) {}

  std::optional<std::string_view> find(std::string_view piece) const {
    std::size_t node = 0;
    if (!move(node, offset(units_[0]))) return std::nullopt;
    for (const char byte : piece) {
      const auto c = static_cast<unsigned char>(byte);
      if (c == 0 || !move(node, c)) return std::nullopt;
      const std::uint32_t unit = units_[node];
      if ((unit & ((1U << 31) | 0xffU)) != c || !move(node, offset(unit))) return std::nullopt;
      if ((unit >> 8 & 1) != 0) return replacement(units_[node] & ((1U << 31) - 1));
    }
    return std::nullopt;
  }

 private:
  static std::uint32_t offset(std::uint32_t unit) {
    return unit >> 10 << ((unit & (1U << 9)) >> 6);
  }

  bool move(std::size_t& node, std::uint32_t by) const {
    node ^= by;
    return node < units_.size();
  }

  std::optional<std::string_view> replacement(std::size_t begin) const {
    if (begin > replacements_.size()) return std::nullopt;
    const std::string_view rest = std::string_view(replacements_).substr(begin);
    const auto found = rest.substr(0, rest.substr(0, most_replacement_bytes).find('\0'));
    return found.size() > most_replacement_bytes ? std::nullopt : std::optional(found);
  }

  std::vector<std::uint32_t> units_;
  std::string replacements_;
};

/// Whether a grapheme cluster goes on between two neighbours (UAX 29), but for what only clusters
/// of 6 bytes and more need: conjuncts of Indic scripts.
class Clusters {
 public:
  /// Whether `c`, which comes next, belongs to the cluster before it.
  bool joins(UChar32 c) {
    const bool plain = c >= 0x20 && c < 0x7f;
    const int kind = plain ? U_GCB_OTHER : u_getIntPropertyValue(c, UCHAR_GRAPHEME_CLUSTER_BREAK);
    const bool picture = c >= 0xa9 && u_hasBinaryProperty(c, UCHAR_EXTENDED_PICTOGRAPHIC) != 0;
    const bool joined = !first_ && join(kind, picture);
    flags_ = kind == U_GCB_REGIONAL_INDICATOR ? (joined ? 0 : flags_ + 1) : 0;
    if (picture) {
      after_picture_ = true;
    } else if (kind != U_GCB_EXTEND && kind != U_GCB_ZWJ) {
      after_picture_ = false;
    }
    last_ = kind;
    first_ = false;
    return joined;
  }

 private:
  static bool is_control(int kind) {
    return kind == U_GCB_CONTROL || kind == U_GCB_CR || kind == U_GCB_LF;
  }

  bool join(int kind, bool picture) const {
    if (last_ == U_GCB_CR && kind == U_GCB_LF) return true;
    if (is_control(last_) || is_control(kind)) return false;
    if (last_ == U_GCB_L &&
        (kind == U_GCB_L || kind == U_GCB_V || kind == U_GCB_LV || kind == U_GCB_LVT))
      return true;
    if ((last_ == U_GCB_LV || last_ == U_GCB_V) && (kind == U_GCB_V || kind == U_GCB_T))
      return true;
    if ((last_ == U_GCB_LVT || last_ == U_GCB_T) && kind == U_GCB_T) return true;
    if (kind == U_GCB_EXTEND || kind == U_GCB_ZWJ || kind == U_GCB_SPACING_MARK) return true;
    if (last_ == U_GCB_PREPEND) return true;
    if (last_ == U_GCB_ZWJ && after_picture_ && picture) return true;
    return kind == U_GCB_REGIONAL_INDICATOR && last_ == U_GCB_REGIONAL_INDICATOR && flags_ == 1;
  }

  int last_ = U_GCB_OTHER;
  int flags_ = 0;  // regional indicators just before that pair with none
  bool first_ = true;
  bool after_picture_ = false;  // a picture and what extends it
};

class Charsmap : public Normalizer {
 public:
  explicit Charsmap(Table table) : table_(std::move(table)) {
    for (int c = 0; c < 0x80; ++c) {
      const char byte = static_cast<char>(c);
      // A carriage return may be half of a cluster.
      plain_[static_cast<std::size_t>(c)] =
          c != '\r' && c != '\n' && !table_.find(std::string_view(&byte, 1)).has_value();
    }
  }

  Status apply(Work& work) const override {
    const std::string_view text = work.text.bytes();
    if (std::all_of(text.begin(), text.end(), [&](char c) {
          return static_cast<unsigned char>(c) < 0x80 && plain_[static_cast<unsigned char>(c)];
        })) {
      return ok_status();
    }
    work.changes.clear();
    bool modified = false;
    Clusters clusters;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t before = at;
      if (!clusters.joins(next_character(text, at)) && before > begin) {
        modified |= change(text.substr(begin, before - begin), work.changes);
        begin = before;
      }
    }
    if (begin < text.size()) modified |= change(text.substr(begin), work.changes);
    if (!modified) return ok_status();
    return rewrite(work.text, work.changes);
  }

 private:
  /// Adds what becomes of a cluster. True where it is not what it was.
  bool change(std::string_view cluster, std::vector<Change>& out) const {
    if (cluster.size() <= longest_cluster) {
      if (cluster.size() == 1 && plain_[static_cast<unsigned char>(cluster[0]) & 0x7fU]) {
        out.push_back({cluster[0], 0});
        return false;
      }
      if (const auto found = table_.find(cluster)) {
        replace(cluster, *found, out);
        return true;
      }
    }
    bool modified = false;
    for (std::size_t at = 0; at < cluster.size();) {
      const std::size_t begin = at;
      const UChar32 c = next_character(cluster, at);
      const std::string_view part = cluster.substr(begin, at - begin);
      if (const auto found = table_.find(part)) {
        replace(part, *found, out);
        modified = true;
      } else {
        out.push_back({c, 0});
      }
    }
    return modified;
  }

  static void replace(std::string_view old, std::string_view content, std::vector<Change>& out) {
    const auto before = static_cast<std::int64_t>(count_characters(old));
    std::int64_t after = 0;
    for (std::size_t at = 0; at < content.size(); ++after)
      out.push_back({next_character(content, at), 0});
    const std::int64_t more = after - before;
    for (std::int64_t i = 0; i < more; ++i)
      out[out.size() - 1 - static_cast<std::size_t>(i)].change = 1;
    if (more < 0 && !out.empty()) out.back().change += static_cast<int>(more);
  }

  Table table_;
  std::array<bool, 0x80> plain_{};
};

}  // namespace

Result<std::unique_ptr<const Normalizer>> charsmap_normalizer(const Fields& fields) {
  CAIRN_TRY(const std::string encoded, fields.string("precompiled_charsmap", ""));
  if (encoded.empty()) return std::unique_ptr<const Normalizer>();  // some files have an empty one
  const auto decoded = from_base64(encoded);
  std::uint32_t bytes = 0;
  if (!decoded || decoded->size() < sizeof(bytes))
    return fields.wrong("precompiled_charsmap", "must be a table in base64");
  std::memcpy(&bytes, decoded->data(), sizeof(bytes));
  if (bytes == 0 || bytes % sizeof(std::uint32_t) != 0 || bytes > decoded->size() - sizeof(bytes))
    return fields.wrong("precompiled_charsmap", "names a size of its table that it does not have");
  std::vector<std::uint32_t> units(bytes / sizeof(std::uint32_t));
  std::memcpy(units.data(), decoded->data() + sizeof(bytes), bytes);
  std::string replacements = decoded->substr(sizeof(bytes) + bytes);
  if (!is_utf8(replacements))
    return fields.wrong("precompiled_charsmap", "has replacements that are not UTF-8");
  return std::unique_ptr<const Normalizer>(
      std::make_unique<Charsmap>(Table(std::move(units), std::move(replacements))));
}

}  // namespace cairn::text::tokenizer
