// SPDX-License-Identifier: Apache-2.0
#include "app/monitoring/metric_table.h"

#include <array>
#include <string>
#include <string_view>

#include "inference/endpoint_metrics.h"

namespace cairn::app {
namespace {

using os::MetricKind;

struct FamilyRow {
  MetricKind kind;
  std::string_view name;
  std::string_view help;
  bool plain = true;  // without labels, so that it can be shown as 0
  // Where its one label has few values they are shown as 0, so that a first event is an increase.
  std::string_view label = {};
  std::array<std::string_view, 6> values = {};
};

constexpr FamilyRow table[] = {
    {MetricKind::counter, "cairn_audit_lost_total", "Audit lines that could not be written"},
    {MetricKind::counter,
     "cairn_node_forwarded_requests_total",
     "Requests to this node while another one serves: passed on, lost on the way, or read here.",
     false,
     "result",
     {"answered", "unknown", "read_here"}},
    {MetricKind::counter, "cairn_http_requests_total", "Requests answered", false},
    {MetricKind::histogram, "cairn_http_request_duration_seconds",
     "From the head of a request to the end of its reply", false},
    {MetricKind::counter,
     "cairn_connectors_sync_jobs_total",
     "Sync runs by how they ended.",
     false,
     "status",
     {"completed", "canceled", "suspended", "error"}},
    {MetricKind::gauge, "cairn_connectors_syncs_running", "Sync runs that are under way"},
    {MetricKind::counter,
     "cairn_connectors_documents_total",
     "Documents that ended sync runs wrote",
     false,
     "kind",
     {"indexed", "deleted"}},
    {MetricKind::gauge, "cairn_connectors_last_success_timestamp_seconds",
     "When a sync of the connector was last completed, in Unix time", false},
    {MetricKind::counter, "cairn_inference_inputs_total", "Inputs that models have run", false},
    {MetricKind::counter, "cairn_inference_errors_total", "Inputs that a model failed on", false},
    {MetricKind::counter, "cairn_inference_rejected_total",
     "Calls refused since the queue was full", false},
    {MetricKind::counter, "cairn_inference_timeouts_total",
     "Calls whose time ended before a result", false},
    {MetricKind::counter, "cairn_inference_cpu_seconds_total", "CPU time of models, whoever asked",
     false},
    {MetricKind::histogram, "cairn_inference_batch_seconds", "Time of one batch on an allocation",
     false},
    {MetricKind::counter,
     "cairn_objects_lifecycle_actions_total",
     "What lifecycle rules did to versions, markers and uploads",
     false,
     "action",
     {"expired", "marker_removed", "noncurrent_removed", "upload_aborted"}},
    {MetricKind::counter, "cairn_objects_lifecycle_walks_total",
     "Walks of lifecycle rules over all buckets"},
    {MetricKind::counter, "cairn_objects_scrub_rounds_total",
     "Rounds of the scrubber that came to their end"},
    {MetricKind::counter,
     "cairn_objectstore_changes_total",
     "Changes of objects that were made durable",
     false,
     "kind",
     {"put", "delete", "change", "rename", "copy", "append"}},
    {MetricKind::counter, "cairn_objectstore_reads_total", "Bodies of objects that were opened"},
    {MetricKind::counter, "cairn_objectstore_file_bytes_total",
     "Bytes of bodies that went out as they lie in their files, which were verified a short time "
     "before"},
    {MetricKind::counter, "cairn_objectstore_corrupt_blocks_total",
     "Stored blocks whose checksum did not verify when read"},
    {MetricKind::counter, "cairn_objectstore_scrubbed_bytes_total",
     "Bytes of bodies that the scrubber verified"},
    {MetricKind::gauge, "cairn_objectstore_damaged_objects",
     "Objects that the scrubber found damaged in its last two rounds"},
    {MetricKind::counter, "cairn_objectstore_collected_extents_total",
     "Extent files that were removed because nothing used them"},
    {MetricKind::counter, "cairn_objectstore_collected_bytes_total",
     "Bytes of extent files that were removed"},
    {MetricKind::gauge, "cairn_objectstore_free_bytes",
     "Free space on the disk of the data folder"},
    {MetricKind::gauge, "cairn_objectstore_writable",
     "1 while the metadata take writes, 0 since a failed write", false},
    {MetricKind::gauge, "cairn_objectstore_released_extents",
     "Extents that are read and lost their last reference"},
    {MetricKind::histogram, "cairn_objectstore_commit_seconds",
     "From handing a change to RocksDB until it is durable"},
    {MetricKind::counter, "cairn_mirror_lost_sides_total",
     "How often a folder of the mirror was put aside"},
    {MetricKind::counter, "cairn_mirror_read_around_total",
     "Reads that one folder of the mirror could not give, and the other gave"},
    {MetricKind::counter, "cairn_mirror_mended_bytes_total",
     "Bytes that were damaged in one folder of the mirror and written anew from the other"},
    {MetricKind::counter, "cairn_mirror_filled_bytes_total",
     "Bytes that were copied to fill a folder of the mirror"},
    {MetricKind::gauge, "cairn_mirror_damaged_files",
     "Files that the last comparison of the mirror's folders found and could not mend"},
    {MetricKind::counter,
     "cairn_snapshots_created_total",
     "Snapshots by how they ended.",
     false,
     "state",
     {"SUCCESS", "FAILED", "ABORTED"}},
    {MetricKind::gauge, "cairn_snapshots_last_success_timestamp_seconds",
     "When a snapshot into the repository last succeeded, in Unix time", false},
    {MetricKind::counter, "cairn_backups_total", "Backups that ended, by their outcome", false,
     "outcome", {"success", "failure"}},
    {MetricKind::gauge, "cairn_backup_last_success_timestamp_seconds",
     "When the last backup that succeeded was begun, since this server started", false},
    {MetricKind::gauge, "cairn_backup_last_size_bytes",
     "What a restore of the last backup would write", false},
    {MetricKind::gauge, "cairn_backup_last_added_bytes",
     "What the last backup added to its repository", false},
    {MetricKind::gauge, "cairn_backup_last_duration_seconds", "How long the last backup took",
     false},
    {MetricKind::counter, "cairn_audit_ship_failures_total",
     "Rounds in which the audit log was not shipped up to its end"},
    {MetricKind::counter, "cairn_audit_shipped_lines_total",
     "Lines of the audit log that were put into its bucket"},
    {MetricKind::counter, "cairn_messages_total", "Messages to people, by what became of them",
     false, "result", {"sent", "failed", "given_up"}},
    // Of traces that are exported.
    {MetricKind::counter,
     "cairn_trace_spans_total",
     "Steps of traces that the collector took, or did not",
     false,
     "result",
     {"exported", "failed"}},
    {MetricKind::counter, "cairn_trace_spans_dropped_total",
     "Steps of traces that found the queue full", false},
    {MetricKind::gauge, "cairn_trace_queue_spans", "Steps of traces that wait to be exported",
     false},
    // Of limits that are shared through Redis.
    {MetricKind::counter, "cairn_ratelimit_known_denials_total",
     "Refusals without a call to the shared state."},
    {MetricKind::counter, "cairn_ratelimit_decided_apart_total",
     "Decisions while the shared state was away."},
    {MetricKind::counter, "cairn_ratelimit_merged_windows_total",
     "Windows merged when the shared state was back."},
    {MetricKind::histogram, "cairn_ratelimit_store_seconds",
     "Time of a call to the shared state of the rate limits."},
    {MetricKind::counter, "cairn_ratelimit_store_failures_total",
     "Calls to the shared state of the rate limits that failed."},
    {MetricKind::gauge, "cairn_ratelimit_fallback_active",
     "Servers of the shared state that this node does without."},
};

}  // namespace

void declare_metrics(os::Metrics& metrics) {
  for (const FamilyRow& row : table) {
    if (!row.plain) {
      metrics.declare(row.kind, row.name, row.help);
      for (const std::string_view value : row.values)
        if (!value.empty())
          metrics.counter(row.name, row.help, {{std::string(row.label), std::string(value)}});
    } else if (row.kind == MetricKind::counter) {
      metrics.counter(row.name, row.help);
    } else if (row.kind == MetricKind::gauge) {
      metrics.gauge(row.name, row.help);
    } else {
      metrics.histogram(row.name, row.help);
    }
  }
  inference::declare_endpoint_metrics();
}

}  // namespace cairn::app
