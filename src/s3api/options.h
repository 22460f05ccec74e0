// SPDX-License-Identifier: Apache-2.0
// Settings of the object service.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gate/slow_log.h"
#include "s3/model.h"

namespace cairn::s3api {

struct Options {
  /// The region that this service calls its own. us-east-1 stands for the global endpoint: buckets
  /// of every region may be made here.
  std::string region = "us-east-1";
  /// Signatures of any region are accepted. Without it only those of `region`.
  bool accept_any_region = true;
  /// Presigned URLs of signature version 2 are answered: what some SDKs make by default.
  bool accept_version_two = true;
  /// Regions that another endpoint serves, each with its URL:
  /// "eu-west-1=http://eu.example.com:9000". Requests for buckets there are redirected, by 307 from
  /// the global endpoint, by 301 from others.
  std::vector<std::string> region_endpoints = {};
  /// What new buckets encrypt objects with that ask for nothing: nothing, or AES256.
  bool encrypt_new_buckets = false;
  /// The object ownership of new buckets that ask for none. The usual one has no ACLs, and refuses
  /// to make a bucket with one, "private" too; some tools send that with every bucket.
  std::string new_bucket_ownership = "BucketOwnerEnforced";
  /// Keys of customers are taken over plain HTTP too.
  bool customer_keys_over_http = false;
  /// Names under which buckets are sub-domains: with "objects.example.com", a request to
  /// photos.objects.example.com is one to the bucket photos. Path style works always.
  std::vector<std::string> domains = {};
  /// The zones that directory buckets can be made in.
  std::vector<s3::Zone> zones = {{.id = "use1-az1"}};
  /// The outposts that buckets can be made in: "op-" and 17 hexadecimal digits each.
  std::vector<std::string> outposts = {};
  /// How long the credentials of a session with a directory bucket are good.
  std::int64_t directory_session_ms = 300'000;
  /// Host names (with port) that clients sign although a proxy sends another one.
  std::vector<std::string> host_aliases = {};
  /// Regions in which nobody can be granted anything by e-mail address any more, and results have
  /// no display names; "*": all. Grants that are there keep working.
  std::vector<std::string> email_grants_end_in = {"*"};
  std::size_t document_bytes_max = 8 << 20;  // of an XML body
  std::size_t metadata_bytes_max = 2048;     // names and values of x-amz-meta-*
  /// So many large bodies at a time have a large buffer; slow clients hold theirs for long.
  std::size_t large_buffers_max = 64;
  std::size_t large_slabs_kept = 1;  // of 6 MiB each, while no body needs them
  /// Copies and completions that last show that they live by white space, this often.
  std::int64_t keep_alive_ms = 5'000;

  gate::SlowLogOptions slow_log = {};
  bool access_log = false;  // a line for every request

  /// How long the restoring of an archived object takes.
  std::int64_t restore_ms = 0;

  /// The URL of the other endpoint that serves a region; empty where there is none.
  std::string_view endpoint_of(std::string_view of_region) const;
  /// Null where this service has no such zone.
  const s3::Zone* zone(std::string_view id) const;
  bool ends_email_grants(std::string_view in_region) const;
  bool ends_email_grants_everywhere() const { return ends_email_grants("*"); }

  /// Errors: invalid_argument, with the setting.
  Status validate() const;
};

}  // namespace cairn::s3api
