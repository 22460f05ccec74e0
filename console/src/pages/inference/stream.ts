// Reading an answer that comes in pieces, as server-sent events.
import { recordCall } from '@/api/calls'
import { asProblem, Problem } from '@/api/problem'
import { send } from '@/api/request'

/** The data of each event of a stream, as they come. */
async function * events (response: Response): AsyncGenerator<{ event: string, data: string }> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    rest += value.replaceAll('\r\n', '\n')
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const lines = rest.slice(0, end).split('\n')
      rest = rest.slice(end + 2)
      const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5).trimStart()).join('\n')
      if (data) yield { event: lines.find((line) => line.startsWith('event:'))?.slice(6).trim() ?? 'message', data }
    }
  }
}

export interface Ended { usage?: { prompt_tokens?: number, completion_tokens?: number }, finish?: string }

/** Runs a text endpoint; `onPiece` gets each piece. Ends with the stream, or with the signal. */
export async function streamText (task: string, id: string, body: object, signal: AbortSignal, onPiece: (piece: string) => void): Promise<Ended> {
  const url = `/_inference/${encodeURIComponent(task)}/${encodeURIComponent(id)}/_stream`
  recordCall({ method: 'POST', url, body })
  const response = await send('POST', url, JSON.stringify(body), { signal, timeout: 0, headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' } })
  const out: Ended = {}
  try {
    for await (const { event, data } of events(response)) {
      if (data === '[DONE]') break
      const told = JSON.parse(data)
      if (event === 'error' || told.error) throw new Problem('failed', told.error?.reason ?? told.error?.message ?? data)
      const piece = told.completion?.[0]?.delta ?? told.choices?.[0]?.delta?.content
      if (piece) onPiece(piece)
      if (told.choices?.[0]?.finish_reason) out.finish = told.choices[0].finish_reason
      if (told.usage) out.usage = told.usage
    }
  } catch (error) {
    if (signal.aborted) return out
    throw asProblem(error)
  }
  return out
}
