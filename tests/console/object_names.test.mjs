// The object browser's own reader of XML, and what it makes of names: without a browser.
import test, { after, before } from 'node:test'
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'

const here = import.meta.dirname
const sources = path.resolve(here, '../../console')
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-names-'))
let xml, keys, rules

before(async () => {
  execFileSync(path.join(here, '../clients/js/install.sh'), [sources], { stdio: 'inherit' })
  const { buildSync } = createRequire(path.join(sources, 'package.json'))('esbuild')
  const out = (name) => path.join(folder, name + '.mjs')
  for (const name of ['xml', 'keys', 'lifecycle_rules', 'crc32']) buildSync({ absWorkingDir: sources, entryPoints: [`src/pages/objects/${name}.ts`], bundle: true, format: 'esm', outfile: out(name) })
  ;[xml, keys, rules] = await Promise.all(['xml', 'keys', 'lifecycle_rules'].map((name) => import(out(name))))
})
after(() => fs.rmSync(folder, { recursive: true, force: true }))

test('XML: elements, texts, entities, attributes passed over', () => {
  const read = xml.readXml('<?xml version="1.0" encoding="UTF-8"?>\n<A xmlns="http://x/" b=\'>\'><Key>&lt;img src=x&gt; &amp;amp; &#65;&#x1F600;&quot;&apos;</Key><Empty/><Key>two</Key></A>')
  assert.equal(read.name, 'A')
  assert.deepEqual(xml.all(read, 'Key').map(({ text }) => text), ['<img src=x> &amp; A😀"\'', 'two'])
  assert.equal(xml.textOf(read, 'Empty'), '')
  assert.equal(xml.textOf(read, 'Missing'), '')
})

test('XML: what is no such XML is refused', () => {
  for (const broken of ['', 'text', '<A>', '<A></B>', '<A><B></A></B>', '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', '<a b=c></a>', '<a <b/></a>', '</a>', '<'.repeat(2000), '<a>'.repeat(2000), '{"error": 1}']) {
    assert.throws(() => xml.readXml(broken), (error) => error.kind === 'failed', broken.slice(0, 40))
  }
})

test('XML: what is written is read again', () => {
  for (const name of ['a', '<b>&amp;</b>', ']]>', '"\'', 'line\nend\ttab', 'ünïcode 😀']) assert.equal(xml.readXml(xml.writeXml(xml.element('Key', name))).text, name)
})

test('names have one key, whatever they hold', () => {
  for (const name of ['a', 'a b+c.txt', '<img src=x onerror=alert(1)>.html', '2026//double', 'per%cent', "it's", 'ünïcode', 'line\nend']) {
    const key = keys.keyOf(name)
    assert.match(key, /^[\x21-\x7e]*$/)
    assert.equal(keys.nameOf(key), name)
    // The storage's own way of escaping gives the same key.
    const listed = [...new TextEncoder().encode(name)].map((byte) => /[A-Za-z0-9\-_./]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : byte === 32 ? '+' : '%' + byte.toString(16).toUpperCase().padStart(2, '0')).join('')
    assert.equal(keys.listedKey(listed), key)
  }
  assert.equal(keys.nameOf(keys.listedKey('%FF.bin')), '%FF.bin')
})

test('dots are no way out of a bucket', () => {
  for (const name of ['../up', 'a/../../b', './x', 'a/..']) {
    const path = keys.pathOf(keys.keyOf(name))
    assert.equal(new URL('http://x/_cairn/objects/bucket/' + path).pathname, '/_cairn/objects/bucket/' + path)
    assert.equal(decodeURIComponent(path), name)
  }
  assert.equal(keys.pathOf('a/b'), 'a/b')
  for (const name of ['.', '..']) assert.throws(() => keys.pathOf(name))
})

test('marks that turn text around, or are not seen, are shown', () => {
  assert.equal(keys.shown(keys.keyOf('a\u202egpj.exe')), 'a\\u202egpj.exe')
  assert.equal(keys.shown(keys.keyOf('zero\u200bwidth\n')), 'zero\\u200bwidth\\u000a')
  assert.deepEqual(keys.foldersOf('a/b%20c/'), [{ key: 'a/', name: 'a' }, { key: 'a/b%20c/', name: 'b c' }])
})

test('lifecycle rules keep what the form does not show', () => {
  const source = '<LifecycleConfiguration><Rule><ID>a</ID><Status>Enabled</Status><Filter><And><Prefix>logs/</Prefix><Tag><Key>k</Key><Value>v</Value></Tag></And></Filter><Expiration><Days>3</Days></Expiration></Rule></LifecycleConfiguration>'
  const [rule] = rules.read(xml.readXml(source))
  assert.deepEqual([rule.id, rule.prefix, rule.on, rule.expire, rule.noncurrent, rule.more], ['a', 'logs/', true, 3, null, true])
  const written = xml.writeXml(rules.write({ ...rule, expire: 5, noncurrent: 7 }))
  assert.match(written, /<Tag><Key>k<\/Key><Value>v<\/Value><\/Tag>/)
  assert.match(written, /<Expiration><Days>5<\/Days><\/Expiration>/)
  assert.match(written, /<NoncurrentDays>7<\/NoncurrentDays>/)
})

test('CRC-32 is the one that everybody has', async () => {
  const { crc32 } = await import(path.join(folder, 'crc32.mjs'))
  assert.equal(await crc32(new Blob(['123456789'])), 'y/Q5Jg==')
  assert.equal(await crc32(new Blob([])), 'AAAAAA==')
})
