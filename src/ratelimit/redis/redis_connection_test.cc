// SPDX-License-Identifier: Apache-2.0
// URLs, replies of every kind, and calls that end in time.
#include "ratelimit/redis/redis_connection.h"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "ratelimit/redis/redis_process.h"

namespace cairn::ratelimit {
namespace {

TEST_CASE("redis url: host, port, database, password") {
  const auto plain = parse_redis_url("redis://cache.example");
  REQUIRE(plain.ok());
  CHECK(plain->host == "cache.example");
  CHECK(plain->port == 6379);
  CHECK(plain->database == 0);
  const auto full = parse_redis_url("redis://us%65r:p%40ss@[2001:db8::1]:7000/12");
  REQUIRE(full.ok());
  CHECK(full->host == "2001:db8::1");
  CHECK(full->port == 7000);
  CHECK(full->database == 12);
  CHECK(full->user == "user");
  CHECK(full->password == "p@ss");
  CHECK(parse_redis_url("redis://:secret@h")->user.empty());
  CHECK(parse_redis_url("redis://[::1]")->host == "::1");
  CHECK_FALSE(plain->tls);
  CHECK(parse_redis_url("rediss://h:6380")->tls);
  for (const char* bad : {"", "h:1", "redi://h", "redis://", "redis://h:0", "redis://h:99999",
                          "redis://h:x", "redis://h/x", "redis://user@h", "redis://:@h"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_redis_url(bad).ok());
  }
  CHECK(parse_redis_url("redis://:hunter2@h:x").error().message.find("hunter2") ==
        std::string::npos);
}

TEST_CASE("redis connection: replies of every kind, words of any bytes") {
  const auto redis = RedisProcess::start();
  if (redis == nullptr) {
    MESSAGE("skipped: redis-server is not installed");
    return;
  }
  const std::string bytes("a\0\r\n\xff", 5);
  CHECK(redis->command({"SET", bytes, bytes}).text == "OK");
  CHECK(redis->command({"GET", bytes}).text == bytes);
  CHECK(redis->command({"GET", "none"}).type == RedisReply::Type::nil);
  CHECK(redis->command({"INCRBY", "n", "41"}).integer == 41);
  CHECK(redis->command({"HSET", "n", "x"}).is_error("ERR"));
  const RedisReply list = redis->command({"EVAL", "return {1, 'two', {3, false}}", "0"});
  REQUIRE(list.elements.size() == 3);
  CHECK(list.elements[0].integer == 1);
  CHECK(list.elements[1].text == "two");
  CHECK(list.elements[2].elements[1].type == RedisReply::Type::nil);
  const std::string large(1'000'000, 'x');
  CHECK(redis->command({"ECHO", large}).text == large);
  RedisAddress second = redis->address();
  second.database = 1;
  auto other = RedisConnection::open(second, 5'000);
  REQUIRE(other.ok());
  const std::array<std::string_view, 2> get = {"GET", "n"};
  CHECK((*other)->call(get, 5'000)->type == RedisReply::Type::nil);
}

TEST_CASE("redis connection: a password is asked for, given, and refused") {
  const auto redis = RedisProcess::start();
  if (redis == nullptr) return;
  CHECK(redis->command({"CONFIG", "SET", "requirepass", "hunter2"}).text == "OK");
  RedisAddress address = redis->address();
  const std::array<std::string_view, 1> ping = {"PING"};
  auto without = RedisConnection::open(address, 5'000);
  REQUIRE(without.ok());
  CHECK((*without)->call(ping, 5'000)->is_error("NOAUTH"));
  address.password = "hunter2";
  auto with = RedisConnection::open(address, 5'000);
  REQUIRE(with.ok());
  CHECK((*with)->call(ping, 5'000)->text == "PONG");
  address.password = "wrong";
  const auto refused = RedisConnection::open(address, 5'000);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == ErrorKind::unavailable);
}

TEST_CASE("redis connection: a user of an access list") {
  const auto redis = RedisProcess::start();
  if (redis == nullptr) return;
  CHECK(
      redis->command({"ACL", "SETUSER", "limits", "on", ">h:u@sh", "~rl:*", "+get", "+set"}).text ==
      "OK");
  RedisAddress address = *parse_redis_url("redis://limits:h%3Au%40sh@127.0.0.1:" +
                                          std::to_string(redis->address().port));
  const std::array<std::string_view, 2> own = {"GET", "rl:x"}, other = {"GET", "x"};
  auto connection = RedisConnection::open(address, 5'000);
  REQUIRE(connection.ok());
  CHECK((*connection)->call(own, 5'000)->type == RedisReply::Type::nil);
  CHECK((*connection)->call(other, 5'000)->is_error("NOPERM"));
  address.user = "nobody";
  CHECK_FALSE(RedisConnection::open(address, 5'000).ok());
  address.tls = true;  // and nobody here speaks it
  const auto refused = RedisConnection::open(address, 5'000);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.find("there is no TLS here") != std::string::npos);
}

TEST_CASE("redis sentinel: none, a server that is none, and one that is silent") {
  const auto redis = RedisProcess::start();
  if (redis == nullptr) return;
  RedisWays ways;
  CHECK_FALSE(find_master("limits", ways, 1'000).ok());
  ways.sentinels = {redis->address()};
  const auto unknown = find_master("limits", ways, 5'000);  // a server that is no Sentinel
  REQUIRE_FALSE(unknown.ok());
  CHECK(unknown.error().kind == ErrorKind::unavailable);
  CHECK(unknown.error().message.find("[limits]") != std::string::npos);
  RedisConnections connections({.host = "limits"}, ways);
  const std::array<std::string_view, 1> ping = {"PING"};
  CHECK_FALSE(connections.call(ping, 1'000).ok());
  redis->pause();
  const auto silent = find_master("limits", ways, 50);
  redis->resume();
  REQUIRE_FALSE(silent.ok());
  CHECK(silent.error().kind == ErrorKind::unavailable);
}

TEST_CASE("redis connections: nobody there, nobody answers, gone meanwhile") {
  const auto redis = RedisProcess::start();
  if (redis == nullptr) return;
  RedisConnections connections(redis->address());
  const std::array<std::string_view, 1> ping = {"PING"};
  CHECK(connections.call(ping, 5'000)->text == "PONG");
  redis->pause();
  const auto slow = connections.call(ping, 20);
  REQUIRE_FALSE(slow.ok());
  CHECK(slow.error().kind == ErrorKind::timeout);
  redis->resume();
  CHECK(connections.call(ping, 5'000)->text == "PONG");  // not the reply of the one before
  redis->kill();
  for (int i = 0; i < 3; ++i) {
    const auto gone = connections.call(ping, 5'000);
    REQUIRE_FALSE(gone.ok());
    CHECK(gone.error().kind == ErrorKind::unavailable);
  }
  REQUIRE(redis->restart());
  CHECK(connections.call(ping, 5'000)->text == "PONG");
}

}  // namespace
}  // namespace cairn::ratelimit
