// Writes the tables of docs/reference/search-compatibility.md as a running Cairn has them.
//   node compatibility_page.mjs PAGE
import fs from 'node:fs'
import { callsOfClient8, table8 } from './client8.mjs'
import { Asked, callTable, callsOfClient, namesTable, namespaceTable, tableOf } from './compatibility.mjs'

const asked = await Asked.start()
try {
  const calls = await callsOfClient()
  const calls8 = await callsOfClient8()
  let page = fs.readFileSync(process.argv[2], 'utf8')
  const write = (name, rows) => {
    const { lines, from, to } = tableOf(page, name)
    lines.splice(from, to - from, ...rows)
    page = lines.join('\n')
  }
  write('calls', await callTable(asked, calls))
  write('calls-8', await table8(asked, calls8, page))
  write('names', await namesTable(asked))
  fs.writeFileSync(process.argv[2], page)
  console.log('other namespaces:', namespaceTable([...calls, ...calls8]).join(' '))
} finally {
  await asked.stop()
}
