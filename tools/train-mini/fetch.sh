#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fetches and unpacks the packages that models/cairn-mini is learnt from: fetch.sh FOLDER
# Needs a Debian 12 with package lists (apt-get update). Installs nothing.
set -eu
folder=${1:?usage: fetch.sh FOLDER}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder/packages" "$folder/root"
cd "$folder/packages"
# shellcheck disable=SC2046
apt-get download $(sed -e 's/#.*//' -e 's/ .*//' "$here/packages.txt")
for package in *.deb; do
  dpkg -x "$package" "$folder/root"
done
echo "unpacked into $folder/root: train_mini --corpus $folder/root --out models/cairn-mini"
