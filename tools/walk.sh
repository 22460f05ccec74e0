# Sourced by ./quickstart: what it says, asks and waits for. Keeps the server's process id in server_pid.

walk=$PWD/build/quickstart
documents=$walk/documents
translations=$walk/translations
languages="de fr pl"
started_at=$SECONDS
server_pid=
mkdir -p "$walk"

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
  bold=$'\e[1m' dim=$'\e[2m' red=$'\e[31m' green=$'\e[32m' plain=$'\e[0m'
else
  bold= dim= red= green= plain=
fi

heading() { printf '\n%s%s%s\n' "$bold" "$1" "$plain"; }
say() { printf '  %s\n' "$1"; }
now_ms() { date +%s%3N; }

fail() {
  printf '\n%squickstart stopped: %s%s\n' "$red" "$1" "$plain" >&2
  if [ -n "$server_pid" ]; then
    echo "the server's last lines ($walk/server.log):" >&2
    tail -n 8 "$walk/server.log" >&2
    kill "$server_pid" 2>/dev/null
  fi
  exit 1
}

begin() { step_began=$(now_ms); say "$1"; }
done_in() { say "$green✓$plain $1 ${dim}$(($(now_ms) - step_began)) ms$plain"; }

# A bar of 40 places: done, of how many, and a word.
bar() {
  local filled=$(($2 > 0 ? $1 * 40 / $2 : 0)) line
  line=$(printf '%*s' "$filled" '' | tr ' ' '#')$(printf '%*s' $((40 - filled)) '' | tr ' ' '.')
  if [ -t 1 ]; then printf '\r  [%s] %s/%s %s ' "$line" "$1" "$2" "$3"; fi
}
end_bar() { if [ -t 1 ]; then printf '\r'; fi; printf '  [%s] %s\n' "$(printf '%*s' 40 '' | tr ' ' '#')" "$1"; }

# The answer is in $answer, its status in $status.
request() {
  local method=$1 path=$2 body=${3:-}
  local arguments=(-sS -o "$walk/answer" -w '%{http_code} %{time_total}' -X "$method")
  [ -n "${key:-}" ] && arguments+=(-H "Authorization: ApiKey $key")
  [ -n "$body" ] && arguments+=(-H 'Content-Type: application/json' --data-binary "$body")
  [ "$method" = HEAD ] && arguments+=(--head)
  local line
  line=$(curl "${arguments[@]}" "$api_url$path" 2>"$walk/curl.log") ||
    fail "no answer to $method $path: $(cat "$walk/curl.log")"
  status=${line%% *}
  took_ms=$(awk -v t="${line##* }" 'BEGIN { printf "%.1f", t * 1000 }')
  answer=$(cat "$walk/answer")
}

# The first line of a text, cut where a word ends. JSON is cut behind a comma or a bracket.
shown() {
  local line=${1%%$'\n'*} most=${2:-160} part
  if [ "${#line}" -le "$most" ]; then printf '%s\n' "$line"; return; fi
  part=${line:0:$((most - 1))}
  case $line in
    [\{\[]*) part=$(sed -E 's/(.*[],:{}[])[^],:{}[]*$/\1/' <<<"$part") ;;
    *) part=$(sed -E 's/[[:space:]]+[^[:space:]]*$//' <<<"$part") ;;
  esac
  printf '%s…\n' "$part"
}
hide() { if [ -n "${hidden:-}" ]; then sed "s/$hidden/••••/g"; else cat; fi; }
secret() { hidden=$(printf '%s' "$1" | sed 's/[][\\.*^$/]/\\&/g'); }

# api METHOD PATH [BODY [STATUSES]]: prints the request, its answer and its time.
api() {
  local expected=${4:-200}
  request "$1" "$2" "${3:-}"
  say "$dim$1$plain $2 $dim$(shown "${3:-}" 110)$plain"
  local said; said=$(jq -c 'if .api_key then .api_key = "••••" | .encoded = "••••" else . end' <<<"$answer" 2>/dev/null)
  say "  $status  $(shown "$said" 170)  $dim$took_ms ms$plain"
  case ",$expected," in *",$status,"*) ;; *) fail "$1 $2 answered $status, expected $expected: $answer" ;; esac
}

field() { jq -r "$1" <<<"$answer"; }

# objects METHOD PATH: a signed request to the object storage.
objects() {
  local id secret_key code
  id=$(jq -r .access_key_id "$walk/data/keys/admin-s3.json")
  secret_key=$(jq -r .secret_access_key "$walk/data/keys/admin-s3.json")
  code=$(curl -sS -o "$walk/answer" -w '%{http_code}' -X "$1" --aws-sigv4 aws:amz:us-east-1:s3 \
           --user "$id:$secret_key" -H "x-amz-content-sha256: UNSIGNED-PAYLOAD" "$objects_url$2" 2>"$walk/curl.log") ||
    fail "no answer to $1 $2 of the object storage: $(cat "$walk/curl.log")"
  say "$dim$1$plain $objects_url$2 $dim(signed with AWS Signature Version 4)$plain"
  say "  $code"
  [ "$code" = 200 ] || fail "$1 $2 answered $code: $(cat "$walk/answer")"
}

# Manual pages in four languages, unpacked from their packages: machines in containers often have none.
fetch_documents() {
  local packages="manpages manpages-dev procps coreutils" language package
  for language in $languages; do packages="$packages manpages-$language"; done
  if [ ! -e "$walk/documents.complete" ] || [ "$(cat "$walk/documents.complete")" != "$packages" ]; then
    begin "fetching the packages $packages"
    rm -rf "$documents" "$translations" "$walk/packages" "$walk/documents.complete"
    mkdir -p "$documents" "$translations" "$walk/packages/unpacked"
    (cd "$walk/packages" && apt-get download $packages) >"$walk/fetch.log" 2>&1 ||
      (tools/setup.sh walk; apt-get update -q && cd "$walk/packages" && apt-get download $packages) >"$walk/fetch.log" 2>&1 ||
      fail "the packages could not be fetched: see $walk/fetch.log"
    for package in "$walk"/packages/*.deb; do dpkg -x "$package" "$walk/packages/unpacked"; done
    cp -r "$walk"/packages/unpacked/usr/share/man/man? "$documents"/
    for language in $languages; do
      mkdir "$translations/$language"
      cp -r "$walk"/packages/unpacked/usr/share/man/"$language"/man? "$translations/$language"/
    done
    printf '%s' "$packages" >"$walk/documents.complete"
  fi
  say "$(pages_in "$documents") English manual pages in $documents, $(pages_in "$translations") German, French and Polish ones in $translations"
}

pages_in() { find "$1" -name '*.gz' | wc -l; }

# Why there are fewer documents than pages.
say_where_pages_went() {
  local all links
  all=$(pages_in "$documents")
  links=$(find "$documents" -name '*.gz' -type l | wc -l)
  say "$all pages are $((all - links)) documents: $links of them are links to another page, which is read once"
}

start_server() {
  rm -f "$walk/ready.json"
  local began; began=$(now_ms)
  build/release/bin/cairn serve --config "$walk/cairn.yaml" --data "$walk/data" --api-listen 127.0.0.1:0 \
    --objects-listen 127.0.0.1:0 --ready-file "$walk/ready.json" >>"$walk/server.log" 2>&1 &
  server_pid=$!
  while [ ! -s "$walk/ready.json" ]; do
    kill -0 "$server_pid" 2>/dev/null || { server_pid=; fail "the server did not start: $(tail -n 3 "$walk/server.log")"; }
    sleep 0.02
    [ $(($(now_ms) - began)) -lt 30000 ] || fail "the server was not ready within 30 seconds"
  done
  api_url=$(jq -r .api "$walk/ready.json")
  objects_url=$(jq -r .objects "$walk/ready.json")
  say "$green✓$plain ready after $(($(now_ms) - began)) ms: search and inference on $api_url, objects on $objects_url"
}

# set_limits SECTION [PLAN REQUESTS]: writes the section rate_limit of the settings; with a plan, waits until
# the running server has taken it over, which it does without a restart.
set_limits() {
  printf '{"rate_limit": %s, "connectors": {"directory": {"roots": ["%s", "%s"]}}}\n' "$1" "$documents" "$translations" \
    >"$walk/cairn.yaml.new" && mv "$walk/cairn.yaml.new" "$walk/cairn.yaml"
  [ $# -gt 1 ] || return 0
  local began; began=$(now_ms)
  until request GET /_cairn/limits && [ "$(field ".rate_limit.plans.$2")" = "$3" ]; do
    [ $(($(now_ms) - began)) -lt 30000 ] || fail "the server did not take over the new limits: $answer"
    sleep 0.1
  done
  say "rate_limit: $1 $dim in use after $(($(now_ms) - began)) ms, without a restart$plain"
}

# limited METHOD PATH STATUSES: a request, its status, and what the headers say about the limit.
limited() {
  local head
  head=$(curl -sS -o "$walk/answer" -D - -X "$1" -H "Authorization: ApiKey $key" "$api_url$2" 2>"$walk/curl.log" | tr -d '\r') ||
    fail "no answer to $1 $2: $(cat "$walk/curl.log")"
  answer=$(cat "$walk/answer")
  status=$(awk 'NR == 1 { print $2 }' <<<"$head")
  reset=$(header x-ratelimit-reset)
  say "$dim$1$plain $2  $status  $(awk -F': ' 'tolower($1) ~ /^x-ratelimit-(limit|remaining|used)$/ { printf "%s: %s  ", $1, $2 }' <<<"$head")${dim}resets in $((reset - $(date +%s))) s$plain"
  case ",$3," in *",$status,"*) ;; *) fail "$1 $2 answered $status, expected $3: $answer" ;; esac
}
header() { awk -F': ' -v name="$1" 'tolower($1) == name { print $2 }' <<<"$head"; }

wait_for_reset() {
  begin "waiting for x-ratelimit-reset"
  while [ "$(date +%s)" -lt "$reset" ]; do sleep 0.1; done
  done_in "the window is over"
}

kill_server() {
  kill -9 "$server_pid"
  wait "$server_pid" 2>/dev/null
  say "kill -9 $server_pid"
}

stop_server() {
  kill "$server_pid" 2>/dev/null
  wait "$server_pid" 2>/dev/null
}

keep_server() { disown "$server_pid" 2>/dev/null || true; }
interrupted() { echo; [ -n "$server_pid" ] && kill "$server_pid" 2>/dev/null; exit 130; }
trap interrupted INT TERM

# Until data of the snapshot lies in the bucket and the snapshot still runs.
wait_for_half_a_snapshot() {
  local began before listed; began=$(now_ms)
  before=$(data_blobs)
  while :; do
    listed=$(data_blobs)
    [ "$listed" -gt "$before" ] && break
    [ $(($(now_ms) - began)) -lt 30000 ] || fail "the snapshot wrote nothing within 30 seconds"
    sleep 0.05
  done
  request GET /_snapshot/safe/_current
  say "$((listed - before)) data blobs are written, $(field '.snapshots | length') snapshot is running"
}

data_blobs() {
  local id secret_key
  id=$(jq -r .access_key_id "$walk/data/keys/admin-s3.json")
  secret_key=$(jq -r .secret_access_key "$walk/data/keys/admin-s3.json")
  curl -sS --aws-sigv4 aws:amz:us-east-1:s3 --user "$id:$secret_key" \
    -H "x-amz-content-sha256: UNSIGNED-PAYLOAD" "$objects_url/backups?list-type=2" |
    grep -o '/0/__' | wc -l
}

wait_for_deployment() {
  local began state loaded total; began=$(now_ms)
  while :; do
    request GET "/_ml/trained_models/$1/_stats"
    [ "$status" = 200 ] || fail "the statistics of $1 answered $status: $answer"
    state=$(field '[.trained_model_stats[] | .deployment_stats.allocation_status.state // empty] | if any(. == "fully_allocated") then "fully_allocated" else (.[0] // "none") end')
    loaded=$(field '[.trained_model_stats[].deployment_stats.loaded_bytes // 0] | max')
    total=$(field '[.trained_model_stats[].model_size_stats.model_size_bytes // 0] | max')
    bar "${loaded%.*}" "${total%.*}" "bytes, $state"
    [ "$state" = fully_allocated ] && break
    [ $(($(now_ms) - began)) -lt 120000 ] || fail "the deployment of $1 is not ready after two minutes: $answer"
    sleep 0.1
  done
  end_bar "$1 is fully_allocated after $(($(now_ms) - began)) ms"
}

wait_for_sync() {
  local began state indexed total; began=$(now_ms)
  while :; do
    request GET "/_connector/_sync_job/$1"
    [ "$status" = 200 ] || fail "the sync job answered $status: $answer"
    state=$(field .status) indexed=$(field .indexed_document_count) total=$(field .total_document_count)
    bar "$indexed" "$total" "documents, $state"
    case $state in
      completed) break ;;
      error|canceled|suspended) fail "the sync ended as $state: $(field .error)" ;;
    esac
    [ $(($(now_ms) - began)) -lt 600000 ] || fail "the sync is not done after ten minutes"
    sleep 0.2
  done
  end_bar "$indexed of $total documents in $(($(now_ms) - began)) ms, $(field '.metadata.files_unreadable') unreadable"
}

# One question three ways; the best three titles of each, and a snippet of the first. Both ways
# together as they measure best: docs/reference/hybrid-search.md.
ask() {
  local question; question=$(jq -Rn --arg q "$1" '$q')
  printf '\n  %s“%s”%s\n' "$bold" "$1" "$plain"
  local words="{\"multi_match\":{\"query\":$question,\"fields\":[\"title\",\"body\"]}}"
  local meaning="{\"semantic\":{\"field\":\"meaning\",\"query\":$question}}"
  hits "by words  " "{\"size\":3,\"_source\":[\"title\"],\"query\":$words}"
  hits "by meaning" "{\"size\":3,\"_source\":[\"title\"],\"query\":$meaning}"
  hits "hybrid    " "{\"size\":3,\"_source\":[\"title\"],\"highlight\":{\"fields\":{\"body\":{\"fragment_size\":110,\"number_of_fragments\":1,\"pre_tags\":[\"\"],\"post_tags\":[\"\"]}}},\"retriever\":{\"linear\":{\"normalizer\":\"minmax\",\"rank_window_size\":100,\"retrievers\":[{\"retriever\":{\"standard\":{\"query\":$words}}},{\"retriever\":{\"standard\":{\"query\":$meaning}}}]}}}"
  local snippet; snippet=$(field '[.hits.hits[].highlight.body[0]? // empty][0] // empty' | tr '\n' ' ')
  [ -n "$snippet" ] && say "  $dim… $(shown "$snippet" 140)$plain"
}

# One English question to pages in another language: by meaning alone, since no word is the same.
ask_abroad() {
  local question; question=$(jq -Rn --arg q "$2" '$q')
  request POST /manuals-abroad/_search "{\"size\":3,\"_source\":[\"title\"],\"query\":{\"bool\":{\"must\":{\"semantic\":{\"field\":\"meaning\",\"query\":$question}},\"filter\":{\"prefix\":{\"path\":\"$1/\"}}}}}"
  [ "$status" = 200 ] || fail "the search answered $status: $answer"
  say "  $1  $(field '[.hits.hits[] | ._source.title | if length > 60 then .[0:60] | sub("\\s+\\S*$"; "…") else . end] | join("  ·  ")')  $dim$took_ms ms$plain"
  [ -z "${3:-}" ] || field '.hits.hits[]._source.title' | grep -q "^$3" || fail "$3 is not among the first three in $1: $answer"
}

# cairn WORDS: a command of the program against the server of this walk, as it is typed.
cairn() {
  say "$dim\$$plain cairn $*"
  CAIRN_SERVER=$api_url CAIRN_KEY_FILE=$walk/data/keys/admin.key build/release/bin/cairn "$@" 2>&1 | sed 's/^/    /'
  [ "${PIPESTATUS[0]}" = 0 ] || fail "cairn $1 ended with status ${PIPESTATUS[0]}"
}

# A link that signs a browser in.
console_link() {
  CAIRN_SERVER=$api_url CAIRN_KEY_FILE=$walk/data/keys/admin.key build/release/bin/cairn console --print ||
    fail "the server gives no link to its console"
}

# What the console shows of this server, as text: its pages, and the figure that each begins with.
console_picture() {
  key=$admin_key
  local line; line=$(printf '%72s' '' | tr ' ' -)
  row() { printf '  | %-20s| %-49s|\n' "$1" "$(shown "$2" 48)"; }
  figure() { request GET "$2"; [ "$status" = 200 ] || fail "GET $2 answered $status: $answer"; row "$1" "$(field "$3")"; }
  printf '\n  +%s+\n' "$line"
  figure Overview /_health_report '"health \(.status), \(.indicators | length) things looked at"'
  figure Indices /_cluster/stats '"\(.indices.count) indices, \(.indices.docs.count) documents, \(.indices.store.size_in_bytes / 1048576 | floor) MiB"'
  row "Search playground" "words, meaning and both, side by side"
  figure Connectors /_connector '"\(.count) connectors"'
  figure Endpoints /_inference/_all '"\(.endpoints | length) endpoints to try"'
  figure Models /_ml/trained_models '"\(.count) models"'
  row Objects "buckets of $objects_url"
  figure Snapshots /_snapshot '"\(length) repositories"'
  figure "API keys" /_security/api_key '"\(.api_keys | length) keys, and when each was used last"'
  row "Limits and audit" "who uses how much, who did what, every setting"
  printf '  +%s+\n' "$line"
}

hits() {
  request POST /manuals/_search "$2"
  [ "$status" = 200 ] || fail "the search answered $status: $answer"
  [ "$(field '.hits.hits | length')" -gt 0 ] || fail "the search found nothing: $answer"
  local line; line=$(field '[.hits.hits[] | "\(._source.title | if length > 44 then .[0:44] | sub("\\s+\\S*$"; "…") else . end) (\(._score * 1000 | round / 1000))"] | join("  ·  ")')
  say "  $1  $line  $dim$took_ms ms$plain"
}
