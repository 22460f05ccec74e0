// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/databases/mysql_connection.h"

#include <fcntl.h>
#include <mysql.h>
#include <mysql/plugin_auth.h>
#include <mysqld_error.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "base/strings.h"
#include "net/address.h"
#include "os/threads/blocking.h"

namespace cairn::connectors {
namespace {

constexpr int socket_look_ms = 50;  // between two looks at the deadline
constexpr int socket_looks_a_beat = 20;
constexpr std::int64_t connecting_ms_max = 30'000;
constexpr std::size_t packet_bytes_max = std::size_t{64} << 20;  // of one row
constexpr const char* known_authorities = "/etc/ssl/certs/ca-certificates.crt";
constexpr const char* first_plugin = "cairn_first";
constexpr const char* allowed_plugins =
    "cairn_first,mysql_native_password,caching_sha2_password,sha256_password,client_ed25519";
// A day without a word is borne with, since the reader waits for the index: what ends it is the
// deadline.
constexpr const char* session_statements[] = {
    ("SET SESSION time_zone = '+00:00', net_write_timeout = 86400, net_read_timeout = 86400, "
     "wait_timeout = 86400"),
    "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ", "SET SESSION TRANSACTION READ ONLY"};
// The server gave the statement up, or itself: nothing is wrong with the statement.
constexpr std::array<unsigned, 7> passing_faults = {
    ER_CON_COUNT_ERROR,   ER_SERVER_SHUTDOWN,   ER_LOCK_WAIT_TIMEOUT, ER_LOCK_DEADLOCK,
    ER_QUERY_INTERRUPTED, ER_CONNECTION_KILLED, ER_STATEMENT_TIMEOUT};

/// What the library waits for within a call, and for whom. The library has a hook for waits, which
/// is told the socket alone, so this stands in the thread.
struct Waiting {
  const os::Deadline& deadline;
  const std::function<Status()> beat;
  std::string_view doing;
  const std::string& host;  // whom a certificate has to name
  std::optional<Error> fault = {};
};
thread_local Waiting* waiting = nullptr;

/// Held around each call of the library that may wait.
class WaitsFor {
 public:
  explicit WaitsFor(Waiting& wait) : before_(std::exchange(waiting, &wait)) {}
  ~WaitsFor() { waiting = before_; }
  WaitsFor(const WaitsFor&) = delete;
  WaitsFor& operator=(const WaitsFor&) = delete;

 private:
  Waiting* const before_;
};

/// As poll(): below 1 ends the call of the library with an error.
int wait_for_socket(my_socket socket, my_bool reads, int) {
  Waiting* const wait = waiting;
  if (wait == nullptr || wait->fault) return -1;
  for (int looks = 1;; ++looks) {
    auto goes_on = wait->deadline.check(wait->doing);
    if (goes_on.ok() && looks % socket_looks_a_beat == 0 && wait->beat) goes_on = wait->beat();
    if (!goes_on.ok()) {
      wait->fault = std::move(goes_on).error();
      return -1;
    }
    const os::Blocking blocking;
    pollfd ready{
        .fd = socket, .events = static_cast<short>(reads ? POLLIN : POLLOUT), .revents = 0};
    if (::poll(&ready, 1, socket_look_ms) > 0) return 1;
  }
}

/// The library's shape of a plugin, whose header Debian's package cannot include.
struct AuthenticationPlugin {
  MYSQL_CLIENT_PLUGIN_HEADER
  int (*authenticate_user)(MYSQL_PLUGIN_VIO*, MYSQL*);
};

/// Runs once the server has greeted, before TLS begins. The library was given an address, so that
/// it looks up no name: here it learns whom the certificate has to name. Its socket stops blocking,
/// which makes TLS wait in wait_for_socket too. Then the server says which plugin it wants.
int authenticate_first(MYSQL_PLUGIN_VIO* channel, MYSQL* mysql) {
  if (waiting != nullptr) {
    std::free(mysql->host);
    mysql->host = ::strdup(waiting->host.c_str());
  }
  const int socket = mysql_get_socket(mysql);
  ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
  const int yes = 1, idle_s = 30, interval_s = 10, count = 3;
  ::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof(yes));
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof(idle_s));
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof(interval_s));
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
  unsigned char* packet = nullptr;
  channel->read_packet(channel, &packet);
  return CR_ERROR;
}

void prepare_library() {
  static std::once_flag once;
  std::call_once(once, [] {
    constexpr int authentication = 2, interface_version = 0x0100;
    static AuthenticationPlugin plugin = {
        authentication, interface_version, first_plugin, "Cairn", "before TLS", {1, 0, 0},
        "Apache-2.0",   nullptr,           nullptr,      nullptr, nullptr,      authenticate_first};
    ::mysql_library_init(0, nullptr, nullptr);
    MYSQL* const mysql = ::mysql_init(nullptr);
    ::mysql_client_register_plugin(mysql, reinterpret_cast<st_mysql_client_plugin*>(&plugin));
    ::mysql_close(mysql);
  });
}

/// A text as a file that has a path, in memory.
class TextAsFile {
 public:
  explicit TextAsFile(const std::string& text) {
    if (text.empty()) return;
    descriptor_ = ::memfd_create("cairn-authority", MFD_CLOEXEC);
    if (descriptor_ >= 0 &&
        ::write(descriptor_, text.data(), text.size()) == static_cast<ssize_t>(text.size()))
      path_ = "/proc/self/fd/" + std::to_string(descriptor_);
  }
  ~TextAsFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  TextAsFile(const TextAsFile&) = delete;
  TextAsFile& operator=(const TextAsFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  int descriptor_ = -1;
  std::string path_;
};

class LibmariadbConnection;

class LibmariadbRows final : public MysqlRows {
 public:
  LibmariadbRows(LibmariadbConnection& connection, MYSQL_RES* result);
  ~LibmariadbRows() override;
  LibmariadbRows(const LibmariadbRows&) = delete;
  LibmariadbRows& operator=(const LibmariadbRows&) = delete;

  const std::vector<std::string>& names() const override { return names_; }
  const std::vector<MysqlKind>& kinds() const override { return kinds_; }
  Result<bool> next(const os::Deadline& deadline) override;
  std::optional<std::string_view> value(std::size_t column) const override {
    if (row_[column] == nullptr) return std::nullopt;
    return std::string_view(row_[column], lengths_[column]);
  }

 private:
  static MysqlKind kind_of(const MYSQL_FIELD& field);

  LibmariadbConnection& connection_;
  MYSQL_RES* const result_;  // null: of a statement without rows
  std::vector<std::string> names_;
  std::vector<MysqlKind> kinds_;
  MYSQL_ROW row_ = nullptr;
  const unsigned long* lengths_ = nullptr;
  bool ended_ = false;
};

class LibmariadbConnection final : public MysqlConnection {
 public:
  explicit LibmariadbConnection(std::string host)
      : host_(std::move(host)), mysql_(::mysql_init(nullptr)) {}
  ~LibmariadbConnection() override {
    const auto deadline = os::Deadline::in_ms(0);
    (void)within(deadline, "closing", [&] { ::mysql_close(mysql_); });
  }
  LibmariadbConnection(const LibmariadbConnection&) = delete;
  LibmariadbConnection& operator=(const LibmariadbConnection&) = delete;

  Status connect(const DatabasePlace& place, const std::string& address,
                 const std::string& authority, const os::Deadline& deadline) {
    if (mysql_ == nullptr) return Error{.kind = ErrorKind::unavailable, .message = "no memory"};
    set_options();
    const bool encrypts = place.sslmode != "disable", verifies = place.sslmode == "verify-full";
    if (encrypts) {
      const my_bool yes = 1;
      ::mysql_options(mysql_, MYSQL_OPT_SSL_ENFORCE, &yes);
      if (verifies) ::mysql_options(mysql_, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &yes);
    }
    const TextAsFile file(authority);
    if (!authority.empty() && file.path().empty())
      return Error{.kind = ErrorKind::unavailable, .message = "there is no room for [ssl_ca]"};
    if (verifies)
      ::mysql_options(mysql_, MYSQL_OPT_SSL_CA,
                      authority.empty() ? known_authorities : file.path().c_str());
    bool connected = false;
    CAIRN_CHECK(within(deadline, "connecting", [&] {
      connected =
          ::mysql_real_connect(mysql_, address.c_str(), place.user.c_str(), place.password.c_str(),
                               place.database.c_str(), place.port, nullptr, 0) != nullptr;
    }));
    if (!connected) return refusal();
    if (encrypts && ::mysql_get_ssl_cipher(mysql_) == nullptr)
      return Error{.kind = ErrorKind::unavailable, .message = "the server has no TLS"};
    for (const char* const statement : session_statements) CAIRN_CHECK(run(statement, deadline));
    // Each of the two has its own name for the longest time of a statement; old ones have none.
    const bool is_mariadb = server_version().find("MariaDB") != std::string::npos;
    const auto unbounded = run(
        is_mariadb ? "SET SESSION max_statement_time = 0" : "SET SESSION max_execution_time = 0",
        deadline);
    if (broken_) return unbounded.error();
    return ok_status();
  }

  Result<std::unique_ptr<MysqlRows>> run(const std::string& statement,
                                         const os::Deadline& deadline) override {
    MYSQL_RES* result = nullptr;
    int failed = 0;
    CAIRN_CHECK(within(deadline, "waiting for the server", [&] {
      failed = ::mysql_real_query(mysql_, statement.data(), statement.size());
      if (failed == 0) result = ::mysql_use_result(mysql_);
    }));
    if (failed != 0 || (result == nullptr && ::mysql_field_count(mysql_) != 0)) return refusal();
    return std::unique_ptr<MysqlRows>(std::make_unique<LibmariadbRows>(*this, result));
  }

  std::string server_version() const override {
    const char* const text = ::mysql_get_server_info(mysql_);
    return text == nullptr ? "" : text;
  }

  Error refusal() const {
    const unsigned code = ::mysql_errno(mysql_);
    const std::string text(trim(::mysql_error(mysql_)));
    // Codes of the library itself lie there; what a server says while it greets has no state yet.
    const bool is_library = code >= 2000 && code < 3000;
    const bool passes =
        std::find(passing_faults.begin(), passing_faults.end(), code) != passing_faults.end();
    if (is_library || passes || !is_open_) return {.kind = ErrorKind::unavailable, .message = text};
    return {.kind = ErrorKind::invalid_argument, .message = "the server says: " + text};
  }

  /// A call of the library. Errors: timeout, cancelled, after which the connection is of no use.
  template <class Call>
  Status within(const os::Deadline& deadline, std::string_view doing, Call call) {
    if (broken_ && doing != "closing")
      return Error{.kind = ErrorKind::unavailable, .message = "the connection has ended"};
    Waiting wait{
        .deadline = deadline, .beat = [this] { return beat(); }, .doing = doing, .host = host_};
    const WaitsFor held(wait);
    call();
    if (!wait.fault) return ok_status();
    broken_ = true;
    return *std::move(wait.fault);
  }

  /// Nothing more is read: the library reads what is left of a result before it lets go of it.
  void cut() {
    broken_ = true;
    const my_socket socket = mysql_get_socket(mysql_);
    if (socket >= 0) ::shutdown(socket, SHUT_RDWR);
  }
  void set_open() { is_open_ = true; }
  MYSQL* handle() { return mysql_; }

 private:
  void set_options() {
    const unsigned off = 0, tcp = MYSQL_PROTOCOL_TCP, day_s = 86'400;
    const unsigned connecting_s = connecting_ms_max / 1000;
    ::mysql_options(mysql_, MYSQL_OPT_PROTOCOL, &tcp);
    // A server may ask for any file of this machine otherwise.
    ::mysql_options(mysql_, MYSQL_OPT_LOCAL_INFILE, &off);
    ::mysql_options(mysql_, MYSQL_OPT_CONNECT_TIMEOUT, &connecting_s);
    ::mysql_options(mysql_, MYSQL_OPT_READ_TIMEOUT, &day_s);
    ::mysql_options(mysql_, MYSQL_OPT_WRITE_TIMEOUT, &day_s);
    ::mysql_options(mysql_, MYSQL_OPT_MAX_ALLOWED_PACKET, &packet_bytes_max);
    ::mysql_options(mysql_, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    ::mysql_options(mysql_, MYSQL_DEFAULT_AUTH, first_plugin);
    // None that sends the password as it is, whatever the server asks for.
    ::mysql_optionsv(mysql_, MARIADB_OPT_RESTRICTED_AUTH, allowed_plugins);
    ::mysql_optionsv(mysql_, MARIADB_OPT_IO_WAIT, reinterpret_cast<void*>(wait_for_socket));
  }

  const std::string host_;
  MYSQL* const mysql_;
  bool broken_ = false;
  bool is_open_ = false;
};

LibmariadbRows::LibmariadbRows(LibmariadbConnection& connection, MYSQL_RES* result)
    : connection_(connection), result_(result), ended_(result == nullptr) {
  if (result == nullptr) return;
  const unsigned count = ::mysql_num_fields(result);
  const MYSQL_FIELD* const fields = ::mysql_fetch_fields(result);
  for (unsigned i = 0; i < count; ++i) {
    names_.emplace_back(fields[i].name, fields[i].name_length);
    kinds_.push_back(kind_of(fields[i]));
  }
}

LibmariadbRows::~LibmariadbRows() {
  if (result_ == nullptr) return;
  if (!ended_) connection_.cut();
  const auto deadline = os::Deadline::in_ms(0);
  (void)connection_.within(deadline, "closing", [&] { ::mysql_free_result(result_); });
}

MysqlKind LibmariadbRows::kind_of(const MYSQL_FIELD& field) {
  constexpr unsigned binary_charset = 63;
  MARIADB_CONST_STRING format = {nullptr, 0};
  ::mariadb_field_attr(&format, &field, MARIADB_FIELD_ATTR_FORMAT_NAME);
  return mysql_kind({.type = static_cast<std::uint32_t>(field.type),
                     .is_binary = field.charsetnr == binary_charset,
                     .is_choice = (field.flags & (ENUM_FLAG | SET_FLAG)) != 0,
                     .is_json = std::string_view(format.str, format.length) == "json"});
}

Result<bool> LibmariadbRows::next(const os::Deadline& deadline) {
  if (ended_) return false;
  CAIRN_CHECK(
      connection_.within(deadline, "waiting for rows", [&] { row_ = ::mysql_fetch_row(result_); }));
  if (row_ != nullptr) {
    lengths_ = ::mysql_fetch_lengths(result_);
    return true;
  }
  ended_ = true;
  if (::mysql_errno(connection_.handle()) != 0) return connection_.refusal();
  return false;
}

}  // namespace

Result<std::unique_ptr<MysqlConnection>> MysqlConnection::open(const DatabasePlace& place,
                                                               const std::string& authority,
                                                               const Outreach& outreach,
                                                               const os::Deadline& deadline) {
  prepare_library();
  const os::Deadline until = deadline.sooner_ms(connecting_ms_max);
  CAIRN_TRY(const auto addresses, net::resolve(place.host, place.port, until));
  for (const auto& address : addresses) CAIRN_CHECK(outreach.rules().check(place.host, address));
  Error last{.kind = ErrorKind::unavailable, .message = "it has no address"};
  for (const auto& address : addresses) {
    auto connection = std::make_unique<LibmariadbConnection>(place.host);
    auto connected = connection->connect(place, address.host(), authority, until);
    if (connected.ok()) {
      connection->set_open();
      return std::unique_ptr<MysqlConnection>(std::move(connection));
    }
    last = std::move(connected).error();
    if (last.kind != ErrorKind::unavailable) break;
  }
  return with_context(std::move(last), place.host + ":" + std::to_string(place.port));
}

std::string backtick_name(std::string_view name) {
  std::string out = "`";
  for (const char c : name) {
    if (c == '`') out += '`';
    out += c;
  }
  return out + '`';
}

}  // namespace cairn::connectors
