// SPDX-License-Identifier: Apache-2.0
// A connection to a PostgreSQL server, by libpq. The one file that knows the library is its .cc.
#pragma once

#include <cstdint>
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
#include "os/deadline.h"

namespace cairn::connectors {

/// The rows of a statement, in the text format.
class PostgresRows {
 public:
  virtual ~PostgresRows() = default;
  virtual std::size_t rows() const = 0;
  virtual std::size_t columns() const = 0;
  virtual std::string name(std::size_t column) const = 0;
  virtual std::uint32_t type(std::size_t column) const = 0;
  /// Nothing for NULL. Lies in the rows.
  virtual std::optional<std::string_view> value(std::size_t row, std::size_t column) const = 0;
};

/// One thread.
class PostgresConnection {
 public:
  virtual ~PostgresConnection() = default;
  /// Connects to an address of the host that `outreach` allows. Errors: permission_denied;
  /// unavailable, with what the server says, where it refuses.
  static Result<std::unique_ptr<PostgresConnection>> open(const DatabasePlace& place,
                                                          const Outreach& outreach,
                                                          const os::Deadline& deadline);
  /// One statement, with values for $1, $2, … Errors: invalid_argument, with what the server says,
  /// where it does not take the statement; unavailable, where it is gone.
  virtual Result<std::unique_ptr<PostgresRows>> run(const std::string& statement,
                                                    const std::vector<std::string>& values,
                                                    const os::Deadline& deadline) = 0;
  virtual std::string server_version() const = 0;
  /// Called about each second while the server lets wait; its errors end the call.
  void set_beat(std::function<Status()> beat) { beat_ = std::move(beat); }

 protected:
  Status beat() const { return beat_ ? beat_() : ok_status(); }

 private:
  std::function<Status()> beat_;
};

/// A name as a statement has it: "a ""b""".
std::string quoted_name(std::string_view name);

}  // namespace cairn::connectors
