// SPDX-License-Identifier: Apache-2.0
// Cases on standard input, answers on standard output.
#include <doctest/doctest.h>

#include <iostream>
#include <sstream>
#include <string>

#include "cli/commands.h"
#include "cli/exit_codes.h"

using namespace cairn::cli;

namespace {

std::string answers(const std::string& verb, const std::string& lines) {
  std::istringstream in(lines);
  std::ostringstream out;
  std::streambuf* const old_in = std::cin.rdbuf(in.rdbuf());
  std::streambuf* const old_out = std::cout.rdbuf(out.rdbuf());
  const int status = objects_command({verb}, {});
  std::cin.rdbuf(old_in);
  std::cout.rdbuf(old_out);
  CHECK(status == success);
  return out.str();
}

}  // namespace

TEST_CASE("objects resolve-endpoint: a line for each line") {
  CHECK(
      answers("resolve-endpoint",
              "{\"params\":{\"Region\":\"eu-west-1\",\"Bucket\":\"photos\"}}\n\n"
              "{\"params\":{\"Bucket\":\"photos\"}}\n"
              "{\"params\":{\"Region\":\"eu-west-1\",\"Colour\":1}}\n"
              "{\"params\":{\"Region\":5}}\nnonsense\n[]\n{}\n") ==
      R"x({"endpoint":{"url":"https://photos.s3.eu-west-1.amazonaws.com","authSchemes":[{"name":"sigv4","signingName":"s3","signingRegion":"eu-west-1","disableDoubleEncoding":true}],"headers":{}}}
{"error":"A region must be set when sending requests to S3."}
{"error":"params.Colour is no parameter of the resolver"}
{"error":"params.Region must be a string"}
{"error":"[1:1] Unrecognized token 'nonsense': was expecting ('true', 'false' or 'null')"}
{"error":"a line must hold one JSON object"}
{"error":"a case needs an object [params]"}
)x");
}

TEST_CASE("objects sign: the three texts of a signature") {
  const std::string out = answers(
      "sign",
      R"({"method":"GET","url":"https://examplebucket.s3.amazonaws.com/test.txt","headers":{"Range":"bytes=0-9"},"region":"us-east-1","access_key_id":"AKIAIOSFODNN7EXAMPLE","secret_access_key":"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY","time":"2013-05-24T00:00:00Z"})"
      "\n"
      R"({"method":"GET","url":"https://h/","region":"r","access_key_id":"a"})"
      "\n"
      R"({"method":"GET","url":"h","region":"r","access_key_id":"a","secret_access_key":"s"})"
      "\n");
  // The example that the vendor's documentation of Signature Version 4 works through.
  CHECK(out.find("\"signature\":"
                 "\"f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41\"") !=
        std::string::npos);
  CHECK(out.find("SignedHeaders=host;range;x-amz-content-sha256;x-amz-date") != std::string::npos);
  CHECK(out.find("{\"error\":\"a case needs a string [secret_access_key]\"}\n") !=
        std::string::npos);
  CHECK(out.find("{\"error\":\"[h] is not a URL") != std::string::npos);
}

TEST_CASE("objects: other words are refused") {
  CHECK(objects_command({}, {}) == usage_error);
  CHECK(objects_command({"paint"}, {}) == usage_error);
  CHECK(objects_command({"sign", "--fast"}, {}) == usage_error);
}
