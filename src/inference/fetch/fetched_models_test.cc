// SPDX-License-Identifier: Apache-2.0
// Models that come from elsewhere: found, resumed, verified, retried.
#include "inference/fetch/fetched_models.h"

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>

#include "base/encode.h"
#include "base/hash.h"
#include "inference/gguf/tiny_gguf.h"
#include "inference/tiny_model.h"
#include "net/server/server.h"
#include "os/fake/fake_files.h"
#include "store/memory_store.h"

namespace cairn::inference::fetched_models_test {
namespace {

const os::Deadline never = os::Deadline::never();

/// Files in memory that can be lost, changed, or end early.
class Place final : public FileSource {
 public:
  explicit Place(std::string name) : name_(std::move(name)) {}
  const std::string& name() const override { return name_; }
  Result<std::string> read(const std::string& path, std::size_t, const os::Deadline&) override {
    ++asked;
    CAIRN_TRY(const std::string* bytes, find(path));
    return *bytes;
  }
  Result<std::uint64_t> size(const std::string& path, const os::Deadline&) override {
    CAIRN_TRY(const std::string* bytes, find(path));
    return bytes->size();
  }
  Status stream(const std::string& path, std::uint64_t offset, const TakeBytes& take,
                const os::Deadline&) override {
    CAIRN_TRY(const std::string* bytes, find(path));
    for (std::uint64_t at = offset; at < bytes->size(); at += step) {
      if (cut_after == 0) {
        if (cut_for_good) down = true;
        cut_after = UINT64_MAX;
        return Error{.kind = ErrorKind::unavailable, .message = "connection reset"};
      }
      std::string part = bytes->substr(at, step);
      if (damage > 0 && path.ends_with(".safetensors") && at == 0) {
        part[0] = static_cast<char>(part[0] ^ 1);
        --damage;
      }
      cut_after -= std::min<std::uint64_t>(cut_after, part.size());
      streamed += part.size();
      CAIRN_CHECK(take(part));
    }
    return ok_status();
  }
  /// A model of these files, with the list of their sums.
  void add(const std::string& id, const TinyFiles& model) {
    std::string sums;
    for (const auto& [name, bytes] : model) {
      files[id + "/" + name] = bytes;
      sums += to_hex(sha256(bytes)) + "  " + name + "\n";
    }
    files[id + "/SHA256SUMS"] = sums;
  }

  std::map<std::string, std::string> files;
  std::atomic<bool> down = false;
  std::atomic<int> asked = 0;
  std::uint64_t step = 1 << 20;
  std::uint64_t cut_after = UINT64_MAX;
  bool cut_for_good = false;
  int damage = 0;
  std::uint64_t streamed = 0;

 private:
  Result<const std::string*> find(const std::string& path) {
    if (down) return Error{.kind = ErrorKind::unavailable, .message = "no route to host"};
    const auto found = files.find(path);
    if (found != files.end()) return &found->second;
    return Error{.kind = ErrorKind::not_found, .message = path};
  }
  const std::string name_;
};

/// Fetches a model that nobody else fetches.
Status fetch_from(FetchedModels& models, const FetchProgress& progress,
                  const os::Deadline& deadline = never) {
  std::optional<Status> result;
  models.fetch("m", {.progress = progress,
                     .done = [&](const Status& status) { result = status; },
                     .deadline = deadline});
  REQUIRE(result);
  return *result;
}

struct FetchBench {
  FetchBench() {
    auto first = std::make_unique<Place>("/first");
    auto second = std::make_unique<Place>("/second");
    a = first.get();
    b = second.get();
    std::vector<std::unique_ptr<FileSource>> places;
    places.push_back(std::move(first));
    places.push_back(std::move(second));
    models =
        std::make_unique<FetchedModels>(*store, stored, std::move(places),
                                        FetchOptions{.first_retry_ms = 1, .longest_retry_ms = 2});
  }
  Status fetch(const os::Deadline& deadline = never) {
    return fetch_from(
        *models, [this](const FetchStep& step) { steps.push_back(step); }, deadline);
  }
  static TinyFiles large() {
    TinyFiles files = tiny_files();
    files["README.md"] = std::string(Intake::piece_bytes * 2 + 10, 'r');
    return files;
  }

  std::unique_ptr<store::Store> store = store::memory_store();
  StoredModels stored{*store};
  Place* a = nullptr;
  Place* b = nullptr;
  std::unique_ptr<FetchedModels> models;
  std::vector<FetchStep> steps;
};

TEST_CASE("fetched models: the first place that has a model gives it") {
  FetchBench bench;
  bench.b->add("m", tiny_files());
  const auto info = bench.models->discover("m", never);
  REQUIRE(info.ok());
  CHECK(info->model_type == "cairn-static");
  CHECK(info->supports(TaskType::rerank));
  CHECK_FALSE(*bench.models->holds("m", never));
  REQUIRE(bench.fetch().ok());
  CHECK(*bench.models->holds("m", never));
  const auto loaded = bench.models->load(
      "m", [](std::uint64_t, std::uint64_t) {}, never);
  REQUIRE(loaded.ok());
  CHECK((*loaded)->supports(TaskType::text_embedding));
  CHECK(bench.steps.back().verifying);
  CHECK(bench.steps.back().done_bytes == bench.steps.back().total_bytes);
  CHECK(bench.steps.back().source == "/second");
  const int asked = bench.a->asked;
  CHECK(bench.fetch().ok());  // it is here
  CHECK(bench.a->asked == asked);
}

TEST_CASE("fetched models: the head of a GGUF file tells what the model is") {
  FetchBench bench;
  bench.a->add("m", {{"w.gguf", tiny_gguf_decoder("llama", [](TinyGguf&) {}).file()}});
  const auto info = bench.models->discover("m", never);
  REQUIRE(info.ok());
  CHECK(info->model_type == "llama");
  CHECK(info->dimensions == gguf_hidden);
  REQUIRE(bench.fetch().ok());
  CHECK(*bench.models->holds("m", never));
  CHECK(bench.models
            ->load(
                "m", [](std::uint64_t, std::uint64_t) {}, never)
            .ok());
  bench.a->add("n", {{"w.gguf", tiny_gguf_decoder("bert", [](TinyGguf&) {}).file()}});
  const auto refused = bench.models->discover("n", never);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == ErrorKind::invalid_argument);
  CHECK(refused.error().message.find("[general.architecture] is [bert]") != std::string::npos);
}

TEST_CASE("fetched models: no place has it, or one cannot tell") {
  FetchBench bench;
  CHECK(bench.models->discover("m", never).error().kind == ErrorKind::not_found);
  CHECK(bench.fetch().error().kind == ErrorKind::not_found);
  bench.a->down = true;
  const auto unknown = bench.models->discover("m", never);
  CHECK(unknown.error().kind == ErrorKind::unavailable);
  CHECK(unknown.error().message == "source [/first] cannot be reached: no route to host");
  bench.b->add("m", tiny_files());
  CHECK(bench.models->discover("m", never).ok());
  CHECK(bench.models->discover("Upper", never).error().kind == ErrorKind::not_found);
}

TEST_CASE("fetched models: a break is waited for, told, and what was received counts") {
  FetchBench bench;
  bench.a->add("m", FetchBench::large());
  bench.a->cut_after = Intake::piece_bytes + 100;
  REQUIRE(bench.fetch().ok());
  const auto told = std::find_if(bench.steps.begin(), bench.steps.end(),
                                 [](const FetchStep& step) { return !step.note.empty(); });
  REQUIRE(told != bench.steps.end());
  CHECK(told->note == "source [/first]: connection reset; trying again in 1ms");
  const auto again = std::find_if(told, bench.steps.end(),
                                  [](const FetchStep& step) { return step.note.empty(); });
  REQUIRE(again != bench.steps.end());
  CHECK(again->done_bytes >= Intake::piece_bytes);
}

TEST_CASE("fetched models: another process goes on where a killed one was") {
  FetchBench bench;
  bench.a->add("m", FetchBench::large());
  bench.a->cut_after = Intake::piece_bytes + 100;
  bench.a->cut_for_good = true;
  std::stop_source stop;
  const Status cut = fetch_from(
      *bench.models,
      [&](const FetchStep& step) {
        if (!step.note.empty()) stop.request_stop();
      },
      os::Deadline::never(stop.get_token()));
  CHECK(cut.error().kind == ErrorKind::cancelled);
  const std::uint64_t before = bench.a->streamed;
  bench.a->down = false;
  std::vector<std::unique_ptr<FileSource>> places;
  auto place = std::make_unique<Place>("/first");
  Place* const next = place.get();
  next->add("m", FetchBench::large());
  places.push_back(std::move(place));
  FetchedModels second(*bench.store, bench.stored, std::move(places));
  REQUIRE(fetch_from(second, [](const FetchStep&) {}).ok());
  std::uint64_t all = 0;
  for (const auto& [name, bytes] : FetchBench::large()) all += bytes.size();
  CHECK(next->streamed < all);
  CHECK(next->streamed >= all - before);
}

TEST_CASE("fetched models: damage on the way is fetched again, twice is refused") {
  FetchBench bench;
  bench.a->add("m", tiny_files());
  bench.a->damage = 1;
  REQUIRE(bench.fetch().ok());
  CHECK(bench.models
            ->load(
                "m", [](std::uint64_t, std::uint64_t) {}, never)
            .ok());
  FetchBench twice;
  twice.a->add("m", tiny_files());
  twice.a->damage = 2;
  CHECK(twice.fetch().error().kind == ErrorKind::invalid_argument);
  CHECK_FALSE(*twice.models->holds("m", never));
}

TEST_CASE("fetched models: a list that names another digest is refused after a second try") {
  FetchBench bench;
  TinyFiles files = tiny_files();
  files["README.md"] = "one";
  bench.a->add("m", files);
  bench.a->files["m/README.md"] = "two";
  const Status refused = bench.fetch();
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == ErrorKind::invalid_argument);
  CHECK(refused.error().message.find("README.md") != std::string::npos);
  CHECK_FALSE(*bench.models->holds("m", never));
}

TEST_CASE("fetched models: all who want a model share one download, and wait on no thread") {
  FetchBench bench;
  bench.a->add("m", FetchBench::large());
  int done = 0;
  std::vector<std::uint64_t> seen(4);
  const auto watch = [&](std::size_t who, FetchProgress more) {
    bench.models->fetch("m", {.progress =
                                  [&seen, who, more](const FetchStep& step) {
                                    seen[who] = step.done_bytes;
                                    more(step);
                                  },
                              .done = [&](const Status& status) { done += status.ok() ? 1 : 0; }});
  };
  bool others_came = false;
  watch(0, [&](const FetchStep& step) {
    if (step.done_bytes == 0 || others_came) return;
    others_came = true;
    for (std::size_t who = 1; who < seen.size(); ++who) watch(who, [](const FetchStep&) {});
    CHECK(done == 0);
  });
  CHECK(done == 4);
  CHECK(std::count(seen.begin(), seen.end(), seen[0]) == 4);
  std::uint64_t all = 0;
  for (const auto& [name, bytes] : FetchBench::large()) all += bytes.size();
  CHECK(seen[0] == all);
  CHECK(bench.a->streamed == all);
}

TEST_CASE("fetched models: who gives up leaves the download to those who still want it") {
  FetchBench bench;
  bench.a->add("m", FetchBench::large());
  std::stop_source first, second;
  std::vector<Status> results;
  const auto watch = [&](FetchProgress progress, const os::Deadline& deadline) {
    bench.models->fetch("m", {.progress = std::move(progress),
                              .done = [&](const Status& status) { results.push_back(status); },
                              .deadline = deadline});
  };
  bool others_came = false;
  const auto quietly = [](const FetchStep&) {};
  watch(
      [&](const FetchStep& step) {
        if (step.done_bytes == 0 || others_came) return;
        others_came = true;
        watch(quietly, os::Deadline::never(second.get_token()));
        watch(quietly, never);
        watch(quietly, never);
        first.request_stop();
        second.request_stop();
      },
      os::Deadline::never(first.get_token()));
  REQUIRE(results.size() == 4);
  CHECK(results[0].error().kind == ErrorKind::cancelled);
  CHECK(results[1].error().kind == ErrorKind::cancelled);
  CHECK(results[2].ok());
  CHECK(results[3].ok());
  CHECK(*bench.models->holds("m", never));
}

TEST_CASE("folder source: files of a folder, and a folder that is not there") {
  os::FakeFiles files;
  REQUIRE(files.make_directories("/models/m").ok());
  REQUIRE(os::replace_file(files, "/models/m/config.json", "{}").ok());
  const auto place = folder_source(files, "/models");
  CHECK(*place->read("m/config.json", 10, never) == "{}");
  CHECK(*place->size("m/config.json", never) == 2);
  CHECK(place->read("n/config.json", 10, never).error().kind == ErrorKind::not_found);
  std::string got;
  REQUIRE(place
              ->stream(
                  "m/config.json", 1,
                  [&](std::string_view bytes) {
                    got += bytes;
                    return ok_status();
                  },
                  never)
              .ok());
  CHECK(got == "}");
  const auto lost = folder_source(files, "/elsewhere");
  CHECK(lost->read("m/config.json", 10, never).error().kind == ErrorKind::unavailable);
}

/// A server of one text that answers as a test says.
struct WebPlace {
  WebPlace() {
    net::ServerOptions options;
    options.listen = "127.0.0.1:0";
    auto opened =
        net::Server::open(options, [this](net::Exchange& exchange) { answer(exchange); }, {});
    REQUIRE(opened.ok());
    server = std::move(opened).value();
  }
  void answer(net::Exchange& exchange) {
    net::Headers headers;
    const std::string path(exchange.head.path());
    if (exchange.head.headers.has("Authorization")) saw_credentials = true;
    if (path == "/base/m/moved") {
      headers.set("Location", "http://127.0.0.1:1/elsewhere");
      (void)exchange.reply.reply(302, headers, "");
      return;
    }
    if (path != "/base/m/file") {
      (void)exchange.reply.reply(404, headers, "");
      return;
    }
    const auto range = exchange.head.headers.find("Range");
    if (range && ranges) {
      const std::size_t from = static_cast<std::size_t>(std::stoul(std::string(range->substr(6))));
      headers.set("Content-Range", "bytes " + std::to_string(from) + "-" +
                                       std::to_string(text.size() - 1) + "/" +
                                       std::to_string(text.size()));
      (void)exchange.reply.reply(206, headers, std::string_view(text).substr(from));
      return;
    }
    (void)exchange.reply.reply(200, headers, text);
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(server->port()) + "/base"; }

  const std::string text = "0123456789";
  std::atomic<bool> ranges = true;
  std::atomic<bool> saw_credentials = false;
  std::unique_ptr<net::Server> server;
};

TEST_CASE("http source: whole files, ranges, servers without ranges, redirects") {
  WebPlace web;
  auto source = http_source(web.url());
  REQUIRE(source.ok());
  FileSource& place = **source;
  CHECK(*place.read("m/file", 100, never) == "0123456789");
  CHECK(place.read("m/file", 5, never).error().kind == ErrorKind::too_large);
  CHECK(*place.size("m/file", never) == 10);
  CHECK(place.read("m/none", 100, never).error().kind == ErrorKind::not_found);
  CHECK(place.size("m/none", never).error().kind == ErrorKind::not_found);
  for (const bool ranges : {true, false}) {
    web.ranges = ranges;
    std::string got;
    REQUIRE(place
                .stream(
                    "m/file", 4,
                    [&](std::string_view bytes) {
                      got += bytes;
                      return ok_status();
                    },
                    never)
                .ok());
    CHECK(got == "456789");
  }
  const auto moved = place.read("m/moved", 100, never);
  CHECK(moved.error().kind == ErrorKind::unavailable);
  CHECK(moved.error().message ==
        "the answer for [m/moved] is 302, a redirect to [http://127.0.0.1:1/elsewhere]; redirects "
        "are not followed: name the address that has the files");
  CHECK_FALSE(web.saw_credentials);
  CHECK_FALSE(http_source("ftp://host/").ok());
  CHECK_FALSE(http_source("http://user:secret@host/").ok());
  CHECK_FALSE(http_source("http://host/?a=b").ok());
}

}  // namespace
}  // namespace cairn::inference::fetched_models_test
