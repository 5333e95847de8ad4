import { useEffect } from 'preact/hooks'
import { t } from '../text/text.ts'

/** Names the page in the title of the window, which readers of several tabs and screen readers use. */
export function usePageTitle(text: string | undefined) {
  useEffect(() => {
    const suite = t('app.name')
    document.title = text === undefined || text === suite ? suite : `${text} · ${suite}`
  }, [text])
}
