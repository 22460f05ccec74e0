// SPDX-License-Identifier: Apache-2.0
// Looks at a model, shows its licence, and sends what the server lacks of it.
#include "cli/models/model_import.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/encode.h"
#include "cli/exit_codes.h"
#include "cli/models/model_download.h"
#include "cli/models/model_folder.h"
#include "cli/objects/amounts.h"
#include "cli/objects/command.h"
#include "cli/objects/console.h"
#include "cli/objects/interrupt.h"
#include "cli/objects/progress.h"
#include "cli/verbs.h"
#include "os/files/files.h"

namespace cairn::cli {
namespace {

constexpr std::int64_t finish_wait_ms = 3'600'000;  // all bytes are read and digested once more
constexpr std::int64_t piece_wait_ms = 300'000;
constexpr std::string_view bucket_scheme = "s3://";

void say(const std::string& text) { std::fputs(text.c_str(), stderr); }

bool is_address(std::string_view source) {
  return source.starts_with("http://") || source.starts_with("https://");
}

/// A line on a terminal that is drawn anew, or one every ten seconds.
class Line {
 public:
  explicit Line(bool quiet)
      : console_(system_console({})),
        progress_(quiet                      ? ProgressStyle::none
                  : console_.err_is_terminal ? ProgressStyle::bar
                                             : ProgressStyle::lines,
                  console_.columns, os::system_clock()) {}
  ~Line() { say(progress_.clear()); }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  void expect(std::uint64_t bytes) {
    progress_.add_expected(bytes);
    progress_.all_expected();
  }
  void reach(std::uint64_t bytes) {
    progress_.add_bytes(static_cast<std::int64_t>(bytes - reached_));
    reached_ = bytes;
    say(progress_.next());
  }

 private:
  Console console_;
  Progress progress_;
  std::uint64_t reached_ = 0;
};

/// Where downloads are kept until they were taken in, so that a cut one goes on.
Result<std::string> cache_folder(const Environment& environment, const std::string& model_id) {
  const auto cache = environment("XDG_CACHE_HOME");
  if (cache && cache->starts_with('/')) return *cache + "/cairn/models/" + model_id;
  const auto home = environment("HOME");
  if (home && home->starts_with('/')) return *home + "/.cache/cairn/models/" + model_id;
  return Error{.kind = ErrorKind::invalid_argument,
               .message = "neither XDG_CACHE_HOME nor HOME names a folder for downloads"};
}

struct Import {
  const Arguments& arguments;
  const Environment& environment;
  std::string source = {};
  std::string model_id = {};
  std::string folder = {};
  std::string file = {};  // of the folder, where the model is one file
  bool fetched = false;  // `folder` is a download, removed in the end
  bool quiet = false;
  os::Deadline deadline = os::Deadline::never();
};

/// Copies a bucket's folder by `cairn objects sync`, which goes on with what is there.
int fetch_bucket(const Import& import) {
  std::vector<std::string> words{"sync", import.source, import.folder};
  for (const std::string_view option : {"--endpoint-url", "--region", "--profile"}) {
    if (const auto value = import.arguments.option(option)) {
      words.emplace_back(option);
      words.push_back(*value);
    }
  }
  Interrupts interrupts;
  Console console = system_console([&] { interrupts.lose_output(); });
  console.out = console.err;  // what is printed is the id of the model, and nothing else
  if (import.quiet) words.emplace_back("--quiet");
  ObjectRun run{.environment = import.environment,
                .console = std::move(console),
                .deadline = os::Deadline::never(interrupts.stop())};
  const int status = run_objects(words, run);
  return interrupts.stopped() && status != success ? interrupts.exit_status() : status;
}

int fetch_model(Import& import) {
  const auto folder = cache_folder(import.environment, import.model_id);
  if (!folder.ok()) return explain(folder.error());
  import.folder = *folder;
  import.fetched = true;
  if (!is_address(import.source)) {
    const auto made = os::system_files().make_directories(import.folder, 0700);
    return made.ok() ? fetch_bucket(import) : explain(made.error());
  }
  Line line(import.quiet);
  const auto progress = [&](const std::string&, std::uint64_t bytes) { line.reach(bytes); };
  const Status done =
      download_model(import.source, os::system_files(), import.folder, progress, import.deadline);
  return done.ok() ? success : explain(done.error());
}

void remove_tree(os::Files& files, const std::string& folder) {
  const auto names = files.list(folder);
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    const std::string path = folder + "/" + name;
    const auto info = files.info(path);
    if (info.ok() && info->is_directory)
      remove_tree(files, path);
    else
      (void)files.remove(path);
  }
  (void)files.remove_directory(folder);
}

void remove_download(const std::string& folder) {
  remove_tree(os::system_files(), folder);
  remove_tree(os::system_files(), etag_folder(folder));
}

/// Sends the pieces that the server misses, one after another.
int send_pieces(const Import& import, Connection& connection, const std::string& path,
                const Json& begun) {
  Line line(import.quiet);
  line.expect(static_cast<std::uint64_t>(begun.int_or("total_bytes")));
  std::uint64_t sent = static_cast<std::uint64_t>(begun.int_or("received_bytes"));
  line.reach(sent);
  const Json* missing = begun.find("missing");
  if (missing == nullptr || !missing->is_array()) return success;
  for (const Json& piece : missing->as_array()) {
    const std::string name = piece.string_or("file");
    const auto offset = static_cast<std::uint64_t>(piece.int_or("offset"));
    const auto count = static_cast<std::size_t>(piece.int_or("size_bytes"));
    const auto file = os::system_files().open(import.folder + "/" + name, os::OpenMode::read);
    if (!file.ok()) return explain(file.error());
    std::string bytes(count, '\0');
    const auto read = (*file)->read_at(offset, bytes.data(), count);
    if (!read.ok()) return explain(read.error());
    bytes.resize(*read);
    if (const Status going = import.deadline.check("importing"); !going.ok())
      return explain(going.error());
    const auto answer = connection.send(
        "PUT", path + "/_piece?file=" + percent_encode(name) + "&offset=" + std::to_string(offset),
        bytes, "application/octet-stream", piece_wait_ms);
    if (!answer.ok()) return explain(answer.error());
    if (answer->status != 200) return explain(*answer);
    line.reach(sent += count);
  }
  return success;
}

int take_in(const Import& import, const LocalModel& model, Connection& connection) {
  Json files = Json::array();
  for (const LocalModelFile& file : model.files) {
    files.push(Json::object(
        {{"name", file.name}, {"size_bytes", file.size_bytes}, {"sha256", file.sha256}}));
  }
  const Json list = Json::object({{"files", std::move(files)}});
  const std::string path = "/_cairn/models/" + percent_encode(import.model_id);
  const auto begun = connection.ask("PUT", path, &list);
  if (!begun.ok()) return explain(begun.error());
  if (begun->status != 200) return explain(*begun);
  if (begun->body.bool_or("complete")) {
    if (import.arguments.flag("--json")) print_json(begun->body);
    say("model " + import.model_id + " is in the store already\n");
    return success;
  }
  if (const int sent = send_pieces(import, connection, path, begun->body); sent != success)
    return sent;
  const auto done = connection.send("POST", path + "/_finish", "", "", finish_wait_ms);
  if (!done.ok()) return explain(done.error());
  if (done->status != 200) return explain(*done);
  if (import.arguments.flag("--json"))
    print_json(done->body);
  else
    std::printf("%s\n", import.model_id.c_str());
  say("model " + import.model_id +
      " taken in: " + human_bytes(static_cast<std::uint64_t>(done->body.int_or("size_bytes"))) +
      ", " + std::to_string(model.files.size()) + " files\n");
  return success;
}

/// Whether a path is a GGUF file, and no folder of that name.
bool names_file(const std::string& source) {
  if (!names_gguf(source)) return false;
  const auto info = os::system_files().info(source);
  return !info.ok() || !info->is_directory;
}

int run_import(Import& import, Connection& connection) {
  const bool elsewhere = is_address(import.source) || import.source.starts_with(bucket_scheme);
  if (elsewhere) {
    if (const int fetched = fetch_model(import); fetched != success) return fetched;
  } else if (names_file(import.source)) {
    const std::size_t slash = import.source.rfind('/');
    import.file = import.source.substr(slash + 1);
    import.folder = slash == std::string::npos ? "." : import.source.substr(0, slash + 1);
  } else {
    import.folder = import.source;
  }
  Result<LocalModel> model = LocalModel();
  {
    Line line(import.quiet);
    bool expected = false;
    const auto progress = [&](std::uint64_t done, std::uint64_t total) {
      if (!expected) line.expect(total);
      expected = true;
      line.reach(done);
    };
    model = import.file.empty()
                ? look_at_model(os::system_files(), import.folder, progress, import.deadline)
                : look_at_file(os::system_files(), import.folder, import.file, progress,
                               import.deadline);
  }
  if (!model.ok()) {
    // What was damaged on its way is fetched anew the next time.
    if (import.fetched && model.error().kind == ErrorKind::corrupt)
      remove_download(import.folder);
    return explain(model.error());
  }
  if (!model->left_out.empty()) {
    say("left out, as no part of the model: " + std::to_string(model->left_out.size()) +
        " files (" + model->left_out.front() + (model->left_out.size() > 1 ? ", …)\n" : ")\n"));
  }
  say(model->license.empty() ? "the folder has no licence text\n"
                             : "licence of " + import.model_id + ":\n" + model->license + "\n");
  const int taken = take_in(import, *model, connection);
  if (taken == success && import.fetched) remove_download(import.folder);
  return taken;
}

}  // namespace

int import_model(const std::vector<std::string>& words, const Environment& environment,
                 std::string_view usage) {
  Syntax syntax{.options = {"--id", "--endpoint-url", "--region", "--profile"},
                .flags = {"--json", "--quiet"},
                .words_min = 1,
                .words_max = 1};
  Connection::add_options(syntax);
  const auto arguments = Arguments::parse(words, syntax);
  if (!arguments.ok()) return misused(arguments.error().message, usage);
  Import import{.arguments = *arguments, .environment = environment};
  import.source = arguments->words()[0];
  import.model_id = arguments->option("--id").value_or(model_id_of(import.source));
  import.quiet = arguments->flag("--quiet");
  if (import.model_id.empty())
    return misused("the source gives the model no name: choose one with --id", usage);
  auto connection = Connection::open(*arguments, environment);
  if (!connection.ok()) return explain(connection.error());
  if (import.source.starts_with(bucket_scheme)) return run_import(import, *connection);
  Interrupts interrupts;
  import.deadline = os::Deadline::never(interrupts.stop());
  const int status = run_import(import, *connection);
  return interrupts.stopped() && status != success ? interrupts.exit_status() : status;
}

}  // namespace cairn::cli
