// SPDX-License-Identifier: Apache-2.0
// Listings page by page.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "objectclient/client.h"
#include "objectclient/token_watch.h"
#include "s3/operations/shape.h"

namespace cairn::objectclient {

/// Moves the parameters of a listing on to its next page. False where `output` is the last one, or
/// where it is no listing.
bool turn_page(const s3::Shape& input_shape, void* input, const s3::Shape& output_shape,
               const void* output);

/// A page that says that it goes on has to say where, and not where it began.
/// Errors: corrupt, UnexpectedReplyError. Success for what is no listing.
Status check_next_page(const s3::Shape& input_shape, const void* input,
                       const s3::Shape& output_shape, const void* output);

/// The tokens of the next page that the parameters of a listing have, as one text.
std::string page_token(const s3::Shape& input_shape, const void* input);

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

  /// The next page; nothing after the last one, or after one that failed. A page that does not
  /// say where it goes on, or a listing that comes round, is a failure: UnexpectedReplyError.
  /// Throws what the call throws.
  std::optional<Response<Out>> next() {
    if (done_) return std::nullopt;
    done_ = true;
    Response<Out> page = (client_.*list_)(params_, options_);
    if (!page.ok()) return page;
    const s3::Shape& in = s3::shape_of<In>();
    Status good = check_next_page(in, &params_, s3::shape_of<Out>(), &page.data());
    done_ = !turn_page(in, &params_, s3::shape_of<Out>(), &page.data());
    if (good.ok() && !done_) good = watch_.see(page_token(in, &params_));
    if (good.ok()) return page;
    done_ = true;
    if (client_.raises()) throw_error(good.error(), page.call());
    return Response<Out>(good.error(), page.call());
  }

 private:
  Client client_;
  List list_;
  In params_;
  CallOptions options_;
  TokenWatch watch_;
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
