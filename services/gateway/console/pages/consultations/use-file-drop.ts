import { useEffect, useRef, useState } from 'preact/hooks'

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false

/**
 * Takes files that are dropped anywhere on the page; undefined refuses them. A browser would leave the page and open
 * a file that nothing takes. Returns whether files are over the page.
 */
export function useFileDrop(onDrop: ((files: FileList) => void) | undefined): boolean {
  const [isOver, setOver] = useState(false)
  const latest = useRef(onDrop)
  latest.current = onDrop
  useEffect(() => {
    const listeners = new AbortController()
    const listen = (type: 'dragover' | 'dragleave' | 'drop', run: (event: DragEvent) => void) =>
      document.addEventListener(type, (event) => hasFiles(event) && run(event), listeners)
    listen('dragover', (event) => {
      event.preventDefault()
      setOver(latest.current !== undefined)
    })
    // The pointer leaves the page, not one of its elements.
    listen('dragleave', ({ relatedTarget }) => relatedTarget === null && setOver(false))
    listen('drop', (event) => {
      event.preventDefault()
      setOver(false)
      latest.current?.(event.dataTransfer!.files)
    })
    return () => listeners.abort()
  }, [])
  return isOver
}
