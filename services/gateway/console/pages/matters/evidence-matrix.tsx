import { useState } from 'preact/hooks'
import { t, translate } from '../../text/text.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Badge, Empty, type Tone } from '../../ui/state.tsx'
import type { Analysis, ElementSufficiency, Evidence } from './analysis.ts'

export const sufficiencyTone: Record<ElementSufficiency['status'], Tone> = {
  proven: 'good',
  weak: 'warn',
  missing: 'bad',
}

/** Elements of the claim against the evidence: what is proven, weak and missing, and the passages behind it. */
export function EvidenceMatrix({ analysis }: { analysis: Analysis | undefined }) {
  const [opened, setOpened] = useState<{ evidence: Evidence; element: ElementSufficiency }>()
  if (!analysis || analysis.elements.length === 0) {
    return <Empty title={t('evidence.empty')} hint={t('matter.analysis.hint')} />
  }
  const { elements, evidences } = analysis
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls takes the keyboard. */}
      <section class="table-scroll panel-box" tabIndex={0} aria-label={t('evidence.title')}>
        <table class="matrix">
          <thead>
            <tr>
              <th scope="col">{t('evidence.element')}</th>
              <th scope="col">{t('evidence.state')}</th>
              {evidences.map((evidence) => (
                <th scope="col" key={evidence.file_id}>
                  {evidence.name ?? evidence.file_id}
                </th>
              ))}
              <th scope="col">{t('evidence.gap')}</th>
            </tr>
          </thead>
          <tbody>
            {elements.map((element) => (
              <tr key={element.element_id}>
                <th scope="row">
                  {element.name ?? element.element_id}
                  <span class="faint element-burden">{translate('burden', element.burden)}</span>
                </th>
                <td>
                  <Badge
                    tone={sufficiencyTone[element.status]}
                    text={translate('sufficiency', element.status)}
                  />
                </td>
                {evidences.map((evidence) => (
                  <td key={evidence.file_id}>
                    {evidence.element_ids.includes(element.element_id) ? (
                      <button type="button" onClick={() => setOpened({ evidence, element })}>
                        {t('evidence.passages', { count: evidence.quotes.length })}
                      </button>
                    ) : (
                      <span class="faint">{t('evidence.none')}</span>
                    )}
                  </td>
                ))}
                <td>{element.gap}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {opened && <Passages {...opened} onClose={() => setOpened(undefined)} />}
    </>
  )
}

interface PassagesProps {
  evidence: Evidence
  element: ElementSufficiency
  onClose: () => void
}

/** Passages of a piece of evidence that support an element. */
const Passages = ({ evidence, element, onClose }: PassagesProps) => (
  <Dialog kind="panel" title={evidence.name ?? evidence.file_id} onClose={onClose}>
    <p class="faint">{element.name ?? element.element_id}</p>
    <p>{evidence.proves}</p>
    {evidence.quotes.map(({ text, page }, index) => (
      <blockquote class="passage" key={index}>
        {text}
        {page !== undefined && <footer class="faint">{t('evidence.page', { page })}</footer>}
      </blockquote>
    ))}
    {evidence.weaknesses.length > 0 && (
      <>
        <h3>{t('evidence.weaknesses')}</h3>
        <ul>
          {evidence.weaknesses.map((weakness) => (
            <li key={weakness}>{weakness}</li>
          ))}
        </ul>
      </>
    )}
  </Dialog>
)
