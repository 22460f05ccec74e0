#!/usr/bin/env bash
# Builds targets with ninja. On a terminal one line moves; in a log one comes every ten seconds, where it
# differs from the last.
#   tools/build.sh FOLDER TARGET...
set -uo pipefail
folder=$1; shift
log=$folder/build.log
if [ -t 1 ]; then
  exec env NINJA_STATUS='[%p %f/%t] ' ninja -C "$folder" "$@"
fi
NINJA_STATUS='[%p %f/%t] ' ninja -C "$folder" "$@" >"$log" 2>&1 &
builder=$!
trap 'kill $builder 2>/dev/null' INT TERM
said=
while kill -0 $builder 2>/dev/null; do
  for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 $builder 2>/dev/null && sleep 1; done
  line=$(tail -c 400 "$log" | grep -oE '^\[ *[0-9]+% [0-9]+/[0-9]+\]' | tail -n 1)
  [ "$line" = "$said" ] || printf '%s\n' "$line"
  said=$line
done
wait $builder
code=$?
[ $code -eq 0 ] || grep -A 30 -m 3 -E '^FAILED|error:' "$log"
exit $code
