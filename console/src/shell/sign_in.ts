// The sign-in page: a key, a one-time link, or the company's own sign-in where the server knows one.
import { html, useEffect, useState } from '@/ui'
import { endedBecause, signIn, signInProviders, type Provider } from '@/api/session'
import { root } from '@/api/root'
import { useAction } from '@/api/use'
import { Button } from '@/components/button'
import { Code } from '@/components/code'
import { Failure } from '@/components/failure'
import { SecretField } from '@/components/field'
import { Mark } from '@/components/icon'
import { Notice } from '@/components/notice'
import { text } from '@strings/shell'
import { linkProblem, usingLink } from './start'

export function SignIn () {
  const [key, setKey] = useState('')
  const [doing, run] = useAction()
  const [providers, setProviders] = useState<Provider[]>([])
  useEffect(() => {
    document.title = `${text.signIn.title} · ${text.product}`
    void signInProviders().then(setProviders, () => undefined)
  }, [])
  const wrong = doing.problem?.kind === 'signed_out'
  const submit = (event: Event): void => {
    event.preventDefault()
    const given = key.trim().replace(/^ApiKey\s+/i, '')
    if (given) void run(() => signIn({ api_key: given }))
  }
  if (usingLink.value) return html`<main class="sign-in" aria-busy="true"><p role="status">${text.signIn.link}</p></main>`
  const others = providers.filter(({ type, start }) => type !== 'api_key' && start)
  return html`<main class="sign-in"><div class="sign-in-card">
    <div class="sign-in-brand"><${Mark} /><span>${text.product}</span></div>
    <h1>${text.signIn.title}</h1><p class="muted">${text.signIn.lead}</p>
    ${endedBecause.value === 'ended' && html`<${Notice} kind="info">${text.signIn.ended}</${Notice}>`}
    ${endedBecause.value === 'signed_out' && html`<${Notice} kind="good">${text.signIn.signedOut}</${Notice}>`}
    ${linkProblem.value && html`<${Notice} kind="warning" title=${linkProblem.value.reason}><p>${text.signIn.linkFailed}</p><${Code} value=${text.signIn.linkCommand} label=${text.signIn.linkCommand} /></${Notice}>`}
    ${!wrong && html`<${Failure} problem=${doing.problem} />`}
    <form onSubmit=${submit}>
      <${SecretField} label=${text.signIn.key} hint=${text.signIn.keyHint} value=${key} onInput=${setKey} autocomplete="current-password" error=${wrong ? text.signIn.wrong : undefined} autofocus required />
      <${Button} type="submit" kind="main" busy=${doing.busy}>${text.signIn.submit}</${Button}>
    </form>
    ${others.length > 0 && html`<p class="or"><span>${text.signIn.or}</span></p>${others.map((one) => html`<${Button} key=${one.start} href=${root + one.start}>${text.signIn.oidc(one.name ?? one.type)}</${Button}>`)}`}
    <div class="sign-in-help"><p class="muted small">${text.signIn.noKey}</p><${Code} value=${text.signIn.linkCommand} label=${text.signIn.linkCommand} /></div>
  </div></main>`
}
