import { html, useState } from '@/ui'
import type { ApiKey } from '@/api/generated'
import { api } from '@/api/request'
import { Confirm } from '@/components/confirm'
import { SelectField } from '@/components/field'
import { text } from '@strings/keys'
import type { Secret } from './secret'

/** Draws a new secret; the old one holds for the overlap. */
export function RotateKey ({ apiKey, onClose, onMade }: { apiKey: ApiKey, onClose: () => void, onMade: (made: Secret) => void }) {
  const [overlap, setOverlap] = useState('24h')
  const action = async (): Promise<void> => {
    const made = await api('POST /_security/api_key/{id}/_rotate', { path: { id: apiKey.id }, body: { overlap } as never })
    onMade({ name: made.name, id: made.id, encoded: made.encoded, previousUntil: made.previous_until ?? 0 })
  }
  return html`<${Confirm} calm title=${text.rotate.title(apiKey.name)} verb=${text.rotate.verb} action=${action} onClose=${onClose}><p>${text.rotate.text}</p>
    <${SelectField} label=${text.rotate.overlap} value=${overlap} onInput=${setOverlap} choices=${Object.entries(text.rotate.overlaps).map(([value, label]) => ({ value, label }))} /></${Confirm}>`
}
