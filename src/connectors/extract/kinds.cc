// SPDX-License-Identifier: Apache-2.0
#include "connectors/extract/kinds.h"

#include <algorithm>
#include <iterator>

#include "base/strings.h"

namespace cairn::connectors {
namespace {

struct KindOfEnds {
  FileKind kind;
  std::string_view ends;  // between spaces
};

constexpr KindOfEnds read_ends[] = {
    {FileKind::plain, " txt text log nfo adoc asciidoc org wiki srt vtt vcf ics bib changes me "},
    {FileKind::markdown, " md markdown mdown mkd mdx rmd "},
    {FileKind::html, " html htm xhtml shtml mhtml "},
    {FileKind::manual_page, " man mdoc "},
    {FileKind::restructured_text, " rst rest "},
    {FileKind::latex, " tex ltx sty cls latex "},
    {FileKind::rtf, " rtf "},
    {FileKind::xml, " xml xsd xsl xslt rss atom rdf docbook dbk opml gpx kml fodt fods fodp "},
    {FileKind::email, " eml "},
    {FileKind::mailbox, " mbox "},
    {FileKind::json, " json geojson ipynb webmanifest "},
    {FileKind::json_lines, " ndjson jsonl "},
    {FileKind::table, " csv tsv tab "},
    {FileKind::word, " docx docm dotx "},
    {FileKind::slides, " pptx pptm ppsx potx "},
    {FileKind::sheets, " xlsx xlsm xltx "},
    {FileKind::open_document, " odt ods odp odg ott ots otp "},
    {FileKind::book, " epub "},
    {FileKind::pdf, " pdf "},
    {FileKind::code,
     " yaml yml toml ini cfg conf properties env sql c h cc hh cpp hpp cxx hxx m mm rs go py pyi "
     "rb "
     "pl pm t java kt kts scala groovy js mjs cjs jsx ts tsx vue svelte css scss less php sh bash "
     "zsh "
     "fish ps1 bat cmd lua r jl hs ml mli ex exs erl clj cljs lisp el scm swift dart zig nim d f "
     "f90 "
     "ada adb ads pas asm s cmake mk make ninja gradle tf hcl proto thrift graphql gql diff patch "
     "po "
     "pot service socket timer desktop rules awk sed tcl vim nix dockerfile "},
};

struct SkippedEnds {
  std::string_view what;
  std::string_view ends;
};

constexpr SkippedEnds skipped_ends[] = {
    {"an image",
     " png jpg jpeg gif bmp tif tiff webp heic heif avif ico icns svg svgz psd xcf raw cr2 nef dng "
     "eps "
     "ai jp2 jxl pbm pgm ppm xpm xbm "},
    {"sound", " mp3 wav flac ogg oga opus m4a aac wma aif aiff mid midi amr ape "},
    {"a film", " mp4 mkv avi mov webm wmv flv mpg mpeg m4v 3gp ogv vob ts2 "},
    {"an archive",
     " zip tar tgz tbz txz 7z rar bz2 xz zst lz lz4 lzma z cab iso dmg deb rpm jar war apk whl egg "
     "cpio ar gem "},
    {"a program",
     " exe dll so dylib o a lib obj class pyc pyo pyd elc beam wasm msi bin com sys ko "},
    {"a font", " ttf otf woff woff2 eot pfb pfm afm pcf "},
    {"a database or an index",
     " db sqlite sqlite3 mdb accdb frm ibd myd myi rdb mo idx pack dat parquet arrow npy npz h5 "
     "hdf5 "
     "pkl safetensors gguf pt pth onnx "},
    {"a document of a format that is not read: store it as DOCX, XLSX, PPTX or PDF",
     " doc xls ppt dot xlt pps pub vsd wpd sxw sxc sxi pages numbers key msg mobi azw azw3 djvu "
     "chm "},
    {"a key or a certificate", " pem crt cer der p12 pfx jks keystore gpg asc sig kdbx "},
};

bool has_end(std::string_view ends, std::string_view end) {
  const std::string padded = " " + std::string(end) + " ";
  return ends.find(padded) != std::string_view::npos;
}

/// The section of a manual page: "2", "3pm", "7ssl".
bool is_manual_section(std::string_view end) {
  return !end.empty() && end[0] >= '1' && end[0] <= '9' && end.size() <= 6 &&
         std::all_of(end.begin(), end.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
}

}  // namespace

std::string_view base_name(std::string_view path) {
  const auto slash = path.rfind('/');
  std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  if (name.size() > 3 && equals_ignore_case(name.substr(name.size() - 3), ".gz"))
    name.remove_suffix(3);
  return name;
}

NamedKind kind_by_name(std::string_view file_name) {
  const std::string name = lower_ascii(base_name(file_name));
  if (name.find(".tar") != std::string::npos && name.ends_with(".tar"))
    return {.kind = FileKind::unknown, .skipped = "an archive"};
  const auto dot = name.rfind('.');
  if (dot == std::string::npos || dot == 0) {
    const bool program = name == "makefile" || name == "dockerfile" || name == "rakefile" ||
                         name == "gemfile" || name == "jenkinsfile" || name.starts_with('.');
    return {.kind = program ? FileKind::code : FileKind::unknown};
  }
  const std::string_view end = std::string_view(name).substr(dot + 1);
  for (const auto& row : skipped_ends)
    if (has_end(row.ends, end)) return {.kind = FileKind::unknown, .skipped = row.what};
  for (const auto& row : read_ends)
    if (has_end(row.ends, end)) return {.kind = row.kind};
  return {.kind = is_manual_section(end) ? FileKind::manual_page : FileKind::unknown};
}

FileKind kind_by_bytes(std::string_view bytes) {
  if (bytes.starts_with("%PDF-")) return FileKind::pdf;
  if (bytes.starts_with("{\\rtf")) return FileKind::rtf;
  if (bytes.starts_with("From ")) return FileKind::mailbox;
  if (bytes.starts_with("<?xml")) return FileKind::xml;
  const std::string head = lower_ascii(trim(bytes.substr(0, 64)));
  if (head.starts_with("<!doctype html") || head.starts_with("<html")) return FileKind::html;
  if (head.starts_with("#!")) return FileKind::code;
  return FileKind::plain;
}

}  // namespace cairn::connectors
