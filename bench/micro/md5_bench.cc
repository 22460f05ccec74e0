// SPDX-License-Identifier: Apache-2.0
// MD5 of several bodies side by side, beside OpenSSL's one after another, in one run:
//   md5_bench [ROUNDS]
// Prints core seconds for a GiB of all bodies together: medians of ROUNDS (9) short rounds in
// turns.
#include <openssl/evp.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "objectstore/hash/md5.h"
#include "os/random.h"

namespace {

using namespace cairn;
using namespace cairn::objectstore;

constexpr std::size_t body_bytes = 384 << 10;  // what an upload gives to be hashed at a time
constexpr int bodies_a_turn = 16;

using Bodies = std::vector<std::string>;

double seconds_for_gib(std::size_t bytes, auto&& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return took.count() * static_cast<double>(1 << 30) / static_cast<double>(bytes);
}

double openssl_turn(const Bodies& bodies) {
  return seconds_for_gib(bodies_a_turn * body_bytes, [&] {
    unsigned char digest[EVP_MAX_MD_SIZE];
    for (int i = 0; i < bodies_a_turn; ++i) {
      const std::string& body = bodies[i % bodies.size()];
      EVP_Digest(body.data(), body.size(), digest, nullptr, EVP_md5(), nullptr);
    }
  });
}

double lanes_turn(const Md5Blocks& version, const Bodies& bodies, std::size_t count) {
  const std::size_t turns = std::max<std::size_t>(bodies_a_turn / count, 1);
  return seconds_for_gib(turns * count * body_bytes, [&] {
    for (std::size_t turn = 0; turn < turns; ++turn) {
      std::vector<Md5> digests(count);
      std::vector<Md5Lane> lanes;
      for (std::size_t i = 0; i < count; ++i)
        lanes.push_back({&digests[i].state(), digests[i].blocks_of(bodies[i]).data()});
      version.take(lanes, body_bytes / md5_block_bytes);
      for (Md5& digest : digests) digest.finish();
    }
  });
}

double median(std::vector<double>& figures) {
  std::sort(figures.begin(), figures.end());
  return figures[figures.size() / 2];
}

struct Row {
  const Md5Blocks* version;
  std::size_t lanes;
  std::vector<double> figures = {};
};

}  // namespace

int main(int argc, char** argv) {
  const int rounds = std::max(argc > 1 ? std::atoi(argv[1]) : 9, 1);
  Bodies bodies;
  for (std::size_t i = 0; i < md5_lanes_max; ++i)
    bodies.push_back(os::system_random().bytes(body_bytes));
  std::vector<Row> rows;
  for (const Md5Blocks& version : usable_md5_blocks())
    for (std::size_t lanes = 1; lanes <= version.lanes_max; ++lanes)
      rows.push_back({&version, lanes});

  std::vector<double> openssl;
  for (int round = 0; round < rounds; ++round) {
    openssl.push_back(openssl_turn(bodies));
    for (Row& row : rows) row.figures.push_back(lanes_turn(*row.version, bodies, row.lanes));
  }

  const double peer = median(openssl);
  std::printf("%-8s %6s %8s %14s\n", "version", "bodies", "s/GiB", "beside OpenSSL");
  std::printf("%-8s %6d %8.2f\n", "OpenSSL", 1, peer);
  for (Row& row : rows) {
    const double own = median(row.figures);
    std::printf("%-8s %6zu %8.2f %13.2fx\n", row.version->name.data(), row.lanes, own, peer / own);
  }
}
