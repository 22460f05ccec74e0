// Builds the console into dist/: hashed files, each beside nothing but its gzip form, and index.html.
//   node build.mjs            builds, says the sizes, fails where one is over its budget
//   node build.mjs --watch    builds at each change, unminified
//   node build.mjs --out DIR  builds elsewhere
// The same sources give the same bytes on every machine: no time stamps, no absolute paths.
import esbuild from 'esbuild'
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import zlib from 'node:zlib'

const here = path.dirname(fileURLToPath(import.meta.url))
const words = process.argv.slice(2)
const watch = words.includes('--watch')
const dist = words.includes('--out') ? path.resolve(words[words.indexOf('--out') + 1]) : path.join(here, 'dist')
const budgets = { first: 150_000, all: 300_000, search: 30_000 }

const common = {
  absWorkingDir: here,
  bundle: true,
  format: 'esm',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  minify: !watch,
  metafile: true,
  write: false,
  outdir: dist,
  logLevel: 'warning'
}
const consoleBuild = { ...common, entryPoints: [{ in: 'src/paint.ts', out: 'paint' }], splitting: true, entryNames: '[name]-[hash]', chunkNames: '[name]-[hash]', assetNames: '[name]-[hash]' }
const searchBuild = { ...common, entryPoints: [{ in: 'search-page/main.ts', out: 'search' }], entryNames: '[name]-[hash]' }

/** gzip as `gzip -9n`: the system byte of its head is "unknown", on every machine. */
function gzip (bytes) {
  const packed = zlib.gzipSync(bytes, { level: 9 })
  packed[9] = 255
  return packed
}

function page (scripts, styles, title) {
  const sheets = styles.map((name) => `<link rel="stylesheet" href="assets/${name}">`).join('')
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark"><title>${title}</title><link rel="icon" href="assets/${icon.name}">${sheets}<meta name="code" content="${scripts.slice(1).join(' ')}"><script type="module" src="assets/${scripts[0]}"></script></head><body><div id="app"><main class="sign-in" aria-busy="true"><p class="starting">Cairn</p></main></div></body></html>\n`
}

/** The chunks that the console loads before it runs: the entry, the code that it starts, and what that imports. */
function firstChunks (metafile, entry) {
  const seen = new Set([entry])
  const walk = (name) => {
    if (seen.has(name)) return
    seen.add(name)
    for (const one of metafile.outputs[name].imports) if (one.kind === 'import-statement') walk(one.path)
  }
  for (const one of metafile.outputs[entry].imports) walk(one.path)
  return [...seen]
}

const iconText = fs.readFileSync(path.join(here, 'src/icon.svg'))
const icon = { name: `icon-${crypto.createHash('sha256').update(iconText).digest('hex').slice(0, 8)}.svg`, bytes: iconText }

function entryOf (metafile, source) {
  return Object.entries(metafile.outputs).find(([, output]) => output.entryPoint === source)
}

function lay (folder, files) {
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(path.join(folder, 'assets'), { recursive: true })
  for (const [name, bytes] of files) fs.writeFileSync(path.join(folder, name + '.gz'), gzip(bytes))
}

function layConsole ({ metafile, outputFiles }) {
  const [entry, output] = entryOf(metafile, 'src/paint.ts')
  const base = (name) => path.basename(name)
  const scripts = firstChunks(metafile, entry)
  const styles = output.cssBundle ? [output.cssBundle] : []
  const files = new Map(outputFiles.map(({ path: name, contents }) => ['assets/' + base(name), contents]))
  files.set('assets/' + icon.name, icon.bytes)
  files.set('index.html', Buffer.from(page(scripts.map(base), styles.map(base), 'Cairn')))
  lay(dist, files)
  const size = (name) => gzip(files.get(name)).length
  const first = ['index.html', ...[...scripts, ...styles].map((name) => 'assets/' + base(name))]
  return { first: first.reduce((total, name) => total + size(name), 0), all: [...files.keys()].reduce((total, name) => total + size(name), 0), names: [...files.keys()].map((name) => [name, size(name)]) }
}

/** The search page has fixed places for the server's words: it fills in no text of its own. */
function laySearch ({ metafile, outputFiles }) {
  const [entry, output] = entryOf(metafile, 'search-page/main.ts')
  const base = (name) => path.basename(name)
  const files = new Map(outputFiles.map(({ path: name, contents }) => ['assets/' + base(name), contents]))
  const sheet = output.cssBundle ? `<link rel="stylesheet" href="assets/${base(output.cssBundle)}">` : ''
  files.set('index.html', Buffer.from(`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark"><title>Search</title>${sheet}<script type="module" src="assets/${base(entry)}"></script></head><body><div id="search"></div></body></html>\n`))
  lay(path.join(dist, 'search-page'), files)
  return [...files.values()].reduce((total, bytes) => total + gzip(bytes).length, 0)
}

function report (sizes) {
  for (const [name, size] of sizes.names.sort(([, a], [, b]) => b - a)) console.log(`  ${String(size).padStart(7)}  ${name}`)
  let over = 0
  for (const [name, most] of Object.entries(budgets)) {
    if (sizes[name] === undefined) continue
    console.log(`${name}: ${sizes[name]} of ${most} bytes gzip`)
    if (sizes[name] > most) { over++; console.error(`build: ${name} is over its budget by ${sizes[name] - most} bytes`) }
  }
  if (over > 0) process.exit(1)
}

const hasSearch = fs.existsSync(path.join(here, 'search-page/main.ts'))
async function all () {
  const sizes = layConsole(await esbuild.build(consoleBuild))
  if (hasSearch) sizes.search = laySearch(await esbuild.build(searchBuild))
  return sizes
}

if (watch) {
  const again = { name: 'again', setup (build) { build.onEnd((result) => { if (result.errors.length === 0) { layConsole(result); console.log(new Date().toISOString(), 'built') } }) } }
  const context = await esbuild.context({ ...consoleBuild, plugins: [again] })
  await context.watch()
} else report(await all())
