// The pages, in the order of the navigation. A page is loaded when it is opened.
import { text } from '@strings/shell'
import type { PageEntry } from './page'

export const pages: readonly PageEntry[] = [
  // overview
  { id: 'overview', ...text.pages.overview, icon: 'overview', group: 'watch', load: () => import('@/pages/overview/page') },

  // indices
  { id: 'indices', ...text.pages.indices, icon: 'indices', group: 'search', load: () => import('@/pages/indices/page') },

  // search
  { id: 'search', ...text.pages.search, icon: 'search', group: 'search', load: () => import('@/pages/search/page') },

  // chat
  { id: 'chat', ...text.pages.chat, icon: 'chat', group: 'search', load: () => import('@/pages/chat/page') },

  // connectors
  { id: 'connectors', ...text.pages.connectors, icon: 'connectors', group: 'search', load: () => import('@/pages/connectors/page') },

  // inference
  { id: 'inference', ...text.pages.inference, icon: 'inference', group: 'models', load: () => import('@/pages/inference/page') },

  // models
  { id: 'models', ...text.pages.models, icon: 'models', group: 'models', load: () => import('@/pages/models/page') },

  // objects
  { id: 'objects', ...text.pages.objects, icon: 'objects', group: 'storage', load: () => import('@/pages/objects/page') },

  // snapshots
  { id: 'snapshots', ...text.pages.snapshots, icon: 'snapshots', group: 'storage', load: () => import('@/pages/snapshots/page') },

  // limits
  { id: 'limits', ...text.pages.limits, icon: 'limits', group: 'access', load: () => import('@/pages/limits/page') },

  // keys
  { id: 'keys', ...text.pages.keys, icon: 'keys', group: 'access', load: () => import('@/pages/keys/page') },

  // audit
  { id: 'audit', ...text.pages.audit, icon: 'audit', group: 'access', load: () => import('@/pages/audit/page') },

  // settings
  { id: 'settings', ...text.pages.settings, icon: 'settings', group: 'access', load: () => import('@/pages/settings/page') }
]
