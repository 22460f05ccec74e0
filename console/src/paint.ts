// What the browser runs first: nothing but the styles, so that it paints the name that stands in the page before it fetches
// and reads the console's code. A page that is not seen paints nothing: then the code starts after a moment all the same.
import './styles/main.css'

let started = false
function start (): void {
  if (started) return
  started = true
  // All at once: each file is known to be needed before the one that imports it is read.
  for (const name of document.querySelector<HTMLMetaElement>('meta[name=code]')!.content.split(' ')) {
    const link = document.createElement('link')
    link.rel = 'modulepreload'
    link.href = 'assets/' + name
    document.head.append(link)
  }
  void import('./main')
}
requestAnimationFrame(() => { setTimeout(start) })
setTimeout(start, 200)
