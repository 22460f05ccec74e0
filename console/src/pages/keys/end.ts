import { html } from '@/ui'
import type { ApiKey } from '@/api/generated'
import { Problem } from '@/api/problem'
import { api } from '@/api/request'
import { session } from '@/api/session'
import { Confirm } from '@/components/confirm'
import { Notice } from '@/components/notice'
import { text } from '@strings/keys'
import { sessions } from './session_list'

/** What ends with the keys, as the server has it now. */
async function whatEnds (list: readonly ApiKey[]): Promise<object> {
  const ids = new Set(list.map(({ id }) => id))
  const answer = await api('DELETE /_security/api_key', { query: { dry_run: true }, body: { ids: [...ids] } as never })
  const open = await sessions().catch(() => undefined)
  return { would: { ...('would' in answer ? answer.would : {}), access_keys: list.map(({ access_key_id }) => access_key_id).filter(Boolean), sessions: open?.filter(({ key }) => ids.has(key.id)).length ?? null } }
}

/** Ends keys for good. */
export function EndKeys ({ list, onClose, onDone }: { list: readonly ApiKey[], onClose: () => void, onDone: () => void }) {
  const action = async (): Promise<void> => {
    const answer = await api('DELETE /_security/api_key', { body: { ids: list.map(({ id }) => id) } as never })
    if ('error_count' in answer && answer.error_count > 0) throw new Problem('conflict', answer.error_details?.map((one) => String(one['reason'] ?? one['type'])).join('; ') ?? '', 409)
  }
  const one = list.length === 1
  const own = list.some(({ id }) => id === session.value?.key.id)
  return html`<${Confirm} title=${one ? text.end.title(list[0]!.name) : text.end.many(list.length)} verb=${text.end.verb} typed=${one ? list[0]!.name : String(list.length)} dryRun=${() => whatEnds(list)} action=${action} onClose=${onClose} onDone=${onDone}>
    <p>${text.end.text}</p>${own && html`<${Notice} kind="warning">${text.end.own}</${Notice}>`}</${Confirm}>`
}
