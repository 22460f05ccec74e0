// Files and folders as a person chose or dropped them, with their paths.
import { keyOf, type Key } from './keys'
import type { Chosen } from './upload'

const filesMax = 100_000

/** Of an <input type=file>, with webkitdirectory or without. */
export function chosenFiles (files: FileList, prefix: Key): Chosen[] {
  return [...files].map((file) => ({ file, key: prefix + keyOf(file.webkitRelativePath || file.name) }))
}

function entriesOf (reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  return new Promise((resolve, reject) => reader.readEntries(resolve, reject))
}

async function walk (entry: FileSystemEntry, path: string, out: Chosen[], prefix: Key): Promise<void> {
  if (out.length >= filesMax) return
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
    out.push({ file, key: prefix + keyOf(path + entry.name) })
    return
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  // A reader gives some at a time, and nothing at the end.
  for (let some = await entriesOf(reader); some.length > 0; some = await entriesOf(reader)) {
    for (const one of some) await walk(one, path + entry.name + '/', out, prefix)
  }
}

/** Of what was dropped. The entries must be taken while the event is handled. */
export async function droppedFiles (data: DataTransfer, prefix: Key): Promise<Chosen[]> {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null)
  const plain = chosenFiles(data.files, prefix)
  if (entries.length === 0) return plain
  const out: Chosen[] = []
  for (const entry of entries) await walk(entry, '', out, prefix)
  return out
}
