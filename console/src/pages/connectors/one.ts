import { html, useEffect } from '@/ui'
import { useLive } from '@/api/events'
import { api } from '@/api/request'
import { useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Card, Facts, Figure, Loading, PageHead, State, When } from '@/components/facts'
import { Failure } from '@/components/failure'
import { Menu } from '@/components/menu'
import { Notice } from '@/components/notice'
import { Tabs } from '@/components/tabs'
import { href } from '@/shell/router'
import { count } from '@/text/numbers'
import { duration } from '@/text/times'
import { text } from '@strings/connectors'
import { resume, trySync, useConnectorActions } from './actions'
import { CheckSource } from './check'
import { Configuration } from './configuration'
import { active, failed, jobsOf, jobTone, kindOf, nameOf, nextSync, runsHere, scheduleWords, stateTone, tookMs, type Connector, type SyncJob } from './data'
import { SyncPlots } from './history'
import { Jobs } from './jobs'
import { Problems } from './problems'
import { Rules } from './rules'
import { Running } from './running'
import { ScheduleEditor } from './schedule'

function Overview ({ connector, jobs, reload }: { connector: Connector, jobs: readonly SyncJob[], reload: () => void }) {
  const running = jobs.find(active)
  const last = jobs.find((job) => !active(job))
  const needs = connector.status === 'created' || connector.status === 'needs_configuration'
  return html`${needs && html`<${Notice} kind="warning" action=${html`<${Button} small href=${href('connectors', [connector.id], { tab: 'configuration' })}>${text.one.configure}</${Button}>`}>${text.one.needs}</${Notice}>`}
    ${connector.paused && html`<${Notice} kind="warning" title=${text.paused} action=${html`<${Button} small icon="play" onClick=${() => void resume(connector, reload)}>${text.actions.resume}</${Button}>`}>${text.pausedText}</${Notice}>`}
    ${connector.error && html`<${Notice} kind="error" title=${text.one.error}>${connector.error}</${Notice}>`}
    ${last?.status === 'error' && last.error && last.error !== connector.error && html`<${Notice} kind="error" title=${text.one.failed}>${last.error}</${Notice}>`}
    ${!runsHere(connector) && html`<${Notice}>${text.one.foreign}</${Notice}>`}
    <dl class="figures"><${Figure} name=${text.one.documents} value=${count(last?.indexed_document_count)}>${last && html`<${When} at=${last.completed_at ?? last.canceled_at ?? last.created_at} />`}</${Figure}>
      <${Figure} name=${text.one.deleted} value=${count(last?.deleted_document_count)} />
      <${Figure} name=${text.list.failed} value=${count(last ? failed(last) : null)} href=${href('connectors', [connector.id], { tab: 'problems' })} />
      <${Figure} name=${text.jobs.took} value=${duration(last ? tookMs(last) : null)}>${last && html`<${State} tone=${jobTone(last.status)}>${text.job[last.status] ?? last.status}</${State}>`}</${Figure}>
      <${Figure} name=${text.one.next} value=${html`<${When} at=${nextSync(connector)} />`} href=${href('connectors', [connector.id], { tab: 'schedule' })}>${scheduleWords(connector) || text.schedule.off}</${Figure}></dl>
    <div class="columns">
      <${Card} title=${text.one.running}>${running ? html`<${Running} job=${running} />` : html`<p class="muted">${jobs.length === 0 ? text.one.never : text.one.nothing}</p>`}</${Card}>
      <${Card} title=${text.one.about}><${Facts} rows=${[
        [text.one.source, kindOf(connector.service_type)],
        [text.one.index, connector.index_name ? html`<a href=${href('indices', [connector.index_name])}>${connector.index_name}</a>` : text.one.noIndex],
        [text.one.state, html`<${State} tone=${stateTone(connector.status)}>${text.states[connector.status] ?? connector.status}</${State}>`],
        [text.one.last, html`<${When} exact at=${connector.last_synced} />`], connector.language ? [text.one.language, connector.language] : null, connector.description ? [text.one.description, connector.description] : null,
        [text.one.seen, html`<${When} at=${connector.last_seen} />`]]} /></${Card}>
      ${runsHere(connector) && !needs && html`<${Card} wide title=${text.one.check}><${CheckSource} id=${connector.id} /></${Card}>`}</div>
    <${SyncPlots} jobs=${jobs} />`
}

export function One ({ id }: { id: string }) {
  const live = useLive('jobs')
  const told = live?.jobs.filter(({ kind }) => kind === 'sync').map((job) => job.id).join() ?? ''
  const asked = useAsked((signal) => api('GET /_connector/{connector_id}', { path: { connector_id: id }, signal }), [id])
  const jobs = useAsked((signal) => jobsOf(id, signal), [id, told], { every: 10_000 })
  const running = jobs.value?.find(active)
  // A sync that began is looked at every two seconds until it ended; then the record says what it came to.
  const fast = useAsked((signal) => api('GET /_connector/_sync_job/{connector_sync_job_id}', { path: { connector_sync_job_id: running!.id }, signal, quiet: true }), [running?.id], { every: 2000, when: running !== undefined })
  const reload = (): void => { asked.reload(); jobs.reload() }
  const over = fast.value && running && fast.value.id === running.id && !active(fast.value) ? fast.value.id : ''
  useEffect(() => { if (over) reload() }, [over])
  const { items, cancel, dialog } = useConnectorActions(reload)
  const connector = asked.value
  const trail = [{ title: text.title, href: href('connectors') }]
  if (!connector) {
    return html`<${PageHead} title=${id} trail=${trail} />${asked.problem ? html`<${Failure} problem=${asked.problem} title=${asked.problem.kind === 'missing' ? text.missing : undefined} onRetry=${asked.reload} />` : html`<${Loading} />`}`
  }
  const fresh = fast.value && running && fast.value.id === running.id ? fast.value : undefined
  const all = (jobs.value ?? []).map((job) => fresh && job.id === fresh.id ? fresh : job)
  const now = all.find(active)
  const ended = all.find((job) => !active(job))?.id
  const actions = html`${now ? html`<${Button} icon="stop" onClick=${() => cancel(connector, now)}>${text.actions.cancel}</${Button}>`
    : html`<${Button} kind="main" icon="play" onClick=${() => void trySync(connector, jobs.value?.length ? 'incremental' : 'full', reload)}>${text.actions.sync}</${Button}>`}
    <${Menu} kind="plain" items=${items(connector, now, true)} />`
  const { tabs } = text.one
  return html`<${PageHead} title=${nameOf(connector)} trail=${trail} actions=${actions}>${kindOf(connector.service_type)} → ${connector.index_name ?? text.one.noIndex}${nameOf(connector) !== id && html` · <code>${id}</code>`}</${PageHead}>
    <${Failure} problem=${asked.problem ?? jobs.problem} onRetry=${reload} />
    <${Tabs} label=${tabs.label} tabs=${[
      { id: 'overview', title: tabs.overview, content: () => html`<${Overview} connector=${connector} jobs=${all} reload=${reload} />` },
      { id: 'jobs', title: tabs.jobs, content: () => html`<${Jobs} jobs=${all} busy=${jobs.busy} reload=${reload} />` },
      { id: 'problems', title: tabs.problems, content: () => jobs.value || jobs.problem ? html`<${Problems} id=${id} job=${ended} />` : html`<${Loading} />` },
      { id: 'schedule', title: tabs.schedule, content: () => html`<${ScheduleEditor} connector=${connector} onSaved=${reload} />` },
      { id: 'configuration', title: tabs.configuration, content: () => html`<${Configuration} connector=${connector} onSaved=${reload} />` },
      { id: 'rules', title: tabs.rules, content: () => html`<${Rules} connector=${connector} onSaved=${reload} />` }]} />${dialog}`
}
