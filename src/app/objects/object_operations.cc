// SPDX-License-Identifier: Apache-2.0
#include "app/objects/object_operations.h"

#include <cstdio>

#include "cli/exit_codes.h"
#include "cli/table.h"
#include "s3/operations/operation.h"

namespace cairn::app {
namespace {

std::string path_of(const s3::Operation& operation) {
  switch (operation.target) {
    case s3::Target::service:
      return "/";
    case s3::Target::bucket:
      return "/{bucket}";
    case s3::Target::object:
      return "/{bucket}/{key}";
    case s3::Target::control:
      return std::string(operation.path);
  }
  return "/";
}

}  // namespace

Json object_operations() {
  Json out = Json::array();
  for (const auto operations : {s3::all_operations(), s3::control_operations()})
    for (const s3::Operation* operation : operations)
      out.push(Json::object({{"name", std::string(operation->name)},
                             {"method", std::string(operation->method)},
                             {"path", path_of(*operation)},
                             {"marker", std::string(operation->marker)}}));
  return Json::object({{"operations", std::move(out)}});
}

int print_object_operations(bool json) {
  if (json) {
    const std::string text = object_operations().dump(true) + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout);
    return cli::success;
  }
  std::vector<cli::Row> rows;
  for (const auto operations : {s3::all_operations(), s3::control_operations()})
    for (const s3::Operation* operation : operations)
      rows.push_back({std::string(operation->name), std::string(operation->method),
                      path_of(*operation),
                      operation->marker.empty() ? "-" : std::string(operation->marker)});
  cli::print_table({"OPERATION", "METHOD", "PATH", "BY"}, rows);
  return cli::success;
}

}  // namespace cairn::app
