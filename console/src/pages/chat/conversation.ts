// Questions and their answers, as they come. Earlier turns are sent along, as many as the model takes.
import { useEffect, useRef, useState } from '@/ui'
import type { Call } from '@/api/calls'
import { asProblem, type Problem } from '@/api/problem'
import { session } from '@/api/session'
import type { Subject } from '@/pages/search/subject'
import { findPassages, messagesOf, searchCall, wordsOf, type Passage } from './passages'
import { chat, chatCall, type Usage } from './stream'

export type Phase = 'finding' | 'waiting' | 'writing' | 'done' | 'stopped' | 'failed'

export interface Turn {
  id: number
  question: string
  endpoint: string
  phase: Phase
  /** What passages were looked for with, where it is more than the question. */
  looked: string
  /** Earlier turns that were sent along, and those that were left out: the model takes no more, or it reads only the question. */
  sent: number
  leftOut: number
  /** The requests of this turn. */
  calls: readonly Call[]
  passages: Passage[]
  answer: string
  /** Events with text until now. */
  pieces: number
  finish?: string
  usage?: Usage
  problem?: Problem
  /** Milliseconds: what finding took, until the first word, and from it to the last. */
  found?: number
  first?: number
  wrote?: number
}

export interface Ask {
  endpoint: string
  index: string
  subject: Subject
  question: string
  size: number
  most: number
  temperature: number
  instructions: string
  /** Earlier turns that are sent along at most. */
  earlier: number
  /** Passages are looked for with the question before, too. */
  withBefore: boolean
}

// A page that is left and come back to has its conversation still; another key does not see it.
let kept: { owner: string, turns: readonly Turn[] } = { owner: '', turns: [] }
const owner = (): string => session.value?.key.id ?? ''
const answered = ({ phase, answer }: Turn): boolean => phase !== 'failed' && answer !== ''

/** True where the model, here or of another server, says that the messages are more than it takes. */
export function tooLong ({ status, reason }: Problem): boolean {
  return status === 413 || (status === 400 && /tokens?;? the model takes|context.{0,8}(length|window|size)|too (long|many tokens)/i.test(reason))
}

export function useConversation () {
  const [turns, setTurns] = useState<readonly Turn[]>(kept.owner === owner() ? kept.turns : [])
  const stop = useRef<AbortController | null>(null)
  const made = useRef(Math.max(0, ...turns.map(({ id }) => id)))
  kept = { owner: owner(), turns: turns.map((turn) => going(turn) ? { ...turn, phase: 'stopped' } : turn) }
  useEffect(() => () => stop.current?.abort(), [])

  const ask = async (wanted: Ask): Promise<void> => {
    stop.current?.abort()
    const now = new AbortController()
    stop.current = now
    const id = ++made.current
    const put = (changes: Partial<Turn>): void => setTurns((all) => all.map((turn) => turn.id === id ? { ...turn, ...changes } : turn))
    const before = turns.filter(answered)
    const looked = wordsOf(wanted.question, wanted.withBefore ? before.at(-1)?.question : undefined)
    const search = searchCall(wanted.index, wanted.subject, looked, wanted.size)
    setTurns((all) => [...all, { id, question: wanted.question, endpoint: wanted.endpoint, phase: 'finding', looked: looked === wanted.question ? '' : looked, sent: 0, leftOut: 0, calls: [search], passages: [], answer: '', pieces: 0 }])

    /** Asks with so many of the earlier turns; false where that is more than the model takes. */
    const answer = async (passages: Passage[], sent: number, asked: number): Promise<boolean> => {
      const messages = messagesOf(wanted.instructions, passages, before.slice(before.length - sent), wanted.question)
      const body = { messages, max_completion_tokens: wanted.most, temperature: wanted.temperature }
      put({ sent, leftOut: wanted.earlier > 0 ? before.length - sent : 0, calls: [search, chatCall(wanted.endpoint, body)] })
      let said = ''
      let pieces = 0
      let begin = 0
      try {
        for await (const piece of chat(wanted.endpoint, body, now.signal)) {
          if (piece.text) {
            const at = performance.now()
            if (begin === 0) begin = at
            said += piece.text
            pieces++
            put({ phase: 'writing', answer: said, pieces, first: begin - asked, wrote: at - begin })
          }
          if (piece.finish) put({ finish: piece.finish })
          if (piece.usage) put({ usage: piece.usage })
        }
      } catch (error) {
        if (said === '' && sent > 0 && !now.signal.aborted && tooLong(asProblem(error))) return false
        throw error
      }
      return true
    }

    try {
      const begun = performance.now()
      const passages = await findPassages(search, wanted.subject, now.signal)
      const asked = performance.now()
      put({ passages, found: asked - begun, phase: passages.length > 0 ? 'waiting' : 'done' })
      if (passages.length === 0) return
      // The oldest turns are left out, half of them at a time, until the model takes the rest.
      let sent = Math.min(wanted.earlier, before.length)
      while (!await answer(passages, sent, asked)) sent = Math.floor(sent / 2)
      put({ phase: 'done' })
    } catch (error) {
      const problem = asProblem(error)
      put(now.signal.aborted ? { phase: 'stopped' } : { phase: 'failed', problem })
    }
  }
  return { turns, busy: turns.some(going), ask, end: () => stop.current?.abort(), clear: () => { stop.current?.abort(); setTurns([]) } }
}

export function going ({ phase }: Turn): boolean { return phase === 'finding' || phase === 'waiting' || phase === 'writing' }
