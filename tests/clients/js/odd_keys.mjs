// What clients and people call objects: bytes that URLs, XML or paths of files treat as their own.
export const oddKeys = [
  'a b', 'a+b', 'a%20b', 'a%2Fb', '%', '100%', 'ümlaut', 'u\u0308mlaut', '日本語/鍵', 'emoji😀',
  'a//b', '/lead', 'trail/', 'a/../b', 'a/./b', '...', 'q?x=1', 'h#f', 'a&b=c', '<xml>&"\'',
  'tab\there', 'new\nline', "*()!~'$,;:@[]{}|^`\\", ' lead', 'trail ', 'a  b', 'k'.repeat(1024),
  'é'.repeat(512)
]

// As the service sorts them: by their bytes.
export const sorted = (keys) => [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
