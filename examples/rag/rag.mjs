// Answers questions about a folder of documents, with their sources. One Cairn does all of it: it keeps
// and embeds the documents, finds passages by words and by meaning, and runs the model that answers.
//
//   node rag.mjs index FOLDER          brings the Markdown files of a folder into the index
//   node rag.mjs ask 'QUESTION'...     answers, as the text comes, and lists the sources it names
//
//   --decoder FOLDER   (RAG_DECODER)   a decoder in the Hugging Face layout, or a GGUF file, answers; without
//                                      one the model that ships does: it only quotes
//   CAIRN_URL, CAIRN_KEY_FILE          where Cairn is, and a file with an API key; CAIRN_BINARY: the program `cairn`
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { Client } from '@elastic/elasticsearch'
import { StringOutputParser } from '@langchain/core/output_parsers'
import { ChatPromptTemplate } from '@langchain/core/prompts'
import { RunnableLambda, RunnablePassthrough } from '@langchain/core/runnables'
import { ChatOpenAI } from '@langchain/openai'

const url = process.env.CAIRN_URL ?? 'http://127.0.0.1:9200'
const key = process.env.CAIRN_KEY_FILE && fs.readFileSync(process.env.CAIRN_KEY_FILE, 'utf8').trim()
const index = 'cairn-rag-example'
const madeBy = 'examples/rag/rag.mjs'
const client = new Client({ node: url, auth: { apiKey: key } })

// ---- the folder ------------------------------------------------------------------------------

// A passage for each heading: what is found and cited should be short.
function passagesOf (folder) {
  return fs.readdirSync(folder).filter((name) => name.endsWith('.md')).sort().flatMap((name) =>
    fs.readFileSync(path.join(folder, name), 'utf8').split(/^(?=#+ )/m).filter((part) => part.trim())
      .map((part) => ({ file: name, heading: part.match(/^#+ (.*)/)?.[1] ?? name, text: part.trim() })))
}

// An index of this name that is another's stays as it is.
async function removeOwnIndex () {
  const there = await client.indices.get({ index }, { ignore: [404], meta: true })
  if (there.statusCode === 404) return
  if (there.body[index].mappings._meta?.made_by !== madeBy) throw new Error(`there is an index ${index} that this example did not make`)
  await client.indices.delete({ index })
}

async function indexFolder (folder) {
  await removeOwnIndex()
  await client.indices.create({
    index,
    mappings: {
      _meta: { made_by: madeBy },
      properties: {
        file: { type: 'keyword' },
        heading: { type: 'text' },
        text: { type: 'text', copy_to: 'meaning' },
        meaning: { type: 'semantic_text' }
      }
    }
  })
  const passages = passagesOf(folder)
  const { errors } = await client.bulk({
    index, refresh: true, operations: passages.flatMap((passage) => [{ index: {} }, passage])
  })
  if (errors) throw new Error('some passages were not taken')
  console.log(`${passages.length} passages of ${new Set(passages.map(({ file }) => file)).size} files`)
}

// ---- a question ------------------------------------------------------------------------------

// By words and by meaning, fused by rank.
async function retrieve (question) {
  const found = await client.search({
    index,
    size: 4,
    retriever: {
      rrf: {
        retrievers: [
          { standard: { query: { match: { text: question } } } },
          { standard: { query: { semantic: { field: 'meaning', query: question } } } }
        ]
      }
    }
  })
  return found.hits.hits.map((hit) => hit._source)
}

const prompt = ChatPromptTemplate.fromMessages([
  ['system', 'Answer from the numbered sources alone, briefly. Put the number of the source, such as [1], behind ' +
    'what you take from it. Where the sources do not answer, say so.\n\n{sources}'],
  ['human', '{question}']])

// What is written in passages and questions must not look like a source: "[1]" is only ever ours, or the model's.
const plain = (text) => text.replace(/\[\s*(\d+)\s*\]/g, '($1)')

// "[1] file\ntext": the numbers come back in the answer.
const numbered = (passages) =>
  passages.map(({ file, text }, i) => `[${i + 1}] ${plain(file)}\n${plain(text)}`).join('\n\n')

async function ask (question, model) {
  const chat = new ChatOpenAI({ model, apiKey: key, temperature: 0, maxTokens: 300, configuration: { baseURL: url + '/v1' } })
  const passages = await retrieve(question)
  const chain = RunnablePassthrough.assign({ sources: new RunnableLambda({ func: () => numbered(passages) }) })
    .pipe(prompt).pipe(chat).pipe(new StringOutputParser())
  let answer = ''
  for await (const piece of await chain.stream({ question: plain(question) })) {
    answer += piece
    process.stdout.write(piece)
  }
  process.stdout.write('\n')
  const cited = new Set([...answer.matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number)))
  for (const number of [...cited].sort((a, b) => a - b)) {
    const passage = passages[number - 1] // a model may name a source that there is not
    if (passage) console.log(`  [${number}] ${passage.file}, ${passage.heading}`)
  }
}

// Takes a decoder in, unless it is there already, and makes an endpoint that chats with it.
async function chatModel (decoder) {
  if (!decoder) return '.cairn-chat'
  const id = path.basename(decoder, '.gguf').toLowerCase()
  execFileSync(process.env.CAIRN_BINARY ?? 'cairn', ['model', 'import', decoder, '--id', id, '--server', url, '--quiet'],
    { stdio: ['ignore', 'ignore', 'inherit'] })
  const endpoint = id + '-chat'
  const made = await client.inference.get({ inference_id: endpoint }, { ignore: [404], meta: true })
  if (made.statusCode === 404) {
    await client.inference.put({
      task_type: 'chat_completion',
      inference_id: endpoint,
      timeout: '-1',
      inference_config: { service: 'cairn', service_settings: { model_id: id, num_threads: 1, num_allocations: 1 } }
    })
  }
  return endpoint
}

const { values, positionals: [command, ...words] } = parseArgs({
  allowPositionals: true, options: { decoder: { type: 'string', default: process.env.RAG_DECODER } }
})
if (!key || !words.length || !['index', 'ask'].includes(command)) {
  console.error("usage: CAIRN_KEY_FILE=… node rag.mjs index FOLDER | ask 'QUESTION'... [--decoder FOLDER]")
  process.exitCode = 2
} else if (command === 'index') {
  await indexFolder(words[0])
} else {
  const model = await chatModel(values.decoder)
  for (const question of words) {
    console.log('> ' + question)
    await ask(question, model)
  }
}
