// SPDX-License-Identifier: Apache-2.0
// Conversions and faults, on the parameters of real operations.
#include "objectclient/call/params.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "s3/operations/operation.h"

namespace cairn::objectclient::params_test {
namespace {

template <class Structure>
std::string fault_of(const std::string& json, ParamRules rules = {}) {
  Structure structure{};
  const auto params = parse_json(json);
  REQUIRE(params.ok());
  const auto read = read_params(s3::shape_of<Structure>(), *params, rules, &structure);
  return read.ok() ? "" : read.error().message;
}

template <class Structure>
Structure read(const std::string& json) {
  Structure structure{};
  const auto params = parse_json(json);
  REQUIRE(params.ok());
  const auto status = read_params(s3::shape_of<Structure>(), *params, {}, &structure);
  CAPTURE(json);
  CHECK_MESSAGE(status.ok(), (status.ok() ? "" : status.error().message));
  return structure;
}

}  // namespace

TEST_CASE("params: values of other types become what is wanted") {
  const auto list = read<s3::ListObjectsV2Input>(
      R"({"bucket":"b","max_keys":"50","fetch_owner":"true","prefix":5})");
  CHECK(list.max_keys == 50);
  CHECK(list.fetch_owner == true);
  CHECK(list.prefix == "5");
  CHECK(read<s3::ListObjectsV2Input>(R"({"bucket":"b","max_keys":7.9})").max_keys == 7);
  const auto get = read<s3::GetObjectInput>(
      R"({"bucket":"b","key":"k","if_modified_since":"2026-01-02T03:04:05Z","range":null})");
  CHECK(get.if_modified_since->unix_ms == 1'767'323'045'000);
  CHECK_FALSE(get.range);
  CHECK(read<s3::GetObjectInput>(R"({"bucket":"b","key":"k","if_modified_since":1767323045})")
            .if_modified_since->unix_ms == 1'767'323'045'000);
  const auto put =
      read<s3::PutObjectInput>(R"({"bucket":"b","key":"k","metadata":{"a":"1","n":2}})");
  CHECK(put.metadata == s3::Metadata{{"a", "1"}, {"n", "2"}});
}

TEST_CASE("params: structures and lists of structures") {
  const auto done = read<s3::CompleteMultipartUploadInput>(
      R"({"bucket":"b","key":"k","upload_id":"u","multipart_upload":{"parts":[
          {"etag":"x","part_number":1},{"etag":"y","part_number":"2"}]}})");
  const auto shown = params_json(s3::shape_of<s3::CompleteMultipartUploadInput>(), &done);
  CHECK(
      shown.dump() ==
      R"({"bucket":"b","key":"k","multipart_upload":{"parts":[{"etag":"x","part_number":1},{"etag":"y","part_number":2}]},"upload_id":"u"})");
}

TEST_CASE("params: every fault is named with its path") {
  CHECK(fault_of<s3::GetObjectInput>(R"({"bucket":"b"})") ==
        "missing required parameter params[:key]");
  CHECK(fault_of<s3::GetObjectInput>(R"({"bucket":"b","key":"k","colour":1})") ==
        "unexpected value at params[:colour]");
  CHECK(fault_of<s3::ListObjectsV2Input>(R"({"bucket":"b","max_keys":"many"})") ==
        "expected params[:max_keys] to be an Integer, got class String instead.");
  CHECK(fault_of<s3::ListObjectsV2Input>(R"({"bucket":"b","fetch_owner":"yes"})") ==
        "expected params[:fetch_owner] to be true or false, got class String instead.");
  CHECK(fault_of<s3::PutObjectInput>(R"({"bucket":"b","key":"k","metadata":[]})") ==
        "expected params[:metadata] to be a hash, got class Array instead.");
  CHECK(fault_of<s3::PutObjectInput>(R"({"bucket":"b","key":"k","metadata":{"a":{}}})") ==
        R"(expected params[:metadata]["a"] to be a String, got class Hash instead.)");
  CHECK(fault_of<s3::GetObjectInput>(R"({"bucket":"b","key":""})") ==
        "required uri param params[:key] must not be blank");
  CHECK(fault_of<s3::GetObjectInput>(R"({"bucket":{},"max":1})") ==
        "parameter validator found 3 errors:\n"
        "  - expected params[:bucket] to be a String, got class Hash instead.\n"
        "  - unexpected value at params[:max]\n"
        "  - missing required parameter params[:key]");
  CHECK(
      fault_of<s3::CompleteMultipartUploadInput>(
          R"({"bucket":"b","key":"k","upload_id":"u","multipart_upload":{"parts":[{"etag":"e","part_number":1,"size":1},5]}})") ==
      "parameter validator found 2 errors:\n"
      "  - unexpected value at params[:multipart_upload][:parts][0][:size]\n"
      "  - expected params[:multipart_upload][:parts][1] to be a hash, got class Integer "
      "instead.");
  CHECK(fault_of<s3::GetObjectInput>("[]") ==
        "expected params to be a hash, got class Array instead.");
}

TEST_CASE("params: conversion and validation can be switched off") {
  CHECK(fault_of<s3::ListObjectsV2Input>(R"({"bucket":"b","max_keys":"5"})",
                                         {.convert_params = false}) ==
        "expected params[:max_keys] to be an Integer, got class String instead.");
  CHECK(fault_of<s3::GetObjectInput>(R"({"colour":1})", {.validate_params = false}).empty());
}

TEST_CASE("params: an empty map lacks exactly what the description requires") {
  for (const s3::Operation* const operation : s3::all_operations()) {
    CAPTURE(operation->name);
    std::vector<std::string> faults;
    for (const s3::Member& member : operation->input().members)
      if (member.required)
        faults.push_back("missing required parameter params[:" + std::string(member.name) + "]");
    // No structure is written to, as nothing is given.
    const auto status = read_params(operation->input(), Json::object(), {}, nullptr);
    REQUIRE(status.ok() == faults.empty());
    if (!faults.empty()) CHECK(status.error().message == parameter_error(faults).message);
  }
}

}  // namespace cairn::objectclient::params_test
