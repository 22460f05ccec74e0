// SPDX-License-Identifier: Apache-2.0
// A connection to a server of MySQL or MariaDB, by libmariadb. The one file that knows the library
// is its .cc.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "connectors/outreach.h"
#include "connectors/sources/databases/database_values.h"
#include "connectors/sources/databases/mysql_values.h"
#include "os/deadline.h"

namespace cairn::connectors {

/// The rows of a statement, as they arrive; of them one is in memory. They end before the next
/// statement begins, and before their connection.
class MysqlRows {
 public:
  virtual ~MysqlRows() = default;
  virtual const std::vector<std::string>& names() const = 0;
  virtual const std::vector<MysqlKind>& kinds() const = 0;
  /// The next row; false after the last. Errors: as of MysqlConnection::run.
  virtual Result<bool> next(const os::Deadline& deadline) = 0;
  /// Of the row; nothing for NULL. Lies in it.
  virtual std::optional<std::string_view> value(std::size_t column) const = 0;
};

/// One thread.
class MysqlConnection {
 public:
  virtual ~MysqlConnection() = default;
  /// Connects to an address of the host that `outreach` allows; the session is in UTC and utf8mb4,
  /// and writes nothing. `authority`: certificates in PEM whom the server's is asked to be from;
  /// empty: the system's. Errors: permission_denied; unavailable, with what the server says, where
  /// it refuses.
  static Result<std::unique_ptr<MysqlConnection>> open(const DatabasePlace& place,
                                                       const std::string& authority,
                                                       const Outreach& outreach,
                                                       const os::Deadline& deadline);
  /// One statement. Errors: invalid_argument, with what the server says, where it does not take
  /// the statement; unavailable, where it is gone, or ended the statement.
  virtual Result<std::unique_ptr<MysqlRows>> run(const std::string& statement,
                                                 const os::Deadline& deadline) = 0;
  virtual std::string server_version() const = 0;
  /// Called about each second while the server lets wait; its errors end the call.
  void set_beat(std::function<Status()> beat) { beat_ = std::move(beat); }

 protected:
  Status beat() const { return beat_ ? beat_() : ok_status(); }

 private:
  std::function<Status()> beat_;
};

/// A name as a statement has it: `a ``b```.
std::string backtick_name(std::string_view name);

}  // namespace cairn::connectors
