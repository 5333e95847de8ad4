import { t } from '../text/text.ts'
import { diffLines } from './diff-lines.ts'

interface LineDiffProps {
  left: { title: string; text: string }
  right: { title: string; text: string }
  /** Says that both texts are the same, or that they differ. */
  texts: { equal: string; differs: string }
}

/** Two texts side by side. A removed or added line has a sign, so that colour is not the only mark. */
export function LineDiff({ left, right, texts }: LineDiffProps) {
  const lines = diffLines(left.text, right.text)
  const isEqual = lines.every(({ kind }) => kind === 'same')
  return (
    <>
      <p class={isEqual ? 'notice' : 'notice warn'}>{isEqual ? texts.equal : texts.differs}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls takes the keyboard. */}
      <section class="table-scroll" tabIndex={0} aria-label={t('state.comparison')}>
        <table class="diff">
          <thead>
            <tr>
              <th scope="col">{left.title}</th>
              <th scope="col">{right.title}</th>
            </tr>
          </thead>
          <tbody>
            {lines.map(({ kind, left, right }, index) => (
              <tr key={index} class={kind}>
                <td>{left}</td>
                <td>{right}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  )
}
