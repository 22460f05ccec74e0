// SPDX-License-Identifier: Apache-2.0
// Listings page by page.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "objectclient/client.h"
#include "s3/shape.h"

namespace cairn::objectclient {

/// Moves the parameters of a listing on to its next page. False where `output` is the last one, or
/// where it is no listing.
bool turn_page(const s3::Shape& input_shape, void* input, const s3::Shape& output_shape,
               const void* output);

/// The pages of one listing. For one thread.
template <class In, class Out>
class Pages {
 public:
  using List = Response<Out> (Client::*)(const In&, const CallOptions&) const;
  Pages(Client client, List list, In params, CallOptions options)
      : client_(std::move(client)),
        list_(list),
        params_(std::move(params)),
        options_(std::move(options)) {}

  /// The next page; nothing after the last one, or after one that failed. Throws what the call
  /// throws.
  std::optional<Response<Out>> next() {
    if (done_) return std::nullopt;
    done_ = true;
    Response<Out> page = (client_.*list_)(params_, options_);
    if (page.ok())
      done_ = !turn_page(s3::shape_of<In>(), &params_, s3::shape_of<Out>(), &page.data());
    return page;
  }

 private:
  Client client_;
  List list_;
  In params_;
  CallOptions options_;
  bool done_ = false;
};

/// `auto pages = pages_of(client, &Client::list_objects_v2, {.bucket = "b"});`
/// `while (auto page = pages.next()) for (const auto& object : (*page)->contents) …`
template <class In, class Out>
Pages<In, Out> pages_of(const Client& client,
                        Response<Out> (Client::*list)(const In&, const CallOptions&) const,
                        std::type_identity_t<In> params, CallOptions options = {}) {
  return {client, list, std::move(params), std::move(options)};
}

}  // namespace cairn::objectclient
