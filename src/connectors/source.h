// SPDX-License-Identifier: Apache-2.0
// What a kind of source offers: its configuration, a walk over its items, and each item's
// documents.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "connectors/extract/file.h"
#include "format/json.h"
#include "os/deadline.h"

namespace cairn::connectors {

/// One document of an item. The run adds `path`, `size` and `modified` of the item, unless the
/// source gives the whole document.
struct SourceDocument {
  std::string title = {};
  std::string body = {};
  Json fields = Json::object();  // members besides title and body
  std::string whole = {};        // JSON text of an object; where it is there, nothing above counts
  std::string routing = {};      // of the document; empty: none
  std::string part = {};         // of the item, for people: "message 3"; empty: it is all of it
};

/// What the listing itself holds of an item: read() is not asked for it.
struct SourceContent {
  std::string content_hash;
  std::vector<SourceDocument> documents;
};

/// One thing that a source holds. `version` changes when the thing may have changed; an empty one
/// says nothing, so that the content is looked at.
struct SourceItem {
  std::string path;     // unique within the source, "/" between parts
  std::string version;  // opaque
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ms = 0;  // 0: the source does not tell
  std::optional<SourceContent> content = {};
  /// By which names whoever may read it goes (SourceIdentity::names), ascending; the documents say
  /// so. Nothing: the source does not tell, or is not asked to.
  std::optional<std::vector<std::string>> readers = {};
};

/// Somebody whom a source knows.
struct SourceIdentity {
  std::string id;                       // unique within the source
  Json identity;                        // what is known of them, an object
  std::vector<std::string> names = {};  // that items call them by
};

struct UnreadableItem {
  std::string path;  // of an item, or of a folder whose content is unknown now
  std::string reason;
};

/// Some items, in the order in which the source gives them.
struct SourcePage {
  std::vector<SourceItem> items = {};
  std::vector<std::string> removed = {};      // paths that are gone; of a walk over changes only
  std::size_t skipped = 0;                    // of a kind that holds no text, by name
  std::vector<UnreadableItem> left_out = {};  // those of `skipped` whose names are told
  std::vector<UnreadableItem> unreadable = {};
  std::vector<std::string> kept = {};  // folders whose items stay, though nothing names them
  std::uint64_t total = 0;             // items of the whole walk, where it is known; else 0
  std::uint64_t total_bytes = 0;       // of them, in the same way
  bool last = false;
};

/// A walk over a source, page by page, so that no listing has to fit into memory. One thread; it
/// ends before its source.
class Walk {
 public:
  virtual ~Walk() = default;
  /// The next page. Not asked after the last. Errors end the run, which may begin anew.
  virtual Result<SourcePage> next(const os::Deadline& deadline) = 0;
  /// True where the walk names all that the source holds: what it did not name is gone. False where
  /// it names what changed since a cursor.
  virtual bool is_whole() const { return true; }
  /// After the last page: where a later walk over changes can begin; empty: nowhere.
  virtual std::string cursor() const { return {}; }
  /// Where another walk after the same cursor can go on, once what this one gave is recorded;
  /// empty: it begins anew.
  virtual std::string place() const { return {}; }
  /// Before the first page: goes on at such a place, where that can be read. Gives again what was
  /// given before it, as far as `is_recorded` says so of an item; looks again at the rest.
  virtual void resume_at(const std::string&, const std::function<bool(const SourceItem&)>&) {}
};

/// A walk over a page that is there already.
std::unique_ptr<Walk> walk_of(SourcePage all);

/// Takes the documents of one item.
class DocumentSink {
 public:
  virtual ~DocumentSink() = default;
  /// Called first, with a hash of the item's bytes. False where nothing changed: the source gives
  /// no document then.
  virtual bool wants(const std::string& content_hash) = 0;
  /// Documents of an item have an order, which makes their ids. An error is the run's: the source
  /// passes it on at once.
  virtual Status add(SourceDocument document) = 0;
  /// Title and text of a file's bytes, by the name that it has. Errors: as Extractor::extract.
  /// `charset`: the encoding that whoever sent them says; empty: nobody did.
  virtual Result<ExtractedFile> extract(std::string_view name, std::string_view bytes,
                                        std::string_view charset) = 0;
};

/// Whom a source tells that it works, while a call takes long or waits.
class Pulse {
 public:
  virtual ~Pulse() = default;
  /// At least each ten seconds; costs nothing when it is called more often. `doing` is for people:
  /// "resumes 14:32". Errors: cancelled, where the run is to end.
  virtual Status beat(std::string_view doing) = 0;
};

/// What somebody said of changes in a source.
struct ToldChange {
  bool concerns = false;                // something that the source reads
  std::vector<std::string> paths = {};  // of the items; none: it is not known which
};

/// An opened source. Used by one thread at a time.
class Source {
 public:
  virtual ~Source() = default;
  /// Null: nobody is told.
  void set_pulse(Pulse* pulse) { pulse_ = pulse; }
  /// A walk over everything, or over what changed since the `cursor` that an earlier walk gave. A
  /// source that cannot tell what changed walks over everything. Errors: of the source as a whole.
  virtual Result<std::unique_ptr<Walk>> walk(const std::string& cursor,
                                             const os::Deadline& deadline) = 0;
  /// A walk over these items alone, of which some may be gone. Null: the source has no such walk.
  virtual Result<std::unique_ptr<Walk>> walk_told(const std::vector<std::string>&,
                                                  const os::Deadline&) {
    return std::unique_ptr<Walk>();
  }
  /// The documents of an item. Errors, none of which is fatal to a run: unsupported (no text
  /// inside), too_large, and others (not_found, permission_denied, unavailable, …), which count
  /// against the error budget.
  virtual Status read(const SourceItem& item, DocumentSink& sink, const os::Deadline& deadline) = 0;
  /// Whether it can be reached and read, and what it says of itself: members of an object. Reads as
  /// little as that needs.
  virtual Result<Json> check(const os::Deadline& deadline) = 0;
  /// Everybody whom the source knows. Of sources whose type has_access_control().
  virtual Result<std::vector<SourceIdentity>> identities(const os::Deadline&) {
    return std::vector<SourceIdentity>();
  }
  /// True where an item is one document whose id is the item's path.
  virtual bool paths_are_ids() const { return false; }

 protected:
  Status beat(std::string_view doing) {
    return pulse_ == nullptr ? ok_status() : pulse_->beat(doing);
  }

 private:
  Pulse* pulse_ = nullptr;
};

/// Tells when a source may have changed. For one thread.
class SourceWatch {
 public:
  virtual ~SourceWatch() = default;
  /// Whether it may have since this was asked last; does not wait for that. Errors: the watch is
  /// over.
  virtual Result<bool> changed(const os::Deadline& deadline) = 0;
  /// Why changes are seen late, for people; empty where they are seen at once.
  virtual const std::string& limit() const = 0;
};

/// A kind of source, under the `service_type` that names it. Safe from any thread.
class SourceType {
 public:
  virtual ~SourceType() = default;
  /// The configuration entries with their types, labels and default values.
  virtual Json configuration_schema() const = 0;
  /// Refuses values that can never work. `configuration` is the map of entries with their values.
  virtual Status validate(const Json& configuration) const = 0;
  virtual Result<std::unique_ptr<Source>> open(const Json& configuration) const = 0;
  /// Whether the configuration asks that items tell their readers; then identities() works.
  virtual bool has_access_control(const Json&) const { return false; }
  /// Whether what a store, a host or the like sent to tell of changes is about what the source
  /// reads. Errors: status_exception where nothing is told to such a source;
  /// illegal_argument_exception for what cannot be read.
  virtual Result<ToldChange> concerns(const Json& configuration, const Json& event) const;
  /// Whether the configuration asks for syncs as soon as something changed; then watch() works.
  virtual bool is_watched(const Json&) const { return false; }
  virtual Result<std::unique_ptr<SourceWatch>> watch(const Json&) const {
    return std::unique_ptr<SourceWatch>();
  }
};

using SourceTypes = std::map<std::string, std::unique_ptr<const SourceType>, std::less<>>;

}  // namespace cairn::connectors
