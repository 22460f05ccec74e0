import { html } from '@/ui'
import type { Page } from '@/shell/page'
import type { Route } from '@/shell/router'
import { Buckets } from './buckets'
import { Bucket } from './bucket'
import { ObjectPlace } from './object'

/** #/objects, #/objects/BUCKET?prefix=…, #/objects/BUCKET?key=… (keys percent-encoded once more, as bytes) */
function Objects ({ route }: { route: Route }) {
  const bucket = route.path[0]
  if (bucket === undefined) return html`<${Buckets} />`
  if (route.query['key']) return html`<${ObjectPlace} key=${bucket + route.query['key']} bucket=${bucket} objectKey=${route.query['key']} versionId=${route.query['version']} />`
  return html`<${Bucket} key=${bucket} bucket=${bucket} prefix=${route.query['prefix'] ?? ''} />`
}

export const page: Page = { id: 'objects', Component: Objects }
