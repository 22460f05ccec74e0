#!/usr/bin/env bash
# Makes the sample files of this folder, by programs that are not ours. Each holds a word of its own
# (words.tsv), which the tests look for. Run by hand, where Debian 12 has these packages: pandoc, groff,
# libreoffice-writer-nogui, -calc-nogui and -impress-nogui, python3-openpyxl, python3-xlsxwriter, python3-odf, poppler-utils. Tests need none.
set -euo pipefail
cd "$(dirname "$0")"
rm -rf samples && mkdir samples && cd samples
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A text about an animal in Markdown: text NAME WORD
text() {
  printf -- '---\ntitle: The %s\n---\n\n# About the %s\n\nThe **%s** is an *animal* of this folder. It is\nfound by `its name`: naïve, façade.\n\n## What it eats\n\n- leaves\n- 2*3*4 seeds\n\n| plant | part |\n|-------|------|\n| reed  | root |\n\nA note[^1].\n\n[^1]: The note of the %s.\n' \
    "$1" "$1" "$1" "$1"
}
named() { printf '%s\t%s\n' "$1" "$2" >> ../words.tsv; }
: > ../words.tsv

by_pandoc() { text "$2" | pandoc -s -f markdown -t "$3" -o "$1" && named "$1" "$2"; }
by_pandoc report.docx aardvark docx
by_pandoc letter.odt bandicoot odt
by_pandoc book.epub capybara epub
by_pandoc talk.pptx dugong pptx
by_pandoc memo.rtf echidna rtf
by_pandoc paper.tex fossa latex
by_pandoc page.html gerenuk html
by_pandoc page.rst hoatzin rst
by_pandoc dict.docbook impala docbook
by_pandoc notes.ipynb jerboa ipynb
by_pandoc outline.opml kinkajou opml
by_pandoc tool.1 lemming man
text numbat > readme.md && named readme.md numbat

# PDF by groff and by LibreOffice, slides and sheets by LibreOffice
printf '.TL\nThe okapi\n.LP\nThe okapi is an animal of this folder.\n.LP\nIt ends here.\n' | groff -ms -Tpdf > groff.pdf
named groff.pdf okapi
office() { soffice --headless -env:UserInstallation="file://$work/profile" --convert-to "$1" --outdir "$work" "$2" >/dev/null 2>&1; }
text pangolin | pandoc -s -f markdown -t odt -o "$work/writer.odt"
office pdf "$work/writer.odt" && mv "$work/writer.pdf" . && named writer.pdf pangolin
text quokka | pandoc -s -f markdown -t odt -o "$work/office.odt"
office "docx:MS Word 2007 XML" "$work/office.odt" && mv "$work/office.docx" . && named office.docx quokka
text ratel | pandoc -s -f markdown -t pptx -o "$work/slides.pptx"
office odp "$work/slides.pptx" && mv "$work/slides.odp" . && named slides.odp ratel
text saiga | pandoc -s -f markdown -t odt -o "$work/office.odt"
office "rtf:Rich Text Format" "$work/office.odt" && mv "$work/office.rtf" . && named office.rtf saiga
printf 'animal,legs,note\ntapir,4,"eats leaves, and reeds"\nheron,2,"says ""kra"""\n' > "$work/sheet.csv"
office ods "$work/sheet.csv" && mv "$work/sheet.ods" . && named sheet.ods tapir

/usr/bin/python3 - <<'PYTHON'
import email.policy, json, mailbox, email.message, gzip
import openpyxl
from openpyxl.comments import Comment

def named(name, word):
    with open("../words.tsv", "a") as file:
        file.write(f"{name}\t{word}\n")

book = openpyxl.Workbook()
sheet = book.active
sheet.title = "Animals"
for row in [["animal", "legs", "since"], ["uakari", 4, 1847], ["emu", 2, 1790]]:
    sheet.append(row)
sheet["A2"].comment = Comment("seen by the river", "a keeper")
book.create_sheet("Plants").append(["reed", 1.5])
book.save("table.xlsx")
named("table.xlsx", "uakari")

# Sheets as people fill them: gaps, dates, what looks like a number and is none, a formula, a second table.
import datetime
import xlsxwriter

book = xlsxwriter.Workbook("stock.xlsx", {"remove_timezone": True})
sheet = book.add_worksheet("Stock")
day, moment = book.add_format({"num_format": "dd.mm.yyyy"}), book.add_format({"num_format": 22})
for number, row in enumerate([["item", "price", "count", "since", "code", "sold"], ["tahr", 1.5, 4, None, "007", True], [],
                              ["urial", 0.1 + 0.2, None, None, "x", False, "no head above"],
                              [None, None, 12, None, "12"]]):
    sheet.write_row(number, 0, row)
sheet.write_datetime("D2", datetime.date(2026, 3, 2), day)
sheet.write_datetime("D4", datetime.datetime(2026, 3, 2, 9, 30), moment)
sheet.write_formula("B5", "=SUM(B2:B4)", None, 1.8)
sheet.write_formula("E6", '="a"&"b"', None, "ab")
book.add_worksheet("Empty")
second = book.add_worksheet("Keepers & co")
second.write_row(0, 0, ["name", "sheet"])
second.write_row(1, 0, ["Zoë", "night"])
second.write_comment("A2", "on leave")
book.close()
named("stock.xlsx", "tahr")

from odf.opendocument import OpenDocumentSpreadsheet
from odf.table import Table, TableCell, TableRow
from odf.text import P
from odf.office import Annotation

book = OpenDocumentSpreadsheet()
table = Table(name="Stock")
def row(*cells, **repeated):
    line = TableRow(**repeated)
    for cell in cells:
        line.addElement(cell)
    table.addElement(line)
def cell(shown, **values):
    out = TableCell(**values)
    if shown:
        out.addElement(P(text=shown))
    return out
row(cell("item"), cell("price"), cell("count"), cell("since"), cell("sold"))
row(cell("nilgai", valuetype="string"), cell("1,50 €", valuetype="currency", value="1.5"), cell("4", valuetype="float", value="4"),
    cell("02.03.26", valuetype="date", datevalue="2026-03-02"), cell("WAHR", valuetype="boolean", booleanvalue="true"))
row(cell(""), numberrowsrepeated=3)
noted = cell("kob", valuetype="string")
note = Annotation()
note.addElement(P(text="a note"))
noted.addElement(note)
row(noted, cell("", numbercolumnsrepeated=1), cell("7", valuetype="float", value="7"), numberrowsrepeated=2)
row(cell("", numbercolumnsrepeated=16384), numberrowsrepeated=1048567)
book.spreadsheet.addElement(table)
book.save("stock.ods")
named("stock.ods", "nilgai")

def message(word, subject):
    mail = email.message.EmailMessage(policy=email.policy.SMTP)
    mail["From"] = "Zoë Keeper <zoe@example.org>"
    mail["To"] = "all@example.org"
    mail["Subject"] = subject
    mail["Date"] = "Mon, 02 Mar 2026 09:00:00 +0100"
    mail.set_content(f"The {word} is well. Grüße, Zoë\n", charset="iso-8859-1", cte="quoted-printable")
    mail.add_alternative(f"<p>The <b>{word}</b> is well.</p>", subtype="html")
    return mail

mail = message("vicuna", "Über das Vicuña")
mail.add_attachment(open("report.docx", "rb").read(), maintype="application",
                    subtype="octet-stream", filename="report.docx")
mail.add_attachment(open("groff.pdf", "rb").read(), maintype="application", subtype="pdf",
                    filename="späte Post.pdf")
open("mail.eml", "wb").write(bytes(mail))
named("mail.eml", "vicuna")
box = mailbox.mbox("box.mbox")
for word, subject in [("wombat", "First"), ("xerus", "Second")]:
    box.add(message(word, subject))
box.close()
named("box.mbox", "wombat")
named("box.mbox", "xerus")

def write(name, word, data):
    open(name, "wb").write(data)
    named(name, word)

write("data.json", "yapok", json.dumps({"title": "A record", "animals": [{"name": "yapok", "legs": 4}]}).encode())
write("lines.ndjson", "zorilla", b'{"name": "zorilla", "legs": 4}\n{"name": "kiwi", "legs": 2}\n')
write("table.csv", "addax", "animal;legs\naddax;4\nKühe;4\n".encode("latin-1"))
write("table.tsv", "bongo", b"animal\tlegs\nbongo\t4\n")
write("settings.yaml", "caracal", b"animals:\n  - caracal\n  - lynx\n")
write("settings.toml", "dhole", b"[animals]\nfirst = \"dhole\"\n")
write("schema.sql", "eland", b"CREATE TABLE eland (legs int);\n-- of animals\n")
write("program.py", "fennec", b"#!/usr/bin/env python3\ndef fennec():\n    return 4\n")
write("program.cc", "guanaco", b"// Animals.\nint guanaco() { return 4; }\n")
write("script", "hutia", b"#!/bin/sh\necho hutia\n")
write("NOTES", "indri", b"The indri has no end to its name.\n")
write("utf16.txt", "jackal", "The jackal, in sixteen bits: \u20ac\n".encode("utf-16"))
write("utf32.txt", "kudu", "The kudu, in thirty-two bits\n".encode("utf-32"))
write("latin.txt", "loris", "The loris drinks caf\xe9 au lait \xe0 midi\n".encode("latin-1"))
write("cyrillic.txt", "манул", "Животное манул живёт в степи. Оно ест мышей и птиц, и не любит людей.\n".encode("cp1251"))
write("sjis.txt", "nyala", "The nyala: これは日本語の文章です。動物はとても元気です。\n".encode("shift_jis"))
write("old.log.gz", "oribi", gzip.compress(b"2026-01-01 an oribi was seen\n", mtime=0))
write("changes.patch", "puku", b"--- a\n+++ b\n@@ -1 +1 @@\n-old\n+puku\n")
write("feed.rss", "quagga", b'<?xml version="1.0"?><rss><channel><title>News</title><item><title>The quagga</title></item></channel></rss>')
PYTHON
sort -o ../words.tsv ../words.tsv
rm -f box.mbox.lock
ls -la
