// Light, dark, or as the system has it. The choice alone is kept in the browser's storage: it is no secret.
import { effect, signal } from '@/ui'

export type ThemeChoice = 'system' | 'light' | 'dark'
const name = 'cairn-theme'
const system = matchMedia('(prefers-color-scheme: dark)')

function stored (): ThemeChoice {
  try {
    const found = localStorage.getItem(name)
    return found === 'light' || found === 'dark' ? found : 'system'
  } catch { return 'system' }
}

const shown = (choice: ThemeChoice): 'light' | 'dark' => choice === 'system' ? system.matches ? 'dark' : 'light' : choice

export const theme = signal<{ choice: ThemeChoice, shown: 'light' | 'dark' }>({ choice: stored(), shown: shown(stored()) })
system.addEventListener('change', () => { theme.value = { ...theme.value, shown: shown(theme.value.choice) } })

export function setTheme (choice: ThemeChoice): void {
  try {
    if (choice === 'system') localStorage.removeItem(name)
    else localStorage.setItem(name, choice)
  } catch { /* A browser without storage keeps it until the tab is closed. */ }
  theme.value = { choice, shown: shown(choice) }
}

effect(() => { document.documentElement.dataset['theme'] = theme.value.shown })
