// Asks for a page COUNT times over libcurl, as a service with rate limits wants to be asked: what
// it refuses is sent again when it says so, and given up in time. You see a line for each answer.
//   polite_client URL COUNT [AUTHORIZATION]
#include <cairn/objects/os/clock.h>
#include <cairn/objects/os/random.h>
#include <cairn/ratelimit/retry.h>
#include <curl/curl.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>

namespace {

using Fields = std::map<std::string, std::string, std::less<>>;

std::size_t take_field(char* bytes, std::size_t, std::size_t count, void* into) {
  std::string line(bytes, count);
  const std::size_t colon = line.find(':');
  if (colon == std::string::npos) return count;
  std::transform(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(colon), line.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
  const std::size_t end = line.find_last_not_of(" \t\r\n");
  const bool empty = begin == std::string::npos || begin > end;
  (*static_cast<Fields*>(into))[line.substr(0, colon)] =
      empty ? std::string() : line.substr(begin, end - begin + 1);
  return count;
}

std::size_t take_body(char* bytes, std::size_t, std::size_t count, void* into) {
  auto& body = *static_cast<std::string*>(into);
  if (body.size() < 4096) body.append(bytes, count);
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: polite_client URL COUNT [AUTHORIZATION]\n");
    return 64;
  }
  curl_global_init(CURL_GLOBAL_DEFAULT);
  const std::unique_ptr<CURL, void (*)(CURL*)> curl(curl_easy_init(), curl_easy_cleanup);
  const std::string authorization =
      argc > 3 ? "Authorization: " + std::string(argv[3]) : std::string("Accept: */*");
  const std::unique_ptr<curl_slist, void (*)(curl_slist*)> headers(
      curl_slist_append(nullptr, authorization.c_str()), curl_slist_free_all);
  curl_easy_setopt(curl.get(), CURLOPT_URL, argv[1]);
  curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl.get(), CURLOPT_HEADERFUNCTION, take_field);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, take_body);

  // One for each service, for all threads: they share what was refused.
  cairn::ratelimit::RetryRules rules({}, cairn::os::system_clock(), cairn::os::system_random());
  int sent = 0;
  for (int i = 0; i < std::atoi(argv[2]); ++i) {
    long status = 0;
    const auto once = [&](cairn::ratelimit::SeenResponse& response) -> cairn::Status {
      auto fields = std::make_shared<Fields>();
      curl_easy_setopt(curl.get(), CURLOPT_HEADERDATA, fields.get());
      curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &response.body);
      ++sent;
      if (const CURLcode code = curl_easy_perform(curl.get()); code != CURLE_OK)
        return cairn::Error{cairn::ErrorKind::unavailable, "", curl_easy_strerror(code)};
      curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
      response.status = static_cast<int>(status);
      response.header = [fields](std::string_view name) -> std::optional<std::string> {
        const auto found = fields->find(name);
        if (found == fields->end()) return std::nullopt;
        return found->second;
      };
      return cairn::ok_status();
    };
    // It waits as long as the service says, here for a minute in all.
    const cairn::Status done =
        rules.send({.identity = authorization}, once, cairn::os::Deadline::in_ms(60'000));
    if (!done.ok()) {
      std::fprintf(stderr, "polite_client: %s\n", done.error().message.c_str());
      return 1;
    }
    std::printf("%ld after %d requests\n", status, sent);
  }
  curl_global_cleanup();
  return 0;
}
