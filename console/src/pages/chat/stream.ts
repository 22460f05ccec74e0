// The answer of a chat endpoint, as it comes: server-sent events of the inference service.
import { recordCall, type Call } from '@/api/calls'
import { Problem } from '@/api/problem'
import { send } from '@/api/request'

export interface Usage { completion_tokens: number, prompt_tokens: number }
export interface Piece { text?: string, usage?: Usage, finish?: string }

function pieceOf (data: string, event: string): Piece | null {
  if (data === '[DONE]') return null
  const said = JSON.parse(data)
  if (event === 'error' || said.error) {
    const error = said.error ?? said
    throw new Problem('failed', String(error.reason ?? error.message ?? data), Number(said.status ?? 0), String(error.type ?? ''), null, said)
  }
  const choice = said.choices?.[0]
  return { text: choice?.delta?.content ?? undefined, finish: choice?.finish_reason ?? undefined, usage: said.usage ?? undefined }
}

/** The events of a body, whole ones only. */
async function * events (body: ReadableStream<Uint8Array>): AsyncGenerator<{ event: string, data: string }> {
  const reader = body.pipeThrough(new TextDecoderStream() as unknown as ReadableWritablePair<string, Uint8Array>).getReader()
  let left = ''
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      const blocks = (left + value).split(/\r?\n\r?\n/)
      left = blocks.pop()!
      for (const block of blocks) {
        const lines = block.split(/\r?\n/)
        const of = (name: string): string[] => lines.filter((line) => line.startsWith(name + ':')).map((line) => line.slice(name.length + 1).replace(/^ /, ''))
        const data = of('data')
        if (data.length > 0) yield { event: of('event')[0] ?? 'message', data: data.join('\n') }
      }
    }
  } finally { reader.cancel().catch(() => undefined) }
}

export function chatCall (endpoint: string, body: Record<string, unknown>): Call {
  return { method: 'POST', url: `/_inference/chat_completion/${encodeURIComponent(endpoint)}/_stream`, body }
}

export async function * chat (endpoint: string, body: Record<string, unknown>, signal: AbortSignal): AsyncGenerator<Piece> {
  const call = chatCall(endpoint, body)
  recordCall(call)
  const response = await send('POST', call.url, JSON.stringify(body), { signal, timeout: 0, headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' } })
  if (!response.body) throw new Problem('failed', 'the answer has no body')
  for await (const { event, data } of events(response.body)) {
    const piece = pieceOf(data, event)
    if (piece === null) return
    yield piece
  }
}
