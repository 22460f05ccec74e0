// SPDX-License-Identifier: Apache-2.0
// The pieces that segments are made of, on random content.
#include "index/segment/packing.h"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <set>

#include "index/engine/log_format.h"
#include "index/engine/manifest.h"
#include "index/engine/merge_policy.h"
#include "index/segment/bits.h"
#include "index/segment/column.h"
#include "index/segment/norms.h"
#include "index/segment/segment.h"
#include "index/segment/terms_writer.h"

namespace cairn::index::packing_test {
namespace {

TEST_CASE("packing: blocks of every width come back") {
  std::mt19937 random(1);
  for (unsigned bits = 0; bits <= 32; ++bits) {
    Block in, out;
    for (auto& v : in) v = bits == 0 ? 0 : static_cast<std::uint32_t>(random()) >> (32 - bits);
    std::string bytes;
    pack_block(bytes, in, bits);
    REQUIRE(bytes.size() == 16 * bits);
    bytes.resize(bytes.size() + 16);
    unpack_block(bytes.data(), bits, out);
    CHECK(in == out);
    for (std::size_t i = 0; i < block_size; ++i)
      CHECK(unpack_one_of_block(bytes.data(), i, bits) == in[i]);
  }
}

TEST_CASE("packing: arrays of every width come back") {
  std::mt19937_64 random(2);
  for (unsigned bits = 0; bits <= 64; ++bits) {
    std::vector<std::uint64_t> in(301);
    for (auto& v : in) v = bits == 0 ? 0 : random() >> (64 - bits);
    std::string bytes;
    pack_array(bytes, in.data(), in.size(), bits);
    for (std::size_t i = 0; i < in.size(); ++i) CHECK(unpack_one(bytes.data(), i, bits) == in[i]);
  }
}

TEST_CASE("norms: short lengths are exact, long ones within an eighth, and order is kept") {
  std::uint32_t before = 0;
  for (std::uint32_t length = 0; length < 200'000; length += length < 100 ? 1 : 37) {
    const std::uint32_t kept = decode_length(encode_length(length));
    if (length < 40) CHECK(kept == length);
    CHECK(kept <= length);
    CHECK(static_cast<double>(length - kept) <= 0.125 * length);
    CHECK(kept >= before);
    before = kept;
  }
  // Values that the platform's engine gives.
  CHECK(encode_length(40) == 40);
  CHECK(decode_length(encode_length(1000)) == 984);
}

TEST_CASE("columns: values come back, single, multiple, missing") {
  std::mt19937_64 random(3);
  for (const int most : {0, 1, 3}) {
    for (const double present : {0.0, 0.4, 1.0}) {
      ColumnWriter writer;
      std::vector<std::vector<std::int64_t>> expected;
      for (int doc = 0; doc < 9000; ++doc) {
        std::vector<std::int64_t> values;
        if (std::uniform_real_distribution<>(0, 1)(random) < present)
          for (int n = most <= 1 ? most : static_cast<int>(random() % 4); n > 0; --n)
            values.push_back(static_cast<std::int64_t>(random() >> (random() % 64)) -
                             (doc > 5000 ? 1000 : 0));
        writer.add(values);
        std::sort(values.begin(), values.end());
        expected.push_back(std::move(values));
      }
      const std::string bytes = writer.finish();
      const auto reader = ColumnReader::open(bytes, "test");
      REQUIRE(reader.ok());
      REQUIRE(reader->documents() == expected.size());
      for (std::uint32_t doc = 0; doc < expected.size(); ++doc) {
        const auto [first, last] = reader->range(doc);
        REQUIRE(last - first == expected[doc].size());
        CHECK(reader->has(doc) == !expected[doc].empty());
        for (std::uint32_t i = first; i < last; ++i)
          REQUIRE(reader->value(i) == expected[doc][i - first]);
      }
      for (std::size_t cut = 0; cut < bytes.size(); cut += 1 + bytes.size() / 50)
        (void)ColumnReader::open(std::string_view(bytes).substr(0, cut), "test").ok();
    }
  }
}

struct Posting {
  std::uint32_t doc = 0;
  std::vector<std::uint32_t> positions;
};

TEST_CASE("terms: dictionary, postings and positions come back; seeking equals walking") {
  std::mt19937 engine(4);
  const auto random = [&] { return static_cast<std::uint32_t>(engine()); };
  std::map<std::string, std::vector<Posting>> expected;
  constexpr std::uint32_t docs = 30'000;
  std::string norms(docs, '\x05');
  for (int t = 0; t < 300; ++t) {
    // Some share more of their beginning than an entry can say; some are not ASCII.
    std::string term = "term" + std::to_string(random() % 100'000);
    if (t % 5 == 0) term = "term" + std::string(300, 'x') + std::to_string(random() % 5000);
    if (t % 5 == 1) term = "\xC3\xA9" + std::to_string(random() % 5000);
    if (expected.contains(term)) continue;
    const std::uint32_t step = 1 + random() % 3000;
    auto& list = expected[term];
    for (std::uint32_t doc = random() % step; doc < docs; doc += 1 + random() % step) {
      Posting p{.doc = doc, .positions = {}};
      std::uint32_t position = 0;
      for (std::size_t n = 1 + random() % 3; n > 0; --n)
        p.positions.push_back(position += 1 + random() % 50);
      list.push_back(std::move(p));
    }
  }
  std::string bytes;
  SegmentOut out([&](std::string_view piece) { return bytes += piece, ok_status(); });
  TermsWriter writer(TermsKind::positions, norms, 5);
  for (const auto& [term, list] : expected) {
    writer.begin_term(term);
    for (const Posting& p : list)
      writer.add(p.doc, static_cast<std::uint32_t>(p.positions.size()), p.positions);
  }
  FieldStatistics statistics{.field = "f"};
  writer.finish(out, "f", statistics);
  out.footer().fields.push_back(statistics);
  out.hot_section(SectionKind::stored_blocks, {}, std::string(2, '\0'));
  out.hot_section(SectionKind::id_blocks, {}, std::string(8, '\0'));
  std::string table(8 + 6, '\0');
  table[0] = 1;
  out.hot_section(SectionKind::id_table, {}, table);
  REQUIRE(out.finish().ok());
  const auto deadline = os::Deadline::never();
  const auto segment = Segment::open(memory_file("test", bytes), out.hot_offset(), deadline);
  INFO((segment.ok() ? std::string() : segment.error().message));
  REQUIRE(segment.ok());
  const TermsReader* terms = (*segment)->terms("f");
  REQUIRE(terms != nullptr);

  TermsWalk walk(*terms, true);
  std::uint64_t ordinal = 0;
  for (const auto& [term, list] : expected) {
    if (list.empty()) continue;
    const auto more = walk.next(deadline);
    REQUIRE(more.ok());
    REQUIRE(*more);
    CHECK(walk.term() == term);
    CHECK(walk.entry().doc_freq == list.size());
    CHECK(*terms->term_at(ordinal, deadline) == term);
    CHECK(*terms->rank(term, deadline) == ordinal);
    CHECK(*terms->rank(term + "\x01", deadline) == ordinal + 1);
    ++ordinal;

    const auto entry = terms->find(term, deadline);
    REQUIRE(entry.ok());
    REQUIRE(entry->has_value());
    PostingsIterator at(*terms->postings(**entry, deadline));
    PositionsReader positions = *terms->positions(**entry, deadline);
    std::vector<std::uint32_t> found;
    for (const Posting& p : list) {
      REQUIRE(at.doc() == p.doc);
      CHECK(at.freq() == p.positions.size());
      if (random() % 3 == 0) {
        positions.read(at, found);
        CHECK(found == p.positions);
      }
      at.next();
    }
    CHECK(at.doc() == no_more);
    PostingsIterator seeker(*terms->postings(**entry, deadline));
    for (std::uint32_t target = 0; target < docs; target += random() % 2000) {
      const auto next =
          std::lower_bound(list.begin(), list.end(), target,
                           [](const Posting& p, std::uint32_t t) { return p.doc < t; });
      REQUIRE(seeker.seek(target) == (next == list.end() ? no_more : next->doc));
    }
  }
  CHECK(!*walk.next(deadline));
  const auto is_there = [&](const std::string& term) {
    const auto at = expected.find(term);
    return at != expected.end() && !at->second.empty();
  };
  for (const auto& [term, list] : expected)
    for (const std::string& near : {term + "\x01", term + "9", term.substr(0, term.size() - 1),
                                    term.substr(0, 250), term.substr(0, 4) + "\xFF"}) {
      CAPTURE(near);
      CHECK(terms->find(near, deadline)->has_value() == is_there(near));
    }
  CHECK(!terms->find("nosuch", deadline)->has_value());
  CHECK(!terms->find("", deadline)->has_value());
  CHECK(!terms->find("zzz", deadline)->has_value());
}

TEST_CASE("log: objects come back, and damage is seen") {
  LogObject log{
      .position = {.epoch = 3, .number = 9}, .nonce = std::string(16, 'n'), .records = {}};
  log.records.push_back({.id = "a", .version = 2, .seq_no = 5, .source = R"({"x":1})"});
  log.records.push_back({.kind = LogRecord::Kind::remove, .id = "b", .version = 1, .seq_no = 6});
  SemanticValue semantic{.field = "s",
                         .model_settings = {.service = "x", .task_type = "sparse_embedding"},
                         .chunks = {}};
  semantic.chunks.push_back(
      {.input = 1, .start = 2, .end = 9, .dense = {}, .sparse = {{"t", 0.5f}}});
  log.records[0].semantic.push_back(semantic);
  for (const std::size_t filler : {std::size_t{0}, std::size_t{10'000}}) {
    log.records[0].source = std::string(filler, 'x');
    const std::string bytes = encode_log(log);
    const auto back = decode_log(bytes, "k");
    REQUIRE(back.ok());
    CHECK(back->position == log.position);
    CHECK(back->nonce == log.nonce);
    REQUIRE(back->records.size() == 2);
    CHECK(back->records[0].source.size() == filler);
    CHECK(back->records[0].semantic[0].chunks[0].sparse[0].second == 0.5f);
    CHECK(back->records[1].kind == LogRecord::Kind::remove);
    for (std::size_t i = 0; i < bytes.size(); i += 1 + bytes.size() / 100) {
      std::string damaged = bytes;
      damaged[i] ^= 0x10;
      CHECK(!decode_log(damaged, "k").ok());
      CHECK(!decode_log(std::string_view(bytes).substr(0, i), "k").ok());
    }
  }
  CHECK(log_position(log_key(log.position)) == log.position);
  CHECK(!log_position("wal/x/1").has_value());
  CHECK(!log_position("seg/1").has_value());
}

TEST_CASE("deletes: sets come back") {
  BitSet bits(1000);
  for (const std::uint32_t doc : {0u, 1u, 64u, 500u, 999u}) bits.set(doc);
  const std::string bytes = encode_deletes(bits);
  const auto back = decode_deletes(bytes, 1000, "k");
  REQUIRE(back.ok());
  CHECK(back->words() == bits.words());
  CHECK(!decode_deletes(bytes, 999, "k").ok());
  CHECK(!decode_deletes("rubbish", 1000, "k").ok());
}

TEST_CASE("merging: what is written grows with the logarithm of what there is") {
  // Segments of one megabyte come one by one; merges happen as they are due.
  std::vector<MergeCandidate> segments;
  const MergePolicy policy{.floor_bytes = 2u << 20, .max_bytes = 1u << 30, .factor = 8};
  std::uint64_t written = 0, came = 0;
  std::size_t most = 0;
  for (int i = 0; i < 2000; ++i) {
    segments.push_back({.bytes = 1u << 20, .documents = 1000});
    came += 1u << 20;
    for (auto pick = pick_merge(segments, policy); !pick.empty();
         pick = pick_merge(segments, policy)) {
      MergeCandidate merged;
      for (const std::size_t p : pick) {
        merged.bytes += segments[p].bytes;
        merged.documents += segments[p].documents;
      }
      for (std::size_t p = pick.size(); p-- > 0;)
        segments.erase(segments.begin() + static_cast<std::ptrdiff_t>(pick[p]));
      written += merged.bytes;
      segments.push_back(merged);
    }
    most = std::max(most, segments.size());
  }
  CHECK(written < 5 * came);
  CHECK(most < 40);
  for (const MergeCandidate& s : segments) CHECK(s.bytes <= policy.max_bytes);
  segments = {{.bytes = 100u << 20, .documents = 900, .deleted = 299}};
  CHECK(pick_merge(segments, policy).empty());
  segments[0].deleted = 300;
  CHECK(pick_merge(segments, policy) == std::vector<std::size_t>{0});
}

}  // namespace
}  // namespace cairn::index::packing_test
