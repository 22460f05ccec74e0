#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Debian's restic, unmodified, keeps its repository in the object service: restic.sh PATH_OF_CAIRN.
# shellcheck source=objects.sh
. "$(dirname "$0")/objects.sh"
need restic restic
start_objects

export RESTIC_REPOSITORY="s3:$objects/backups/repo" RESTIC_PASSWORD=secret
export RESTIC_CACHE_DIR="$work/cache"
odd_tree tree
refused restic -q snapshots
run restic init
refused restic init
run restic backup tree
prints 'snapshot .* saved'
run restic check --read-data
prints 'no errors were found'
pass "a folder is backed up, and the repository is sound"

run restic restore latest --target back
diff -r tree back/tree
pass "it is restored, byte for byte"

printf changed >tree/one
head -c 3000000 /dev/urandom >tree/new
rm tree/empty
run restic backup tree
prints 'Files: *1 new, *1 changed'
expect "$(restic snapshots --json | grep -o '"short_id"' | wc -l)" 2 "snapshots"
mapfile -t ids < <(restic snapshots --json | grep -o '"short_id":"[^"]*"' | cut -d'"' -f4)
run restic diff "${ids[@]}"
prints '/tree/new'
run restic restore latest --target again
diff -r tree again/tree
pass "what changed is saved alone"

run restic forget --keep-last 1 --prune
expect "$(restic snapshots --json | grep -o '"short_id"' | wc -l)" 1 "snapshots left"
run restic check --read-data
run restic cat config
rm -rf "$work/cache"
run restic restore latest --target third
diff -r tree third/tree
pass "old snapshots are forgotten and pruned, without a cache too"

run env RESTIC_PASSWORD=secret restic -o s3.layout=default -o s3.list-objects-v1=true list packs
refused env AWS_SECRET_ACCESS_KEY=wrong restic snapshots
echo "restic: $passed groups passed ($(restic version | cut -d' ' -f1,2))"
