// What a person does with a connector from a list or its page: sync, cancel, pause, delete.
import { html, useState } from '@/ui'
import { api } from '@/api/request'
import { asProblem } from '@/api/problem'
import { Confirm } from '@/components/confirm'
import type { MenuItem } from '@/components/menu'
import { toast } from '@/components/notice'
import { go, href } from '@/shell/router'
import { text } from '@strings/connectors'
import { jobTypes, nameOf, runsHere, scheduled, type Connector, type JobType, type SyncJob } from './data'

export async function startSync (id: string, name: string, type: JobType): Promise<void> {
  await api('POST /_connector/_sync_job', { body: { id, job_type: type, trigger_method: 'on_demand' } })
  toast(text.actions.started(name))
}

/** Sync from a row or a head: what stands in the way is told by a toast. */
export async function trySync (connector: Connector, type: JobType, reload: () => void): Promise<void> {
  try { await startSync(connector.id, nameOf(connector), type) } catch (error) { toast(asProblem(error).reason, 'error') }
  reload()
}

/** Lets a connector rest. One that runs elsewhere is paused there: here only its schedules are turned off. */
async function pause (connector: Connector): Promise<void> {
  const path = { connector_id: connector.id }
  if (runsHere(connector)) {
    await api('POST /_connector/{connector_id}/_pause', { path })
    toast(text.actions.paused(nameOf(connector)))
    return
  }
  const scheduling = Object.fromEntries(jobTypes.flatMap((type) => {
    const one = connector.scheduling?.[type]
    return one ? [[type, { ...one, enabled: false }]] : []
  }))
  await api('PUT /_connector/{connector_id}/_scheduling', { path, body: { scheduling } })
  toast(text.actions.unscheduled(nameOf(connector)))
}

/** Lets a paused connector go on: what was suspended is taken up where it was. */
export async function resume (connector: Connector, reload: () => void): Promise<void> {
  try {
    await api('POST /_connector/{connector_id}/_resume', { path: { connector_id: connector.id } })
    toast(text.actions.resumed(nameOf(connector)))
  } catch (error) { toast(asProblem(error).reason, 'error') }
  reload()
}

/** Deletes a connector with the records of its syncs; its index stays. */
export async function removeConnector (id: string, query: { dry_run?: boolean, hard?: boolean } = {}): Promise<unknown> {
  return await api('DELETE /_connector/{connector_id}', { path: { connector_id: id }, query: { delete_sync_jobs: true, ...query } })
}

type Asking = { kind: 'pause' | 'remove', connector: Connector } | { kind: 'cancel', connector: Connector, job: SyncJob }

/** The items of a connector's menu, and the dialog that one of them opens. */
export function useConnectorActions (reload: () => void) {
  const [asking, setAsking] = useState<Asking | null>(null)
  const close = (): void => setAsking(null)
  const items = (connector: Connector, job: SyncJob | undefined, opened = false): (MenuItem | false)[] => [
    !opened && { title: text.actions.sync, icon: 'play', disabled: job !== undefined, onSelect: () => void trySync(connector, 'incremental', reload) },
    { title: text.actions.syncFull, icon: 'refresh', disabled: job !== undefined, onSelect: () => void trySync(connector, 'full', reload) },
    job !== undefined && { title: text.actions.cancel, icon: 'stop', onSelect: () => setAsking({ kind: 'cancel', connector, job }) },
    connector.paused === true ? { title: text.actions.resume, icon: 'play', onSelect: () => void resume(connector, reload) }
      : (runsHere(connector) || scheduled(connector)) && { title: text.actions.pause, icon: 'pause', onSelect: () => setAsking({ kind: 'pause', connector }) },
    !scheduled(connector) && { title: text.actions.schedule, icon: 'clock', href: href('connectors', [connector.id], { tab: 'schedule' }) },
    { title: text.actions.remove, icon: 'remove', danger: true, onSelect: () => setAsking({ kind: 'remove', connector }) }
  ]
  const cancel = (connector: Connector, job: SyncJob): void => setAsking({ kind: 'cancel', connector, job })
  const name = asking ? nameOf(asking.connector) : ''
  const dialog = asking === null ? null
    : asking.kind === 'cancel' ? html`<${Confirm} title=${text.actions.cancelTitle} verb=${text.actions.cancel} onClose=${close} onDone=${() => { toast(text.actions.cancelled); reload() }}
        action=${() => api('PUT /_connector/_sync_job/{connector_sync_job_id}/_cancel', { path: { connector_sync_job_id: asking.job.id } })}><p>${text.actions.cancelText}</p></${Confirm}>`
      : asking.kind === 'pause' ? html`<${Confirm} calm title=${text.actions.pauseTitle(name)} verb=${text.actions.pause} onClose=${close} onDone=${reload} action=${() => pause(asking.connector)}>
          <p>${runsHere(asking.connector) ? text.actions.pauseText : text.actions.unscheduleText(name)}</p></${Confirm}>`
        : html`<${Confirm} title=${text.remove.title(name)} verb=${text.remove.verb} typed=${asking.connector.id} dryRun=${() => removeConnector(asking.connector.id, { dry_run: true })} onClose=${close}
            action=${() => removeConnector(asking.connector.id)}
            onDone=${() => { toast(text.remove.done(name)); go('connectors'); reload() }}><p>${text.remove.text}</p></${Confirm}>`
  return { items, cancel, dialog }
}
