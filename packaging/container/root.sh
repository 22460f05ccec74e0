#!/bin/sh
# Makes the whole file system of a container: the program, its models, the reader of PDFs, the libraries
# of both, the authorities of TLS. No shell, no package manager; only /data and /tmp can be written.
#   root.sh PROGRAM MODELS ROOT
set -eu
program=$1 models=$2 root=$3
user=10001

put() { # FILE PLACE
  mkdir -p "$root/$(dirname "$2")"
  cp -L "$1" "$root/$2"
}

mkdir -p "$root"
put "$program" usr/bin/cairn
strip "$root/usr/bin/cairn"
put /usr/bin/pdftotext usr/bin/pdftotext
for one in "$program" /usr/bin/pdftotext; do
  # "libz.so.1 => /lib/x86_64-linux-gnu/libz.so.1 (0x…)", and the loader by its path alone.
  ldd "$one" | awk '$2 == "=>" { print $3 } $1 ~ /^\// { print $1 }'
done | sort -u | while read -r library; do put "$library" "$library"; done
mkdir -p "$root/usr/share/cairn"
cp -R "$models" "$root/usr/share/cairn/models"

put /etc/ssl/certs/ca-certificates.crt usr/lib/ssl/cert.pem
put /etc/ssl/openssl.cnf usr/lib/ssl/openssl.cnf
mkdir -p "$root/etc/cairn/conf.d" "$root/proc" "$root/data" "$root/tmp"
echo "cairn:x:$user:$user:Cairn:/data:/nonexistent" >"$root/etc/passwd"
echo "cairn:x:$user:" >"$root/etc/group"
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
chmod -R go+rX,go-w "$root"
chown "$user:$user" "$root/data"
chmod 0750 "$root/data"
chmod 1777 "$root/tmp"
