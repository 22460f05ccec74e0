// Every English text of the search page.
const number = new Intl.NumberFormat('en')
export const text = {
  title: (index: string) => `Search ${index}`,
  label: 'Search for',
  submit: 'Search',
  results: 'Results',
  narrow: 'Narrow down',
  clear: 'Take all away',
  more: 'More results',
  found: (n: number, more: boolean, words: string) => n === 0 ? `Nothing found for “${words}”.` : `${more ? 'More than ' : ''}${number.format(n)} ${n === 1 ? 'result' : 'results'} for “${words}”`,
  tryOther: 'Try fewer or other words.',
  searching: 'Searching…',
  limited: (at: string, seconds: number) => `There were many searches from here. The search goes on by itself at ${at}, in ${seconds} s.`,
  limitedLong: (at: string) => `There were many searches from here. Come back at ${at}.`,
  busy: (at: string) => `The server is busy. The search goes on by itself at ${at}.`,
  refused: 'This index is not open to everybody.',
  missing: 'There is no such index, or it is not open to everybody.',
  unreachable: 'The server does not answer. Try again in a moment.',
  failed: (reason: string) => `The search failed: ${reason}`,
  untitled: 'Untitled'
}
