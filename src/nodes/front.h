// SPDX-License-Identifier: Apache-2.0
// Who answers the requests of a listener: this node, or the one that serves the store.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "net/http/message.h"
#include "nodes/forwarder.h"
#include "nodes/reader.h"
#include "os/metrics.h"

namespace cairn::nodes {

struct FrontOptions {
  /// How long a request waits for a node that serves, unless its parameter master_timeout says so.
  std::int64_t wait_ms = 30'000;
  /// Before a node that did not take a request is asked again.
  std::int64_t again_ms = 100;
  /// How long a node that serves may say nothing before a reader answers what it can.
  std::int64_t silence_ms = 750;
  std::string nobody = "no node serves the store now";
  net::ErrorRenderer render_nobody = {};  // words that; empty: as other refusals
};

/// Safe from any thread.
class Front {
 public:
  /// `forwarder` outlives it. `render` words refusals.
  Front(Forwarder& forwarder, net::ErrorRenderer render, FrontOptions options = {});

  /// This node answers from now on. What runs in `handler` runs to stop_serving(). `may_answer` is
  /// asked before each request, which waits where it says no: what this node knows may be old then,
  /// since another one may serve by now. Must not block.
  /// `tell` answers the questions of replicas, as a handler does those of clients.
  using Tell = std::function<Result<std::string>(std::string_view question)>;
  void serve(
      net::Handler handler, std::function<bool()> may_answer = [] { return true; }, Tell tell = {});
  /// It answers no more. Waits until all that it began has ended: after `grace_ms` through the
  /// deadlines of those requests.
  void stop_serving(std::int64_t grace_ms);
  /// The node that serves, by its address; empty: nobody does as far as is known. What an earlier
  /// one was asked it may answer while it is among `living`, and is given up once it is not.
  void set_owner(const std::string& address, const std::vector<std::string>& living = {});
  /// Who answers what only reads while nobody serves, or whoever does is silent; null: nobody.
  void set_reader(std::shared_ptr<Reader> reader);
  /// Asks the node that serves whether it is there. To be called every now and then while there is
  /// a reader; blocks for silence_ms at most.
  void look_at_owner(const std::stop_token& stop);
  /// What the node that serves tells replicas; within silence_ms. Errors: unavailable, where nobody
  /// serves, it is silent, or may not say; those of the connection.
  Result<std::string> ask_owner(const std::string& question, const os::Deadline& deadline);
  /// Where requests go now: "here", an address, or empty.
  std::string target() const;

  /// Answers by this node, if it serves, whether it may answer or not: what is asked of the process
  /// and not of the store. False: it does not serve.
  bool answer_as_process(net::Exchange& exchange);
  /// Answers a client, by whoever serves; waits for one where there is none.
  void answer(net::Exchange& exchange);
  /// Answers for another node, or says that this one does not serve (421).
  void answer_forwarded(net::Exchange& exchange);

 private:
  struct Owner {
    std::string address;
    std::stop_source gone;
    std::stop_source silent;  // it may be heard again, and is then another Owner
  };
  struct Here {
    net::Handler handler;
    std::function<bool()> may_answer;
    Tell tell;
  };
  struct Target {
    std::shared_ptr<const Here> here;
    std::shared_ptr<const Owner> owner;
  };
  class Running;

  using Owners = std::vector<std::shared_ptr<const Owner>>;
  static Owners take_gone(Owners& former, const std::vector<std::string>& living);
  std::optional<Target> wait_for_target(const os::Deadline& deadline);
  bool answer_here(net::Exchange& exchange, net::BodyReader& body, bool asks_whether = true);
  void tell(net::Exchange& exchange);
  bool pass(PassedRequest& request, const Owner& owner, bool only_reads, std::string& why);
  std::shared_ptr<Reader> reader_for(const net::RequestHead& head) const;
  bool read_here(PassedRequest& request, Reader& reader);
  std::int64_t wait_ms_of(const net::RequestHead& head) const;
  void refuse_for_nobody(net::Exchange& exchange, const std::string& why);
  void refuse(net::Exchange& exchange, int status, const std::string& why);
  void refuse(PassedRequest& request, const std::string& address, const std::string& why);

  Forwarder& forwarder_;
  const net::ErrorRenderer render_;
  const FrontOptions options_;
  os::Counter& passed_on_;
  os::Counter& lost_;
  os::Counter& read_here_;

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  Target target_;                   // under mutex_
  Owners former_;                   // that may still answer; under mutex_
  std::shared_ptr<Reader> reader_;  // under mutex_
  std::size_t running_ = 0;         // calls of target_.here; under mutex_
  std::stop_source end_;            // of those; under mutex_
};

}  // namespace cairn::nodes
