// SPDX-License-Identifier: Apache-2.0
#include "cli/objects/transfer/transfer_settings.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "cli/objects/amounts.h"
#include "cli/objects/parameters.h"
#include "s3/model.h"

namespace cairn::cli {
namespace {

constexpr std::uint64_t parts_max = 10'000;
constexpr int jobs_max = 256;

/// Options that are a parameter of the operations.
struct ParameterOption {
  std::string_view word;
  std::string_view parameter;
};
constexpr ParameterOption parameter_options[] = {
    {"--acl", "acl"},
    {"--cache-control", "cache_control"},
    {"--checksum-algorithm", "checksum_algorithm"},
    {"--content-disposition", "content_disposition"},
    {"--content-encoding", "content_encoding"},
    {"--content-language", "content_language"},
    {"--content-type", "content_type"},
    {"--expected-bucket-owner", "expected_bucket_owner"},
    {"--expires", "expires"},
    {"--if-match", "if_match"},
    {"--if-none-match", "if_none_match"},
    {"--metadata-directive", "metadata_directive"},
    {"--request-payer", "request_payer"},
    {"--sse", "server_side_encryption"},
    {"--sse-c", "sse_customer_algorithm"},
    {"--sse-c-copy-source", "copy_source_sse_customer_algorithm"},
    {"--sse-kms-key-id", "ssekms_key_id"},
    {"--storage-class", "storage_class"},
    {"--tagging", "tagging"},
    {"--website-redirect", "website_redirect_location"}};
// Secrets, that a file may hold.
constexpr ParameterOption key_options[] = {
    {"--sse-c-key", "sse_customer_key"},
    {"--sse-c-copy-source-key", "copy_source_sse_customer_key"}};

Error transfer_fault(std::string text) {
  return {ErrorKind::invalid_argument, {}, std::move(text)};
}

Status read_amount(const Arguments& arguments, std::string_view word, std::uint64_t& into) {
  const auto given = arguments.option(word);
  if (!given) return ok_status();
  const auto bytes = parse_bytes(*given);
  if (!bytes)
    return transfer_fault(std::string(word) + " takes a number of bytes, as 8MiB: " + *given);
  into = *bytes;
  return ok_status();
}

// Told before anything moves: the service would refuse larger parts, and smaller ones only once
// all of them have arrived.
Status check_part_size(const Arguments& arguments, std::uint64_t bytes, bool into_bucket) {
  const auto given = arguments.option("--part-size");
  if (!given) return ok_status();
  if (!into_bucket)
    return bytes > 0 ? ok_status() : Status(transfer_fault("--part-size takes 1 byte or more"));
  if (bytes >= s3::part_bytes_min && bytes <= s3::put_bytes_max) return ok_status();
  return transfer_fault("--part-size takes 5MiB to 5GiB, as parts of an upload have: " + *given);
}

Status read_parts(const Arguments& arguments, bool into_bucket, TransferSettings& settings) {
  CAIRN_CHECK(read_amount(arguments, "--part-size", settings.parts.part_bytes));
  CAIRN_CHECK(check_part_size(arguments, settings.parts.part_bytes, into_bucket));
  CAIRN_CHECK(read_amount(arguments, "--multipart-threshold", settings.parts.threshold_bytes));
  if (arguments.option("--multipart-threshold"))
    settings.copy_threshold_bytes =
        std::min(settings.copy_threshold_bytes, settings.parts.threshold_bytes);
  if (arguments.option("--expected-size")) {
    std::uint64_t size = 0;
    CAIRN_CHECK(read_amount(arguments, "--expected-size", size));
    settings.expected_size = size;
    settings.parts.part_bytes =
        std::max(settings.parts.part_bytes, (size + parts_max - 1) / parts_max);
  }
  if (const auto jobs = arguments.option("--jobs")) {
    const auto number = parse_number<int>(*jobs);
    if (!number || *number < 1 || *number > jobs_max)
      return transfer_fault("--jobs takes a number from 1 to 256: " + *jobs);
    settings.jobs = *number;
  }
  return ok_status();
}

Status read_parameter_options(const Arguments& arguments, Params& params) {
  for (const auto& [word, parameter] : parameter_options)
    if (const auto value = arguments.option(word))
      params.emplace_back(std::string(parameter), *value);
  for (const auto& [word, parameter] : key_options) {
    const auto given = arguments.option(word);
    if (!given) continue;
    CAIRN_TRY(std::string key, text_or_file(*given));
    params.emplace_back(std::string(parameter), std::move(key));
  }
  if (const auto metadata = arguments.option("--metadata")) {
    auto map = read_text_map(*metadata);
    if (!map.ok()) return with_context(std::move(map).error(), "--metadata");
    params.emplace_back("metadata", *std::move(map));
  }
  return ok_status();
}

std::string state_folder(const Environment& environment) {
  const auto variable = [&](std::string_view name) {
    return environment ? environment(name).value_or("") : std::string();
  };
  if (const std::string state = variable("XDG_STATE_HOME"); !state.empty())
    return state + "/cairn/uploads";
  const std::string home = variable("HOME");
  return (home.empty() ? std::string("/tmp") : home + "/.local/state") + "/cairn/uploads";
}

}  // namespace

void add_transfer_options(Syntax& syntax) {
  for (const auto& [word, parameter] : parameter_options) syntax.options.emplace_back(word);
  for (const auto& [word, parameter] : key_options) syntax.options.emplace_back(word);
  for (const auto* word :
       {"--metadata", "--part-size", "--multipart-threshold", "--expected-size", "--jobs"})
    syntax.options.emplace_back(word);
  for (const auto* word : {"--no-guess-mime-type", "--no-clobber", "--no-overwrite", "--resume"})
    syntax.flags.emplace_back(word);
}

std::string_view transfer_options_help() {
  return "  --include PATTERN  --exclude PATTERN   in order, the last that matches decides; * "
         "also\n"
         "                              stands for /; names below the folder or prefix\n"
         "  --no-clobber                what is there already stays; --if-match ETAG,\n"
         "                              --if-none-match '*'\n"
         "  --content-type TYPE         else by the ending; --no-guess-mime-type: not at all\n"
         "  --metadata a=b,c=d          --cache-control, --content-encoding, --content-language,\n"
         "                              --content-disposition, --expires, --tagging,\n"
         "                              --website-redirect, --metadata-directive COPY|REPLACE\n"
         "  --storage-class CLASS       --acl ACL\n"
         "  --sse AES256|aws:kms        --sse-kms-key-id ID; --sse-c AES256 --sse-c-key @FILE;\n"
         "                              --sse-c-copy-source, --sse-c-copy-source-key\n"
         "  --checksum-algorithm NAME   CRC32, CRC32C, CRC64NVME, SHA1 or SHA256\n"
         "  --resume                    goes on with an upload that was stopped\n"
         "  --part-size 8MiB            5MiB to 5GiB; --multipart-threshold 16MiB\n"
         "  --jobs 10                   files, or parts of one file, on their way at once\n"
         "  --dry-run                   says what it would do\n"
         "  --json                      a JSON object a line\n"
         "  --quiet                     errors only; --no-progress; --progress: also where\n"
         "                              standard error is no terminal, a line every 10 s\n";
}

Result<TransferSettings> read_transfer_settings(const Arguments& arguments,
                                                const Environment& environment, bool into_bucket) {
  TransferSettings settings;
  CAIRN_CHECK(read_parts(arguments, into_bucket, settings));
  CAIRN_CHECK(read_parameter_options(arguments, settings.params));
  settings.guess_type =
      !arguments.flag("--no-guess-mime-type") && !arguments.option("--content-type");
  settings.no_clobber = arguments.flag("--no-clobber") || arguments.flag("--no-overwrite");
  if (settings.no_clobber && arguments.option("--if-none-match"))
    return transfer_fault("--no-clobber and --if-none-match say the same");
  settings.resume = arguments.flag("--resume");
  settings.resume_folder = state_folder(environment);
  // A key alone says what it is for.
  for (const std::string_view prefix : {"", "copy_source_"}) {
    const std::string algorithm = std::string(prefix) + "sse_customer_algorithm";
    const std::string key = std::string(prefix) + "sse_customer_key";
    const auto has = [&](const std::string& name) {
      return std::any_of(settings.params.begin(), settings.params.end(),
                         [&](const auto& param) { return param.first == name; });
    };
    if (has(key) && !has(algorithm)) settings.params.emplace_back(algorithm, "AES256");
    if (has(algorithm) && !has(key))
      return transfer_fault("--sse-c needs its key: --sse-c-key @FILE");
  }
  return settings;
}

}  // namespace cairn::cli
