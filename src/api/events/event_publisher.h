// SPDX-License-Identifier: Apache-2.0
// Events for all who listen: each value is read once, and sent to each listener that can take it.
#pragma once

#include <bitset>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/events/options.h"
#include "api/events/topic.h"
#include "base/result.h"
#include "net/http/parked_stream.h"
#include "os/clock.h"
#include "os/threads/thread.h"

namespace cairn::api {

/// One thread, which sleeps while nobody listens. A listener that is slow gets the newest value of
/// each topic once it can take one; nothing queues up for it. Safe from any thread.
class EventPublisher {
 public:
  static constexpr std::size_t topics_max = 16;
  using Topics = std::bitset<topics_max>;  // by their place in the list

  /// At most `topics_max` topics. `clock` outlives it.
  EventPublisher(std::vector<Topic> topics, EventOptions options, const os::Clock& clock);
  ~EventPublisher();
  EventPublisher(const EventPublisher&) = delete;
  EventPublisher& operator=(const EventPublisher&) = delete;

  /// Begins to publish. Errors: unavailable, where there is no thread to be had.
  Status start();
  /// Ends all streams. Nobody is taken afterwards.
  void stop();

  const std::vector<Topic>& topics() const { return topics_; }

 private:
  struct Counts {
    std::mutex mutex;
    std::size_t all = 0;                        // under mutex
    std::map<std::string, std::size_t> of_one;  // under mutex
  };

 public:
  /// One listener among those that there may be, until it goes.
  class Place {
   public:
    Place() = default;
    ~Place() { leave(); }
    Place(Place&& other) noexcept = default;
    Place& operator=(Place&& other) noexcept;

   private:
    friend class EventPublisher;
    void leave();
    std::shared_ptr<Counts> counts_ = {};  // null: none
    std::string key_ = {};
  };
  /// Errors: rate_limited, where so many listen already, in all or with this key.
  Result<Place> enter(const std::string& key);

  /// What a listener may hear now; nothing where it may listen no more. Asked every two seconds, on
  /// the publisher's thread; must not block.
  using StillAllowed = std::function<std::optional<Topics>()>;
  /// Events of `topics` from now on, the value of each first.
  void add(Place place, std::shared_ptr<net::ParkedStream> stream, Topics topics,
           StillAllowed still_allowed);

 private:
  struct Listener {
    Place place;
    std::shared_ptr<net::ParkedStream> stream;
    Topics topics;
    StillAllowed still_allowed;
    std::vector<std::uint64_t> seen = {};  // by topic: the id last sent, or how far a list was sent
    std::string notice = {};               // goes before the next events
    std::int64_t asked_ms = 0;             // when it was last allowed
    std::int64_t sent_ms = 0;
    std::int64_t rests_until_ms = 0;  // it could not take anything
    std::int64_t rest_ms = 0;
    bool ends = false;
  };
  struct Value {
    std::uint64_t id = 0;  // 0: not read yet
    std::string text = {};
    std::string event = {};  // as it is sent
    std::int64_t next_ms = 0;
    bool listened = false;
  };

  void work(const std::stop_token& stop);
  void take_arrivals(std::int64_t now_ms);
  void drop_gone(std::int64_t now_ms);
  void ask_again(Listener& listener, std::int64_t now_ms);
  void read_values(std::int64_t now_ms);
  void deliver(Listener& listener, std::int64_t now_ms);
  std::string batch_for(Listener& listener, std::vector<std::uint64_t>& seen);
  std::int64_t next_ms(std::int64_t now_ms) const;

  const std::vector<Topic> topics_;
  const EventOptions options_;
  const os::Clock& clock_;
  const std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();

  std::mutex mutex_;
  std::condition_variable_any woken_;
  std::vector<Listener> arrivals_;  // under mutex_
  bool stopped_ = false;            // under mutex_

  // Of the thread:
  std::vector<Listener> listeners_;
  std::vector<Value> values_;
  std::uint64_t last_id_ = 0;
  os::Thread thread_;
};

/// An event whose data is JSON on one line.
std::string event_text(std::string_view event, std::uint64_t id, std::string_view json);

}  // namespace cairn::api
