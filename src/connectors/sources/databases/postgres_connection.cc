// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/databases/postgres_connection.h"

#include <libpq-fe.h>
#include <poll.h>

#include "base/strings.h"
#include "net/address.h"
#include "os/threads/blocking.h"

namespace cairn::connectors {
namespace {

constexpr int poll_ms = 50;  // between two looks at the deadline
constexpr int polls_a_beat = 20;
constexpr std::int64_t connect_ms_max = 30'000;
constexpr const char* system_authorities = "/etc/ssl/certs/ca-certificates.crt";
// ISO dates in UTC, bytes in hexadecimal digits, and nothing that changes a row.
constexpr const char* session_options =
    "-c DateStyle=ISO -c TimeZone=UTC -c bytea_output=hex -c extra_float_digits=1 "
    "-c default_transaction_read_only=on -c idle_in_transaction_session_timeout=0";

class LibpqRows final : public PostgresRows {
 public:
  explicit LibpqRows(PGresult* result) : result_(result) {}
  ~LibpqRows() override { ::PQclear(result_); }
  LibpqRows(const LibpqRows&) = delete;
  LibpqRows& operator=(const LibpqRows&) = delete;

  std::size_t rows() const override { return static_cast<std::size_t>(::PQntuples(result_)); }
  std::size_t columns() const override { return static_cast<std::size_t>(::PQnfields(result_)); }
  std::string name(std::size_t column) const override {
    return ::PQfname(result_, static_cast<int>(column));
  }
  std::uint32_t type(std::size_t column) const override {
    return ::PQftype(result_, static_cast<int>(column));
  }
  std::optional<std::string_view> value(std::size_t row, std::size_t column) const override {
    const int r = static_cast<int>(row), c = static_cast<int>(column);
    if (::PQgetisnull(result_, r, c) != 0) return std::nullopt;
    return std::string_view(::PQgetvalue(result_, r, c),
                            static_cast<std::size_t>(::PQgetlength(result_, r, c)));
  }

 private:
  PGresult* const result_;
};

class LibpqConnection final : public PostgresConnection {
 public:
  explicit LibpqConnection(PGconn* connection) : connection_(connection) {}
  ~LibpqConnection() override { ::PQfinish(connection_); }
  LibpqConnection(const LibpqConnection&) = delete;
  LibpqConnection& operator=(const LibpqConnection&) = delete;

  Status connect(const os::Deadline& deadline) {
    if (connection_ == nullptr || ::PQstatus(connection_) == CONNECTION_BAD) return refusal();
    for (PostgresPollingStatusType step = PGRES_POLLING_WRITING; step != PGRES_POLLING_OK;) {
      if (step == PGRES_POLLING_FAILED) return refusal();
      CAIRN_CHECK(wait(step == PGRES_POLLING_READING ? POLLIN : POLLOUT, deadline, "connecting"));
      step = ::PQconnectPoll(connection_);
    }
    return ok_status();
  }

  Result<std::unique_ptr<PostgresRows>> run(const std::string& statement,
                                            const std::vector<std::string>& values,
                                            const os::Deadline& deadline) override {
    std::vector<const char*> texts;
    for (const auto& value : values) texts.push_back(value.c_str());
    if (::PQsendQueryParams(connection_, statement.c_str(), static_cast<int>(texts.size()), nullptr,
                            texts.data(), nullptr, nullptr, 0) == 0)
      return refusal();
    while (::PQisBusy(connection_) != 0) {
      CAIRN_CHECK(wait(POLLIN, deadline, "waiting for the server"));
      if (::PQconsumeInput(connection_) == 0) return refusal();
    }
    std::unique_ptr<PostgresRows> rows;
    std::optional<Error> fault;
    while (PGresult* const result = ::PQgetResult(connection_)) {
      const ExecStatusType status = ::PQresultStatus(result);
      auto taken = std::make_unique<LibpqRows>(result);
      if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
        fault = Error{
            .kind = ErrorKind::invalid_argument,
            .message = "the server says: " + std::string(trim(::PQresultErrorMessage(result)))};
      rows = std::move(taken);
    }
    if (::PQstatus(connection_) == CONNECTION_BAD) return refusal();
    if (fault) return *std::move(fault);
    if (!rows) return Error{.kind = ErrorKind::unavailable, .message = "the server said nothing"};
    return rows;
  }

  std::string server_version() const override {
    const char* const text = ::PQparameterStatus(connection_, "server_version");
    return text == nullptr ? "" : text;
  }

 private:
  Error refusal() const {
    return {.kind = ErrorKind::unavailable,
            .message = connection_ == nullptr ? std::string("there is no memory")
                                              : std::string(trim(::PQerrorMessage(connection_)))};
  }

  Status wait(short events, const os::Deadline& deadline, std::string_view doing) const {
    for (int waited = 1;; ++waited) {
      CAIRN_CHECK(deadline.check(doing));
      if (waited % polls_a_beat == 0) CAIRN_CHECK(beat());
      const os::Blocking blocking;
      pollfd ready{.fd = ::PQsocket(connection_), .events = events, .revents = 0};
      if (::poll(&ready, 1, poll_ms) > 0) return ok_status();
    }
  }

  PGconn* const connection_;
};

}  // namespace

Result<std::unique_ptr<PostgresConnection>> PostgresConnection::open(const DatabasePlace& place,
                                                                     const Outreach& outreach,
                                                                     const os::Deadline& deadline) {
  const os::Deadline until = deadline.sooner_ms(connect_ms_max);
  CAIRN_TRY(const auto addresses, net::resolve(place.host, place.port, until));
  std::string hosts, numbers;
  for (const auto& address : addresses) {
    CAIRN_CHECK(outreach.rules().check(place.host, address));
    hosts += (hosts.empty() ? "" : ",") + place.host;
    numbers += (numbers.empty() ? "" : ",") + address.host();
  }
  // `hostaddr` is connected to; `host` is whom a certificate has to name.
  const std::string port = std::to_string(place.port);
  const bool verifies = place.sslmode.starts_with("verify");
  const char* const names[] = {"host",
                               "hostaddr",
                               "port",
                               "dbname",
                               "user",
                               "password",
                               "sslmode",
                               "application_name",
                               "options",
                               "client_encoding",
                               "passfile",
                               "gssencmode",
                               "sslrootcert",
                               "keepalives_idle",
                               "keepalives_interval",
                               "keepalives_count",
                               nullptr};
  const char* const values[] = {hosts.c_str(),
                                numbers.c_str(),
                                port.c_str(),
                                place.database.c_str(),
                                place.user.c_str(),
                                place.password.c_str(),
                                place.sslmode.c_str(),
                                "cairn",
                                session_options,
                                "UTF8",
                                "/dev/null",
                                "disable",
                                verifies ? system_authorities : "",
                                "30",
                                "10",
                                "3",
                                nullptr};
  auto connection = std::make_unique<LibpqConnection>(::PQconnectStartParams(names, values, 0));
  auto connected = connection->connect(until);
  if (!connected.ok()) return with_context(std::move(connected).error(), place.host + ":" + port);
  return std::unique_ptr<PostgresConnection>(std::move(connection));
}

std::string quoted_name(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace cairn::connectors
