/** Outlines on a grid of 24 units. */
const paths = {
  chat: 'M4 5h16v11H9l-5 4z',
  folder: 'M3 6h6l2 2h10v11H3z',
  calculator: 'M6 3h12v18H6zM9 7h6M9 12h0M12 12h0M15 12h0M9 16h0M12 16h0M15 16h0',
  book: 'M5 4h13v16H6.5A1.5 1.5 0 0 1 5 18.500zM5 18.500A1.500 1.500 0 0 1 6.500 17H18',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M14 5v4M6 15v4',
  plus: 'M12 5v14M5 12h14',
  send: 'M4 12l16-8-6 16-3-6z',
  stop: 'M7 7h10v10H7z',
  attach: 'M8 12l6-6a3 3 0 0 1 4 4l-8 8a5 5 0 0 1-7-7l7-7',
  close: 'M6 6l12 12M18 6L6 18',
  back: 'M15 5l-7 7 7 7',
  search: 'M10.500 4a6.500 6.500 0 1 1 0 13 6.500 6.500 0 0 1 0-13zM15.500 15.500L21 21',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  check: 'M5 12l5 5 9-10',
  alert: 'M12 3l10 18H2zM12 10v5M12 18h0',
} as const
export type IconName = keyof typeof paths

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
)
