// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/databases/mysql.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "connectors/configuration.h"
#include "connectors/errors.h"
#include "connectors/sources/databases/database_rows.h"
#include "connectors/sources/databases/database_values.h"
#include "connectors/sources/databases/mysql_connection.h"
#include "connectors/sources/databases/mysql_values.h"

namespace cairn::connectors {
namespace {

constexpr std::size_t rows_a_page = 1000;
constexpr std::size_t bytes_a_page = std::size_t{8} << 20;
constexpr std::size_t rows_a_statement = 10'000;
constexpr const char* snapshot = "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY";
const DatabaseDialect mysql_dialect = {.port = 3306, .quoted_name = backtick_name};

/// The columns of the primary key, none where there is no table or it has none.
Result<std::vector<std::string>> primary_key(MysqlConnection& connection,
                                             const DatabaseValues& values,
                                             const os::Deadline& deadline) {
  std::vector<std::string> out;
  if (values.table.empty()) return out;
  CAIRN_TRY(
      const auto rows,
      connection.run("SHOW KEYS FROM " + values.table + " WHERE Key_name = 'PRIMARY'", deadline));
  const auto& names = rows->names();
  const auto column = std::find(names.begin(), names.end(), "Column_name");
  if (column == names.end()) return out;
  while (true) {
    CAIRN_TRY(const bool there, rows->next(deadline));
    if (!there) return out;
    out.emplace_back(rows->value(static_cast<std::size_t>(column - names.begin())).value_or(""));
  }
}

/// What is known of the rows before the first.
struct MysqlShape {
  DatabaseColumns columns = {};
  std::vector<MysqlKind> kinds = {};
  bool is_paged = false;  // the key orders the rows of a table, and has an index
};

Result<MysqlShape> shape_of(MysqlConnection& connection, DatabaseValues& values,
                            const os::Deadline& deadline) {
  CAIRN_TRY(const auto primary, primary_key(connection, values, deadline));
  if (values.key.empty()) values.key = primary;
  if (values.key.empty()) return no_primary_key(values.table);
  CAIRN_TRY(const auto rows,
            connection.run("SELECT r.* FROM " + values.rows + " LIMIT 0", deadline));
  MysqlShape out;
  CAIRN_TRY(out.columns, DatabaseColumns::of(rows->names(), values.key));
  out.kinds = rows->kinds();
  CAIRN_CHECK(rows->next(deadline));
  const auto& key = out.columns.key();
  out.is_paged = values.key == primary && std::all_of(key.begin(), key.end(), [&](std::size_t at) {
                   return is_ordered_by_literal(out.kinds[at]);
                 });
  return out;
}

class MysqlRow final : public DatabaseRow {
 public:
  MysqlRow(const MysqlRows& rows, const std::vector<MysqlKind>& kinds)
      : rows_(rows), kinds_(kinds) {}

  std::optional<std::string> key_part(std::size_t column) const override {
    const auto value = rows_.value(column);
    if (!value) return std::nullopt;
    return mysql_key_part(kinds_[column], *value);
  }
  void append(JsonWriter& json, std::size_t column) const override {
    if (const auto value = rows_.value(column)) {
      append_mysql_value(json, kinds_[column], *value);
    } else {
      json.null();
    }
  }

 private:
  const MysqlRows& rows_;
  const std::vector<MysqlKind>& kinds_;
};

/// One transaction, whose snapshot every statement of it sees. A table is read along its primary
/// key, some rows a statement, so that none runs for long; everything else by one statement. Rows
/// are taken as they arrive.
class MysqlWalk final : public Walk {
 public:
  MysqlWalk(std::unique_ptr<MysqlConnection> connection, const DatabaseValues& values,
            MysqlShape shape, std::string since)
      : connection_(std::move(connection)),
        values_(values),
        shape_(std::move(shape)),
        since_(std::move(since)),
        is_paged_(shape_.is_paged && since_.empty()) {}

  ~MysqlWalk() override { rows_.reset(); }

  Status begin(const os::Deadline& deadline) {
    CAIRN_CHECK(connection_->run(snapshot, deadline));
    return values_.cursor.empty() ? ok_status() : find_greatest(deadline);
  }

  Result<SourcePage> next(const os::Deadline& deadline) override {
    SourcePage page;
    page.items.reserve(rows_a_page);
    std::size_t bytes = 0;
    while (page.items.size() + page.unreadable.size() < rows_a_page && bytes < bytes_a_page) {
      if (!rows_) {
        CAIRN_TRY(rows_, connection_->run(statement(), deadline));
        taken_ = 0;
        if (shape_.kinds.empty()) CAIRN_CHECK(learn_columns());
      }
      CAIRN_TRY(const bool there, rows_->next(deadline));
      if (!there) {
        rows_.reset();
        if (is_paged_ && taken_ == rows_a_statement) continue;
        page.last = true;
        break;
      }
      bytes += add_database_row(page, shape_.columns, MysqlRow(*rows_, shape_.kinds));
      if (++taken_ == rows_a_statement && is_paged_) after_ = after_row();
    }
    return page;
  }

  bool is_whole() const override { return since_.empty(); }
  std::string cursor() const override { return cursor_; }

 private:
  Status learn_columns() {
    CAIRN_TRY(shape_.columns, DatabaseColumns::of(rows_->names(), values_.key));
    shape_.kinds = rows_->kinds();
    return ok_status();
  }

  /// The greatest cursor that the snapshot has, and where changes begin.
  Status find_greatest(const os::Deadline& deadline) {
    const std::string column = "r." + backtick_name(values_.cursor);
    CAIRN_TRY(const auto greatest,
              connection_->run("SELECT MAX(" + column + ") FROM " + values_.rows, deadline));
    const MysqlKind kind = greatest->kinds().at(0);
    CAIRN_TRY(const bool there, greatest->next(deadline));
    cursor_ = there ? std::string(greatest->value(0).value_or(since_)) : since_;
    CAIRN_CHECK(greatest->next(deadline));
    if (!since_.empty()) condition_ = " WHERE " + column + " >= " + mysql_literal(kind, since_);
    return ok_status();
  }

  std::string statement() const {
    std::string out = "SELECT r.* FROM " + values_.rows + condition_ + after_;
    if (!is_paged_) return out;
    std::string order;
    for (const auto& part : values_.key)
      order += (order.empty() ? " ORDER BY r." : ", r.") + backtick_name(part);
    return out + order + " LIMIT " + std::to_string(rows_a_statement);
  }

  /// The rows that follow this one: (a > 1) OR (a = 1 AND b > 2), which an index serves.
  std::string after_row() const {
    std::string out, equal;
    for (std::size_t i = 0; i < values_.key.size(); ++i) {
      const std::size_t at = shape_.columns.key()[i];
      const std::string column = "r." + backtick_name(values_.key[i]);
      const std::string value = mysql_literal(shape_.kinds[at], rows_->value(at).value_or(""));
      out += (i == 0 ? " WHERE (" : " OR (") + equal + column + " > " + value + ")";
      equal += column + " = " + value + " AND ";
    }
    return out;
  }

  std::unique_ptr<MysqlConnection> connection_;
  const DatabaseValues& values_;
  MysqlShape shape_;
  const std::string since_;  // empty: everything
  const bool is_paged_;
  std::string cursor_, condition_, after_;
  std::unique_ptr<MysqlRows> rows_;
  std::size_t taken_ = 0;  // of the statement
};

class Mysql final : public Source {
 public:
  Mysql(DatabaseValues values, std::string authority, Outreach outreach)
      : values_(std::move(values)),
        authority_(std::move(authority)),
        outreach_(std::move(outreach)) {}

  Result<std::unique_ptr<Walk>> walk(const std::string& cursor,
                                     const os::Deadline& deadline) override {
    CAIRN_TRY(auto connection,
              MysqlConnection::open(values_.place, authority_, outreach_, deadline));
    connection->set_beat([this] { return beat("waiting for the server"); });
    // Those of a query are learnt as its rows arrive, since the server would work on it twice.
    MysqlShape shape;
    if (!values_.table.empty()) {
      CAIRN_TRY(shape, shape_of(*connection, values_, deadline));
    }
    auto walk = std::make_unique<MysqlWalk>(std::move(connection), values_, std::move(shape),
                                            values_.cursor.empty() ? std::string() : cursor);
    CAIRN_CHECK(walk->begin(deadline));
    return std::unique_ptr<Walk>(std::move(walk));
  }

  Status read(const SourceItem& item, DocumentSink&, const os::Deadline&) override {
    return Error{.kind = ErrorKind::internal, .message = item.path + " came without its row"};
  }

  Result<Json> check(const os::Deadline& deadline) override {
    CAIRN_TRY(const auto connection,
              MysqlConnection::open(values_.place, authority_, outreach_, deadline));
    connection->set_beat([this] { return beat("waiting for the server"); });
    CAIRN_TRY(const MysqlShape shape, shape_of(*connection, values_, deadline));
    return Json::object({{"server_version", connection->server_version()},
                         {"columns", Json::array_of(shape.columns.names())},
                         {"key", Json::array_of(values_.key)}});
  }

  bool paths_are_ids() const override { return true; }

 private:
  DatabaseValues values_;
  const std::string authority_;
  const Outreach outreach_;
};

class MysqlType final : public SourceType {
 public:
  explicit MysqlType(Outreach outreach) : outreach_(std::move(outreach)) {}

  Json configuration_schema() const override {
    Json out = database_schema(mysql_dialect);
    out.set("ssl_ca", configuration_entry({.label = "Certificate of the authority",
                                           .tooltip = "PEM; empty: the system's authorities",
                                           .order = 12}));
    return out;
  }

  Status validate(const Json& configuration) const override {
    CAIRN_CHECK(error_budget_of(configuration));
    CAIRN_CHECK(database_values(configuration, mysql_dialect, outreach_));
    CAIRN_CHECK(authority_of(configuration));
    return ok_status();
  }

  Result<std::unique_ptr<Source>> open(const Json& configuration) const override {
    CAIRN_TRY(DatabaseValues values, database_values(configuration, mysql_dialect, outreach_));
    CAIRN_TRY(std::string authority, authority_of(configuration));
    return std::unique_ptr<Source>(
        std::make_unique<Mysql>(std::move(values), std::move(authority), outreach_));
  }

 private:
  static Result<std::string> authority_of(const Json& configuration) {
    CAIRN_TRY(std::string out, configured_text(configuration, "ssl_ca"));
    if (!out.empty() && out.find("-----BEGIN CERTIFICATE-----") == std::string::npos)
      return invalid("[ssl_ca] must be certificates in PEM, as they stand in their file");
    return out;
  }

  const Outreach outreach_;
};

}  // namespace

std::unique_ptr<const SourceType> mysql_source(Outreach outreach) {
  return std::make_unique<MysqlType>(std::move(outreach));
}

}  // namespace cairn::connectors
