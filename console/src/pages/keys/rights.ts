// Rights of keys: what role descriptors say, in few words, and those that the form makes.
import type { ApiKey, RoleDescriptor } from '@/api/generated'
import { text } from '@strings/keys'

export interface Grant { names: string[], privileges: string[] }

export function grantsOf (role: RoleDescriptor): Grant[] {
  return ((role.indices ?? role.index ?? []) as { names: string | string[], privileges: string[] }[]).map((one) => ({ names: [one.names].flat(), privileges: one.privileges }))
}

export function isAdmin (key: ApiKey): boolean {
  return Object.values(key.role_descriptors).some((role) => role.cluster?.includes('all') && grantsOf(role).some(({ names, privileges }) => names.includes('*') && privileges.includes('all')))
}

/** In a line. */
export function rightsText (key: ApiKey): string {
  const roles = Object.values(key.role_descriptors)
  if (isAdmin(key)) return text.list.admin
  if (roles.length === 0) return text.list.asMaker
  const parts = roles.flatMap((role) => [...(role.cluster ?? []), ...grantsOf(role).map(({ names, privileges }) => `${names.join(', ')}: ${privileges.join(', ')}`)])
  return parts.join(' · ') || text.list.nothing
}

/** As the limits count it. */
export function identityOf (key: ApiKey): string {
  const said = key.metadata?.['_cairn']?.identity as Record<string, unknown> | undefined
  const prefix = { user: 'user', oauth_user: 'user', app_user: 'user', service: 'service', installation: 'inst', oauth_app: 'app', workflow: 'wf', key: 'key' }[String(said?.['kind'])]
  const name = said?.['user'] ?? said?.['id'] ?? said?.['repo'] ?? said?.['name']
  return prefix ? `${prefix}:${String(name ?? key.id)}` : `key:${key.id}`
}

export type KeyState = 'active' | 'disabled' | 'ended' | 'expired'
export function stateOf (key: ApiKey): KeyState { return key.invalidated ? 'ended' : key.expiration && key.expiration < Date.now() ? 'expired' : key.enabled === false ? 'disabled' : 'active' }
/** Not ended: it can be changed, disabled and enabled, and ended. */
export function lives (key: ApiKey): boolean { return ['active', 'disabled'].includes(stateOf(key)) }

export type Preset = 'search' | 'write' | 'watch' | 'admin' | 'own'
export const presets: readonly Preset[] = ['search', 'write', 'watch', 'admin', 'own']

export function roleOf (preset: Preset, indices: string[], cluster: string[], grants: readonly Grant[]): RoleDescriptor {
  const on = (privileges: string[]): RoleDescriptor => ({ cluster: [], indices: [{ names: indices, privileges }] } as RoleDescriptor)
  if (preset === 'search') return on(['read', 'view_index_metadata'])
  if (preset === 'write') return on(['read', 'write', 'create_index', 'view_index_metadata'])
  if (preset === 'watch') return { cluster: ['monitor'], indices: [{ names: ['*'], privileges: ['monitor'] }] } as RoleDescriptor
  if (preset === 'admin') return { cluster: ['all'], indices: [{ names: ['*'], privileges: ['all'] }] } as RoleDescriptor
  return { cluster, indices: grants.filter(({ names, privileges }) => names.length > 0 && privileges.length > 0) } as RoleDescriptor
}

export const namesOf = (list: string): string[] => list.split(/[,\s]+/).filter(Boolean)
