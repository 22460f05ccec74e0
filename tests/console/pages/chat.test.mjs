import test, { after } from 'node:test'
import assert from 'node:assert/strict'
import http from 'node:http'
import { cairn, check, fill, find, open, press, says, useConsole, visit } from '../harness.mjs'

// Another server that chats, so that a test sees what is sent to it and says what it answers. Texts of over `window` characters are more than it takes.
const told = []
let window = 1e9
let held = []
const far = http.createServer(async (request, response) => {
  let text = ''
  for await (const piece of request) text += piece
  const { messages } = JSON.parse(text)
  if (JSON.stringify(messages).length > window) {
    response.writeHead(400, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { message: "This model's maximum context length is 100 tokens.", type: 'invalid_request_error', code: 'context_length_exceeded' } }))
    return
  }
  told.push(messages)
  const event = (delta, finish = null) => `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'far', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const question = messages.at(-1).content
  response.write(event({ role: 'assistant', content: `Answer ${told.length} [1]` }))
  if (question.includes('slowly')) { held.push(response); return }
  response.write(event({ content: ` to ${question}` }))
  response.write(event({}, 'stop'))
  response.end('data: [DONE]\n\n')
})
await new Promise((resolve) => far.listen(0, '127.0.0.1', resolve))
const farAt = `127.0.0.1:${far.address().port}`
after(() => { far.closeAllConnections(); far.close() })

useConsole({ config: { inference: { remote: { allowed_hosts: [farAt] } } } })
const hostile = '<img src=x onerror=alert(1)>'

async function makeIndex () {
  await cairn.ask('PUT', '/hut', { mappings: { properties: { title: { type: 'text', copy_to: 'meaning' }, text: { type: 'text', copy_to: 'meaning' }, meaning: { type: 'semantic_text' } } } })
  const documents = [
    { title: 'Dogs', text: 'Dogs sleep in the shed, not in the rooms. They are fed at six.' },
    { title: 'Rescue ' + hostile, text: 'The alpine distress signal is six signs a minute, by light or by voice, then a minute of silence.' },
    { title: 'Beds', text: 'A bed is kept until six in the evening.' }
  ]
  await cairn.ask('POST', '/hut/_bulk?refresh=true', documents.map((one, n) => `{"index":{"_id":"${n}"}}\n${JSON.stringify(one)}\n`).join(''))
}

test('without an index the page says how one is made', async () => {
  const page = await open('chat')
  await says(page, 'There is no index to ask')
  await says(page, 'cairn add FOLDER --yes')
  await check(page)
  await page.close()
})

for (const [width, theme] of [[1280, 'light'], [390, 'dark'], [320, 'light']]) {
  test(`a question is answered with its sources at ${width} px, ${theme}`, async () => {
    if (width === 1280) await makeIndex()
    const page = await open('chat?index=hut&endpoint=.cairn-chat', { width, theme })
    await says(page, 'Nothing was asked yet')
    await check(page)
    await fill(page, 'Question', 'Where do dogs sleep?')
    await page.keyboard.press('Enter')
    await says(page, 'Dogs sleep in the shed, not in the rooms.')
    await says(page, 'tokens read')
    await says(page, 'named in the answer')
    const cited = await page.$eval('.cite', (one) => one.getAttribute('href'))
    assert.equal(cited, '#/indices/hut/document/0')
    await check(page)
    await page.close()
  })
}

test('what no passage answers is said so; hostile titles are text; the conversation is cleared', async () => {
  const page = await open('chat?index=hut&endpoint=.cairn-chat')
  await fill(page, 'Question', 'What is the alpine distress signal?')
  await press(page, 'Ask', 'button[type=submit]')
  await says(page, 'six signs a minute')
  await says(page, hostile)
  await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'))
  await fill(page, 'Question', 'Who won the world cup in football?')
  await press(page, 'Ask', 'button[type=submit]')
  await says(page, 'only quotes')
  await check(page)
  await press(page, 'API call')
  await says(page, '/_inference/chat_completion/.cairn-chat/_stream')
  await page.keyboard.press('Escape')
  await press(page, 'New conversation')
  await says(page, 'Nothing was asked yet')
  await page.close()
})

const ask = async (page, question, answer) => {
  await fill(page, 'Question', question)
  await page.keyboard.press('Enter')
  await says(page, answer)
  await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'))
}

test('a conversation goes on: earlier turns are sent, each answer has sources of its own, and it is there after another page', async () => {
  await cairn.ask('PUT', '/_inference/chat_completion/far', { service: 'openai', service_settings: { api_key: 'planted', model_id: 'far', url: `http://${farAt}/v1` } })
  const page = await open('chat?index=hut&endpoint=far')
  await ask(page, 'Where do dogs sleep?', 'Answer 1 [1] to Where do dogs sleep?')
  await ask(page, 'And when are they fed?', 'Answer 2 [1] to And when are they fed?')
  assert.deepEqual(told.at(-1).slice(1), [{ role: 'user', content: 'Where do dogs sleep?' }, { role: 'assistant', content: 'Answer 1 to Where do dogs sleep?' }, { role: 'user', content: 'And when are they fed?' }])
  assert.match(told.at(-1)[0].content, /^[^]*\n\n\[1\] Dogs\n/)
  // Words of the question before find what the second one is about.
  await says(page, 'Looked for: Where do dogs sleep? And when are they fed?')
  assert.equal(await page.$$eval('.sources', (all) => all.length), 2)
  await check(page)

  await visit(page, 'overview')
  await visit(page, 'chat?index=hut&endpoint=far')
  await says(page, 'Answer 2 [1] to And when are they fed?')
  await press(page, 'As code', 'article:last-of-type button')
  await says(page, '/_inference/chat_completion/far/_stream')
  await press(page, 'Python', 'dialog button')
  await says(page, 'Answer 1 to Where do dogs sleep?')
  await check(page)
  await page.keyboard.press('Escape')
  await page.close()
})

test('the oldest turns are left out where the model takes no more, and that is said', async () => {
  const page = await open('chat?index=hut&endpoint=far')
  for (let n = 1; n <= 4; n++) await ask(page, `Where do ${'dogs '.repeat(60)}sleep, ${n}?`, `sleep, ${n}?`)
  // Room for the sources, the question, and about two of the four turns.
  window = JSON.stringify(told.at(-1)[0]).length + 3 * 900
  await ask(page, 'Is that so?', 'to Is that so?')
  const earlier = told.at(-1).filter(({ role }) => role === 'assistant').length
  assert.ok(earlier > 0 && earlier < 4, `${earlier} earlier turns`)
  assert.match(told.at(-1).at(-3).content, /sleep, 4\?/)
  await says(page, `${earlier === 1 ? '1 earlier turn was' : `${earlier} earlier turns were`} sent along; ${4 - earlier} were left out.`)
  await check(page)

  // By keyboard: Esc stops an answer, Up brings its question back.
  window = 1e9
  await fill(page, 'Question', 'Tell me slowly')
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => [...document.querySelectorAll('.answer')].at(-1)?.classList.contains('is-going'))
  await page.keyboard.press('Escape')
  await says(page, 'Stopped.')
  await page.keyboard.press('ArrowUp')
  assert.equal(await page.$eval('form textarea', (one) => one.value), 'Tell me slowly')
  await press(page, 'New conversation')
  await says(page, 'Nothing was asked yet')
  assert.equal(await page.evaluate(() => document.activeElement.tagName), 'TEXTAREA')
  await find(page, 'h2', 'Nothing was asked yet')
  await page.close()
})
