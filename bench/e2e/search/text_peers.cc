// SPDX-License-Identifier: Apache-2.0
// Xapian and SQLite's FTS5 beside the engine: the same passages, words and questions as
// text_bench.cc, one thread. text_run.py builds it; it is no part of the program's build.
//
//   text_peers xapian|fts5 index docs.tsv PLACE
//   text_peers xapian|fts5 search PLACE queries.tsv ROUNDS
//
// Prints what text_bench prints. Both give the ten best by BM25 as each understands it, so that
// scores are not compared.
#include <sqlite3.h>
#include <xapian.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <time.h>

namespace {

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::vector<std::string> parts_of(const std::string& line, std::size_t most) {
  std::vector<std::string> out;
  std::size_t at = 0;
  while (out.size() + 1 < most) {
    const std::size_t tab = line.find('\t', at);
    if (tab == std::string::npos) break;
    out.push_back(line.substr(at, tab - at));
    at = tab + 1;
  }
  out.push_back(line.substr(at));
  return out;
}

/// Runs of ASCII letters and digits in lower case.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> out;
  std::string word;
  for (const char c : text + " ") {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    if ((lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9')) {
      word += lower;
    } else if (!word.empty()) {
      out.push_back(std::move(word));
      word.clear();
    }
  }
  return out;
}

struct Question {
  std::string source;
  std::vector<std::string> words;
};

/// An engine: it is filled once, and then asked.
struct Peer {
  virtual ~Peer() = default;
  virtual void add(const std::string& source, const std::string& text) = 0;
  virtual void end() = 0;
  /// How many of the ten best there are.
  virtual std::size_t ask(const Question& question, bool all, bool filter) = 0;
};

struct XapianPeer final : Peer {
  XapianPeer(const std::string& place, bool fill) {
    if (fill) {
      writable = Xapian::WritableDatabase(place, Xapian::DB_CREATE_OR_OVERWRITE);
    } else {
      readable = Xapian::Database(place);
    }
  }
  void add(const std::string& source, const std::string& text) override {
    Xapian::Document document;
    for (const auto& word : words_of(text))
      if (word.size() < 200) document.add_term(word);
    document.add_boolean_term("XS" + source);
    writable.add_document(document);
    if (++count % 50'000 == 0) writable.commit();
  }
  void end() override { writable.commit(); }
  std::size_t ask(const Question& question, bool all, bool filter) override {
    Xapian::Query query(all ? Xapian::Query::OP_AND : Xapian::Query::OP_OR, question.words.begin(),
                        question.words.end());
    if (filter)
      query = Xapian::Query(Xapian::Query::OP_FILTER, query, Xapian::Query("XS" + question.source));
    Xapian::Enquire enquire(readable);
    enquire.set_weighting_scheme(Xapian::BM25Weight(1.2, 0, 1, 0.75, 0));
    enquire.set_query(query);
    return enquire.get_mset(0, 10).size();
  }
  Xapian::WritableDatabase writable;
  Xapian::Database readable;
  std::size_t count = 0;
};

struct Fts5Peer final : Peer {
  Fts5Peer(const std::string& place, bool fill) {
    if (fill) std::remove(place.c_str());
    check(sqlite3_open(place.c_str(), &database));
    if (!fill) {
      run("pragma cache_size = -524288; pragma mmap_size = 2000000000");
      return;
    }
    run("pragma journal_mode = off; pragma synchronous = off;"
        "create virtual table t using fts5(body, source unindexed, content = '');"
        "create table s(id integer primary key, source text); begin");
    check(sqlite3_prepare_v2(database, "insert into t(rowid, body) values(?, ?)", -1, &body,
                             nullptr));
    check(sqlite3_prepare_v2(database, "insert into s values(?, ?)", -1, &kept, nullptr));
  }
  ~Fts5Peer() override {
    for (sqlite3_stmt* one : {body, kept, plain, filtered}) sqlite3_finalize(one);
    sqlite3_close(database);
  }
  void add(const std::string& source, const std::string& text) override {
    ++count;
    std::string plain_text;
    for (const auto& word : words_of(text)) plain_text += word + " ";
    step(body, count, plain_text);
    step(kept, count, source);
  }
  void end() override {
    run("commit; insert into t(t) values('optimize'); create index by_source on s(source, id)");
  }
  std::size_t ask(const Question& question, bool all, bool filter) override {
    std::string match;
    for (const auto& word : question.words)
      match += (match.empty() ? "" : all ? " AND " : " OR ") + ("\"" + word + "\"");
    sqlite3_stmt*& statement = filter ? filtered : plain;
    if (statement == nullptr)
      check(sqlite3_prepare_v2(
          database,
          filter
              ? "select t.rowid from t join s on s.id = t.rowid where t match ?1 and s.source = ?2 "
                "order by bm25(t) limit 10"
              : "select rowid from t where t match ?1 order by rank limit 10",
          -1, &statement, nullptr));
    sqlite3_bind_text(statement, 1, match.c_str(), -1, SQLITE_TRANSIENT);
    if (filter) sqlite3_bind_text(statement, 2, question.source.c_str(), -1, SQLITE_TRANSIENT);
    std::size_t found = 0;
    int code = 0;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) ++found;
    if (code != SQLITE_DONE) check(code);
    sqlite3_reset(statement);
    return found;
  }
  void check(int code) {
    if (code == SQLITE_OK || code == SQLITE_DONE) return;
    std::fprintf(stderr, "sqlite: %s\n", sqlite3_errmsg(database));
    std::exit(1);
  }
  void run(const char* sql) { check(sqlite3_exec(database, sql, nullptr, nullptr, nullptr)); }
  void step(sqlite3_stmt* statement, sqlite3_int64 id, const std::string& text) {
    sqlite3_bind_int64(statement, 1, id);
    sqlite3_bind_text(statement, 2, text.c_str(), -1, SQLITE_STATIC);
    check(sqlite3_step(statement));
    sqlite3_reset(statement);
  }
  sqlite3* database = nullptr;
  sqlite3_stmt *body = nullptr, *kept = nullptr, *plain = nullptr, *filtered = nullptr;
  sqlite3_int64 count = 0;
};

std::unique_ptr<Peer> peer_of(const std::string& name, const std::string& place, bool fill) {
  if (name == "xapian") return std::make_unique<XapianPeer>(place, fill);
  if (name == "fts5") return std::make_unique<Fts5Peer>(place, fill);
  std::fprintf(stderr, "no peer is called %s\n", name.c_str());
  std::exit(2);
}

void fill(Peer& peer, const std::string& docs) {
  std::ifstream in(docs);
  std::size_t count = 0;
  const double start = processor_seconds();
  for (std::string line; std::getline(in, line); ++count) {
    const auto parts = parts_of(line, 5);
    peer.add(parts.at(1), parts.at(4));
  }
  peer.end();
  std::printf("index docs %zu docs_s %.0f\n", count,
              static_cast<double>(count) / (processor_seconds() - start));
}

void ask(Peer& peer, const std::vector<Question>& questions, const char* kind, std::size_t rounds) {
  const std::string name(kind);
  const bool all = name.starts_with("and"), filter = name.ends_with("filter");
  std::vector<double> middles, tails, rates, spent, times(questions.size());
  std::size_t found = 0;
  for (std::size_t round = 0; round <= rounds; ++round) {
    using Clock = std::chrono::steady_clock;
    const auto seconds = [](Clock::time_point from) {
      return std::chrono::duration<double>(Clock::now() - from).count();
    };
    const auto began = Clock::now();
    const double before = processor_seconds();
    for (std::size_t i = 0; i < questions.size(); ++i) {
      const auto start = Clock::now();
      found += peer.ask(questions[i], all, filter);
      times[i] = seconds(start) * 1e6;
    }
    if (round == 0) continue;  // the first brings the pages
    const auto count = static_cast<double>(questions.size());
    spent.push_back((processor_seconds() - before) * 1e6 / count);
    rates.push_back(count / seconds(began));
    std::sort(times.begin(), times.end());
    middles.push_back(times[times.size() / 2]);
    tails.push_back(times[times.size() * 99 / 100]);
  }
  for (auto* some : {&middles, &tails, &rates, &spent}) std::sort(some->begin(), some->end());
  std::printf("%s qps %.0f p50_us %.1f p99_us %.1f cpu_us %.1f hits %zu\n", kind, rates[rounds / 2],
              middles[rounds / 2], tails[rounds / 2], spent[rounds / 2], found / (rounds + 1));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 5 && std::string(argv[2]) == "index") {
    fill(*peer_of(argv[1], argv[4], true), argv[3]);
    return 0;
  }
  if (argc != 6 || std::string(argv[2]) != "search") {
    std::fprintf(stderr,
                 "usage: text_peers xapian|fts5 index DOCS PLACE | search PLACE QUERIES ROUNDS\n");
    return 2;
  }
  std::vector<Question> questions;
  std::ifstream in(argv[4]);
  for (std::string line; std::getline(in, line);) {
    const auto parts = parts_of(line, 3);
    questions.push_back({parts.at(1), words_of(parts.at(2))});
  }
  const auto peer = peer_of(argv[1], argv[3], false);
  for (const char* kind : {"or", "and", "or_filter", "and_filter"})
    ask(*peer, questions, kind, static_cast<std::size_t>(std::atoi(argv[5])));
  return 0;
}
