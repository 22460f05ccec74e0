// SPDX-License-Identifier: Apache-2.0
// What the options change that say where requests go.
#include <atomic>
#include <condition_variable>

#include "objectclient/call/call.h"
#include "objectclient/option_effects.h"

namespace cairn::objectclient {

void add_places(std::vector<Effect>& out) {
  out.push_back({"region", [] {
                   CHECK(put_with([](auto& o) { o.region = "ap-east-1"; })
                             .header("authorization")
                             .find("/ap-east-1/s3/") != std::string::npos);
                   CHECK(place_of(somewhere()) == "https://bucket.s3.us-west-2.amazonaws.com/");
                 }});
  out.push_back({"endpoint", [] {
                   ClientOptions options = somewhere();
                   options.endpoint = "http://127.0.0.1:9000/base";
                   CHECK(place_of(options) == "http://127.0.0.1:9000/base/bucket");
                 }});
  out.push_back({"profile", [] {
                   MadeUp environment;
                   environment.files["/home/u/.aws/config"] =
                       "[profile lab]\nregion = eu-south-2\n";
                   CHECK(*environment.client({.profile = "lab"}).options().region == "eu-south-2");
                   CHECK_FALSE(Client::open({}, environment.environment()).ok());
                 }});
  out.push_back({"ignore_configured_endpoint_urls", [] {
                   MadeUp environment;
                   environment.variables["AWS_ENDPOINT_URL"] = "http://127.0.0.1:1";
                   ClientOptions options = somewhere();
                   CHECK_FALSE(environment.client(options).options().endpoint->empty());
                   options.ignore_configured_endpoint_urls = true;
                   CHECK(environment.client(options).options().endpoint->empty());
                 }});
  out.push_back({"dialect", [] {
                   CHECK(put_with([](auto& o) { o.dialect = "svc"; }).headers.has("x-svc-date"));
                   CHECK(put_with([](auto&) {}).headers.has("x-amz-date"));
                 }});
  out.push_back({"host_names", [] {
                   ClientOptions options = somewhere();
                   options.host_names = HostNames::neutral("example.org");
                   CHECK(place_of(options) == "https://bucket.objects.us-west-2.example.org/");
                 }});
  out.push_back({"use_accelerate_endpoint", [] {
                   ClientOptions options = somewhere();
                   options.use_accelerate_endpoint = true;
                   CHECK(place_of(options) == "https://bucket.s3-accelerate.amazonaws.com/");
                   MadeUp environment;
                   const Client client = environment.client(somewhere());
                   CHECK(client
                             .presigned_url("head_bucket", {{"bucket", "bucket"},
                                                            {"use_accelerate_endpoint", true}})
                             .find("s3-accelerate") != std::string::npos);
                   CHECK(environment.client(options)
                             .presigned_url("delete_bucket", {{"bucket", "bucket"}})
                             .find("accelerate") == std::string::npos);
                 }});
  out.push_back({"use_dualstack_endpoint", [] {
                   ClientOptions options = somewhere();
                   options.use_dualstack_endpoint = true;
                   CHECK(place_of(options) ==
                         "https://bucket.s3.dualstack.us-west-2.amazonaws.com/");
                 }});
  out.push_back({"use_fips_endpoint", [] {
                   ClientOptions options = somewhere();
                   options.use_fips_endpoint = true;
                   CHECK(place_of(options) == "https://bucket.s3-fips.us-west-2.amazonaws.com/");
                 }});
  out.push_back({"force_path_style", [] {
                   ClientOptions options = somewhere();
                   options.force_path_style = true;
                   CHECK(place_of(options) == "https://s3.us-west-2.amazonaws.com/bucket");
                 }});
  out.push_back({"s3_use_arn_region", [] {
                   const std::string arn = "arn:aws:s3:eu-west-1:123456789012:accesspoint/mine";
                   ClientOptions options = somewhere();
                   CHECK(place_of(options, arn) ==
                         "https://mine-123456789012.s3-accesspoint.eu-west-1.amazonaws.com/");
                   options.s3_use_arn_region = false;
                   CHECK(place_of(options, arn).find("UseArnRegion is `false`") !=
                         std::string::npos);
                 }});
  out.push_back({"s3_disable_multiregion_access_points", [] {
                   const std::string arn = "arn:aws:s3::123456789012:accesspoint:alias.mrap";
                   ClientOptions options = somewhere();
                   options.s3_disable_multiregion_access_points = true;
                   CHECK(
                       place_of(options, arn).find("Multi-Region Access Point ARNs are disabled") !=
                       std::string::npos);
                 }});
  out.push_back({"s3_us_east_1_regional_endpoint", [] {
                   ClientOptions options = somewhere();
                   options.region = "us-east-1";
                   CHECK(place_of(options) == "https://bucket.s3.amazonaws.com/");
                   options.s3_us_east_1_regional_endpoint = "regional";
                   CHECK(place_of(options) == "https://bucket.s3.us-east-1.amazonaws.com/");
                 }});
  out.push_back({"defaults_mode", [] {
                   MadeUp environment;
                   ClientOptions options = somewhere();
                   options.defaults_mode = "standard";
                   const ClientOptions done = environment.client(options).options();
                   CHECK(*done.retry_mode == "standard");
                   CHECK(*done.http_open_timeout == 3.1);
                   options.region = "us-east-1";
                   CHECK(place_of(options) == "https://bucket.s3.us-east-1.amazonaws.com/");
                 }});
  out.push_back(
      {"follow_redirects", [] {
         for (const bool follow : {true, false}) {
           ScriptedService there({{}});
           ScriptedService here({{.status = 307,
                                  .body = error_xml("TemporaryRedirect"),
                                  .headers = {{"Location", there.url() + "/b"}}}});
           MadeUp environment;
           ClientOptions options = quiet(at(here));
           options.follow_redirects = follow;
           CHECK(environment.client(options).list_objects_v2({.bucket = "b"}).call().status != 0);
           CHECK(there.count() == (follow ? 4 : 0));  // its answer is no list
         }
       }});
}

// A description with a prefix, as other services of the vendor have them.
void add_discovery(std::vector<Effect>& out) {
  out.push_back({"disable_host_prefix_injection", [] {
                   for (const bool off : {false, true}) {
                     MadeUp environment;
                     ClientOptions options = somewhere();
                     options.disable_host_prefix_injection = off;
                     const auto state = environment.state(options);
                     const s3::ListObjectsV2Input input{.bucket = "bucket", .prefix = "route"};
                     CallInfo info;
                     const auto url = presign_call(
                         *state,
                         {.operation = s3::operations::list_objects_v2,
                          .input = &input,
                          .extras = {.host_prefix = "{prefix}.", .discovers_endpoint = false}},
                         {}, info);
                     REQUIRE(url.ok());
                     CHECK(url->url.starts_with(off ? "https://bucket." : "https://route.bucket."));
                     const s3::ListObjectsV2Input without{.bucket = "bucket"};
                     const auto missing = presign_call(
                         *state,
                         {.operation = s3::operations::list_objects_v2,
                          .input = &without,
                          .extras = {.host_prefix = "{prefix}.", .discovers_endpoint = false}},
                         {}, info);
                     CHECK(missing.ok() == off);
                     if (!off) CHECK(missing.error().code == "MissingEndpointHostLabelValue");
                   }
                 }});
  out.push_back({"endpoint_discovery", [] {
                   for (const bool on : {false, true}) {
                     MadeUp environment;
                     ClientOptions options = somewhere();
                     options.endpoint_discovery = on;
                     const auto state = environment.state(options);
                     EndpointCache cache(
                         endpoint_cache_options(state->options),
                         [](const std::string&) -> Result<DiscoveredEndpoint> {
                           return DiscoveredEndpoint{.url = "https://found.example.org",
                                                     .good_for_ms = 60'000};
                         },
                         environment.clock);
                     const s3::ListObjectsV2Input input{.bucket = "bucket"};
                     CallInfo info;
                     const auto url = presign_call(*state,
                                                   {.operation = s3::operations::list_objects_v2,
                                                    .input = &input,
                                                    .extras = {.discovers_endpoint = true},
                                                    .endpoints = &cache},
                                                   {}, info);
                     REQUIRE(url.ok());
                     CHECK(url->url.starts_with("https://found.example.org/") == on);
                   }
                 }});
  const auto cache_of = [](ClientOptions given, os::FakeClock& clock, int& asked) {
    MadeUp environment;
    const ClientOptions done = environment.client(std::move(given)).options();
    return std::make_unique<EndpointCache>(
        endpoint_cache_options(done),
        [&asked](const std::string& key) -> Result<DiscoveredEndpoint> {
          ++asked;
          return DiscoveredEndpoint{.url = "https://" + key, .good_for_ms = 30'000};
        },
        clock);
  };
  out.push_back({"endpoint_cache_max_entries", [cache_of] {
                   os::FakeClock clock;
                   int asked = 0;
                   ClientOptions options = somewhere();
                   options.endpoint_cache_max_entries = 2;
                   const auto cache = cache_of(options, clock, asked);
                   for (const auto* key : {"a", "b", "a", "c"}) CHECK(cache->get(key).ok());
                   CHECK(cache->size() == 2);
                   CHECK(asked == 3);
                   CHECK(cache->get("a").ok());  // b was unused for longest
                   CHECK(asked == 3);
                   CHECK(cache->get("b").ok());
                   CHECK(asked == 4);
                 }});
  out.push_back({"endpoint_cache_poll_interval", [cache_of] {
                   for (const double interval : {10.0, 60.0}) {
                     os::FakeClock clock;
                     int asked = 0;
                     ClientOptions options = somewhere();
                     options.endpoint_cache_poll_interval = interval;
                     const auto cache = cache_of(options, clock, asked);
                     CHECK(cache->get("a").ok());
                     // It ends in 30 seconds: before the next look, or after it.
                     CHECK(cache->refresh() == (interval == 60 ? 1 : 0));
                   }
                 }});
  out.push_back({"endpoint_cache_max_threads", [] {
                   for (const std::int64_t threads : {1, 4}) {
                     ClientOptions options = somewhere();
                     options.endpoint_cache_max_threads = threads;
                     std::mutex mutex;
                     std::condition_variable changed;
                     int at_once = 0, most = 0;
                     os::FakeClock clock;
                     bool counting = false;
                     MadeUp environment;
                     EndpointCache cache(
                         endpoint_cache_options(environment.client(options).options()),
                         [&](const std::string& key) -> Result<DiscoveredEndpoint> {
                           std::unique_lock lock(mutex);
                           most = std::max(most, ++at_once);
                           changed.notify_all();
                           // All that may be here at once come before the first goes.
                           if (counting)
                             changed.wait_for(lock, std::chrono::seconds(60),
                                              [&] { return most == threads; });
                           --at_once;
                           return DiscoveredEndpoint{.url = key, .good_for_ms = 1};
                         },
                         clock);
                     for (const auto* key : {"a", "b", "c", "d"}) CHECK(cache.get(key).ok());
                     most = 0;
                     counting = true;
                     CHECK(cache.refresh() == 4);
                     CHECK(most == threads);
                   }
                 }});
  out.push_back({"active_endpoint_cache", [] {
                   ClientOptions options = somewhere();
                   options.active_endpoint_cache = true;
                   options.endpoint_cache_poll_interval = 0.01;
                   net::Signal again;
                   std::atomic<int> asked = 0;
                   MadeUp environment;
                   EndpointCache cache(
                       endpoint_cache_options(environment.client(options).options()),
                       [&](const std::string& key) -> Result<DiscoveredEndpoint> {
                         if (++asked == 2) again.give();
                         return DiscoveredEndpoint{.url = key, .good_for_ms = 0};
                       },
                       environment.clock);
                   CHECK(cache.get("a").ok());
                   CHECK(again.wait());
                 }});
}

}  // namespace cairn::objectclient
