// What went wrong, and what to do.
import type { ProblemKind } from '@/api/problem'

export const text = {
  retry: 'Try again',
  title: {
    unreachable: 'The server does not answer',
    signed_out: 'The session has ended',
    forbidden: 'This key may not do that',
    missing: 'It is not there',
    conflict: 'Something changed in between',
    limited: 'The limit of this key is reached',
    busy: 'The server is busy',
    refused: 'The server refused the request',
    failed: 'The server failed',
    stopped: 'Stopped'
  } satisfies Record<ProblemKind, string>,
  todo: {
    unreachable: 'See whether the program runs and whether this machine reaches it. The console tries again by itself.',
    signed_out: 'Sign in again.',
    forbidden: 'Sign in with a key that has the privilege, or let an administrator add it to this one.',
    missing: 'Somebody may have deleted it. Reload the list.',
    conflict: 'Reload to see how it is now, then decide again.',
    limited: 'Reading goes on by itself when the limit allows it. The page Rate limits shows what was used.',
    busy: 'Reading goes on by itself. If this lasts, look at Overview for what is running.',
    refused: 'Correct what the reason names, then try again.',
    failed: 'Try again. If it stays, the log of the server has a line about it.',
    stopped: ''
  } satisfies Record<ProblemKind, string>
}
