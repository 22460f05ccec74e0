// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/databases/postgres.h"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "connectors/configuration.h"
#include "connectors/sources/databases/database_rows.h"
#include "connectors/sources/databases/database_values.h"
#include "connectors/sources/databases/postgres_connection.h"
#include "connectors/sources/databases/postgres_values.h"

namespace cairn::connectors {
namespace {

constexpr std::size_t page_rows = 1000;
class PostgresRow final : public DatabaseRow {
 public:
  PostgresRow(const PostgresRows& rows, std::size_t row, const std::vector<ColumnType>& types)
      : rows_(rows), row_(row), types_(types) {}

  std::optional<std::string> key_part(std::size_t column) const override {
    const auto value = rows_.value(row_, column);
    return value ? std::optional<std::string>(*value) : std::nullopt;
  }
  void append(JsonWriter& json, std::size_t column) const override {
    if (const auto value = rows_.value(row_, column)) {
      append_column(json, types_[column], *value);
    } else {
      json.null();
    }
  }

 private:
  const PostgresRows& rows_;
  const std::size_t row_;
  const std::vector<ColumnType>& types_;
};

/// The server keeps the cursor of a statement open in a transaction, which is the snapshot.
class PostgresWalk final : public Walk {
 public:
  PostgresWalk(std::unique_ptr<PostgresConnection> connection, const DatabaseValues& values,
               std::string since)
      : connection_(std::move(connection)), values_(values), since_(std::move(since)) {}

  Status begin(const os::Deadline& deadline) {
    CAIRN_CHECK(run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", {}, deadline));
    if (!values_.cursor.empty()) {
      CAIRN_TRY(const auto greatest,
                run("SELECT max(r." + quoted_name(values_.cursor) + ")::text FROM " + values_.rows,
                    {}, deadline));
      if (greatest->rows() == 1) cursor_ = greatest->value(0, 0).value_or(since_);
    }
    std::string statement = "DECLARE cairn NO SCROLL CURSOR FOR SELECT r.* FROM " + values_.rows;
    // DECLARE takes no parameters, so the value is written out as a text.
    if (!since_.empty())
      statement += " WHERE r." + quoted_name(values_.cursor) + " >= " + quoted_text(since_);
    CAIRN_CHECK(run(statement, {}, deadline));
    return ok_status();
  }

  Result<SourcePage> next(const os::Deadline& deadline) override {
    CAIRN_TRY(const auto rows,
              run("FETCH FORWARD " + std::to_string(page_rows) + " FROM cairn", {}, deadline));
    if (columns_.names().empty()) CAIRN_CHECK(learn_columns(*rows, deadline));
    SourcePage page;
    page.items.reserve(rows->rows());
    for (std::size_t row = 0; row < rows->rows(); ++row)
      add_database_row(page, columns_, PostgresRow(*rows, row, types_));
    page.last = rows->rows() < page_rows;
    return page;
  }

  bool is_whole() const override { return since_.empty(); }
  std::string cursor() const override { return cursor_; }

 private:
  /// A literal without escapes, whatever the server's standard_conforming_strings.
  static std::string quoted_text(std::string_view text) {
    std::string out = " E'";
    for (const char c : text) {
      if (c == '\'' || c == '\\') out += c;
      out += c;
    }
    return out + "'";
  }

  Result<std::unique_ptr<PostgresRows>> run(const std::string& statement,
                                            const std::vector<std::string>& values,
                                            const os::Deadline& deadline) {
    return connection_->run(statement, values, deadline);
  }

  Status learn_columns(const PostgresRows& rows, const os::Deadline& deadline) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < rows.columns(); ++i) {
      names.push_back(rows.name(i));
      bool known = false;
      types_.push_back(column_type(rows.type(i), known));
      if (!known) {
        CAIRN_TRY(types_.back(), type_by_name(rows.type(i), deadline));
      }
    }
    CAIRN_TRY(columns_, DatabaseColumns::of(std::move(names), values_.key));
    return ok_status();
  }

  Result<ColumnType> type_by_name(std::uint32_t oid, const os::Deadline& deadline) {
    CAIRN_TRY(const auto found,
              run("SELECT typname, typcategory FROM pg_catalog.pg_type WHERE oid = $1::oid",
                  {std::to_string(oid)}, deadline));
    if (found->rows() == 0) return ColumnType{};
    return column_type_of_name(found->value(0, 0).value_or(""),
                               found->value(0, 1).value_or("") == "A");
  }

  std::unique_ptr<PostgresConnection> connection_;
  const DatabaseValues& values_;
  const std::string since_;  // empty: everything
  std::string cursor_;
  DatabaseColumns columns_;
  std::vector<ColumnType> types_;
};

class Postgres final : public Source {
 public:
  Postgres(DatabaseValues values, Outreach outreach)
      : values_(std::move(values)), outreach_(std::move(outreach)) {}

  Result<std::unique_ptr<Walk>> walk(const std::string& cursor,
                                     const os::Deadline& deadline) override {
    CAIRN_TRY(auto connection, PostgresConnection::open(values_.place, outreach_, deadline));
    connection->set_beat([this] { return beat("waiting for the server"); });
    CAIRN_CHECK(find_key(*connection, deadline));
    auto walk = std::make_unique<PostgresWalk>(std::move(connection), values_,
                                               values_.cursor.empty() ? std::string() : cursor);
    CAIRN_CHECK(walk->begin(deadline));
    return std::unique_ptr<Walk>(std::move(walk));
  }

  Status read(const SourceItem& item, DocumentSink&, const os::Deadline&) override {
    return Error{.kind = ErrorKind::internal, .message = item.path + " came without its row"};
  }

  Result<Json> check(const os::Deadline& deadline) override {
    CAIRN_TRY(const auto connection, PostgresConnection::open(values_.place, outreach_, deadline));
    CAIRN_CHECK(find_key(*connection, deadline));
    CAIRN_TRY(const auto rows,
              connection->run("SELECT r.* FROM " + values_.rows + " LIMIT 0", {}, deadline));
    Json columns = Json::array();
    for (std::size_t i = 0; i < rows->columns(); ++i) columns.push(rows->name(i));
    return Json::object({{"server_version", connection->server_version()},
                         {"columns", std::move(columns)},
                         {"key", Json::array_of(values_.key)}});
  }

  bool paths_are_ids() const override { return true; }

 private:
  /// The primary key of a table, where no other one is given.
  Status find_key(PostgresConnection& connection, const os::Deadline& deadline) {
    if (!values_.key.empty()) return ok_status();
    CAIRN_TRY(const auto found,
              connection.run("SELECT a.attname FROM pg_catalog.pg_index i, "
                             "unnest(i.indkey) WITH ORDINALITY k(column_number, n), "
                             "pg_catalog.pg_attribute a WHERE i.indrelid = $1::regclass AND "
                             "i.indisprimary AND a.attrelid = i.indrelid AND "
                             "a.attnum = k.column_number ORDER BY k.n",
                             {values_.table}, deadline));
    for (std::size_t i = 0; i < found->rows(); ++i)
      values_.key.emplace_back(found->value(i, 0).value_or(""));
    if (values_.key.empty()) return no_primary_key(values_.table);
    return ok_status();
  }

  DatabaseValues values_;
  const Outreach outreach_;
};

const DatabaseDialect postgres_dialect = {.port = 5432, .quoted_name = quoted_name};

class PostgresType final : public SourceType {
 public:
  explicit PostgresType(Outreach outreach) : outreach_(std::move(outreach)) {}

  Json configuration_schema() const override { return database_schema(postgres_dialect); }

  Status validate(const Json& configuration) const override {
    CAIRN_CHECK(error_budget_of(configuration));
    CAIRN_CHECK(database_values(configuration, postgres_dialect, outreach_));
    return ok_status();
  }

  Result<std::unique_ptr<Source>> open(const Json& configuration) const override {
    CAIRN_TRY(DatabaseValues values, database_values(configuration, postgres_dialect, outreach_));
    return std::unique_ptr<Source>(std::make_unique<Postgres>(std::move(values), outreach_));
  }

 private:
  const Outreach outreach_;
};

}  // namespace

std::unique_ptr<const SourceType> postgres_source(Outreach outreach) {
  return std::make_unique<PostgresType>(std::move(outreach));
}

}  // namespace cairn::connectors
