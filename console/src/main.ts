// The start of the console: who is signed in, then the frame.
import { html, render } from '@/ui'
import { App } from '@/shell/app'
import { startSession } from '@/shell/start'

// What was stopped because nobody waits for it is no failure.
addEventListener('unhandledrejection', (event) => { if (event.reason?.kind === 'stopped') event.preventDefault() })
render(html`<${App} />`, document.getElementById('app')!)
void startSession()
