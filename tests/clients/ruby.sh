#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Debian's ruby-aws-sdk-s3, unmodified, against the object service: ruby.sh PATH_OF_CAIRN.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=objects.sh
. "$here/objects.sh"
need /usr/bin/ruby ruby-aws-sdk-s3
start_objects
read -r OTHER_ACCESS_KEY_ID OTHER_SECRET_ACCESS_KEY <<<"$(make_pair --account 210987654321)"
export OTHER_ACCESS_KEY_ID OTHER_SECRET_ACCESS_KEY CAIRN_OBJECTS="$objects" SCRATCH="$work"
/usr/bin/ruby "$here/aws_s3.rb"
