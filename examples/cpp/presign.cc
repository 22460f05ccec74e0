// SPDX-License-Identifier: Apache-2.0
// URLs for somebody who has no credentials: one to put an object, one to get it.
//   curl -T FILE "$(presign BUCKET KEY put)"
//   curl "$(presign BUCKET KEY get)"
#include <iostream>
#include <string_view>

#include <cairn/objects/client.h>
#include <cairn/objects/service_errors.h>

using namespace cairn::objectclient;

int main(int count, char** words) {
  const std::string_view what = count == 4 ? words[3] : "";
  if (what != "put" && what != "get") {
    std::cerr << "usage: presign BUCKET KEY put|get\n";
    return 64;
  }
  try {
    const Client client;
    // Nothing is sent: the URL is signed with the credentials of now, and good for ten minutes.
    std::cout << client.presigned_url(what == "put" ? "put_object" : "get_object",
                                      {{"bucket", words[1]}, {"key", words[2]}},
                                      {.expires_in_s = 600})
              << "\n";
  } catch (const ClientError& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
