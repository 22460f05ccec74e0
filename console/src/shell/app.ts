// Either the sign-in page or the frame with a page in it.
import { html } from '@/ui'
import { session } from '@/api/session'
import { reachable } from '@/api/request'
import { Notice, Toasts } from '@/components/notice'
import { text } from '@strings/shell'
import { Frame } from './frame'
import { SignIn } from './sign_in'
import { usingLink } from './start'

export function App () {
  if (session.value === undefined && !usingLink.value) {
    return html`<main class="sign-in" aria-busy="true"><p class="starting">${text.product}</p>${!reachable.value && html`<${Notice} kind="warning" title=${text.unreachable} />`}</main>`
  }
  if (!session.value) return html`<${SignIn} />`
  // Another session is another person: nothing of the former one stays.
  return html`<${Frame} key=${session.value.id} /><${Toasts} />`
}
