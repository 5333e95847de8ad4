import { useState } from 'preact/hooks'
import { type Page, request } from '../../api/client.ts'
import type { Deliverable } from '../../api/types.ts'
import { useLoad } from '../../api/use-load.ts'
import { formatTime, t } from '../../text/text.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { LineDiff } from '../../ui/line-diff.tsx'
import { Loaded } from '../../ui/state.tsx'
import { joinBlocks, loadDocx } from './load-docx.ts'
import { mattersPath } from './matter-labels.ts'

interface VersionComparisonProps {
  matterId: string
  deliverable: Deliverable
  onClose: () => void
}

/** Two versions of a Word document side by side: at first the newest one and the one before. */
export function VersionComparison({ matterId, deliverable, onClose }: VersionComparisonProps) {
  const { deliverable_key, title } = deliverable
  const path = `${mattersPath}/${matterId}/deliverables/${encodeURIComponent(deliverable_key)}`
  const load = useLoad(path, (signal) =>
    request<Page<Deliverable>>(`${path}/versions?size=200`, { signal }),
  )
  return (
    <Dialog title={t('documents.compare.of', { title })} onClose={onClose}>
      <Loaded load={load}>{({ items }) => <Versions versions={items} />}</Loaded>
    </Dialog>
  )
}

function Versions({ versions }: { versions: Deliverable[] }) {
  const [left, setLeft] = useState((versions[1] ?? versions[0]!).version)
  const [right, setRight] = useState(versions[0]!.version)
  const find = (version: number) => versions.find((each) => each.version === version)!
  const load = useLoad(`versions ${left} ${right}`, (signal) =>
    Promise.all([loadDocx(find(left), signal), loadDocx(find(right), signal)]),
  )
  return (
    <>
      <div class="filters">
        <VersionChoice
          label={t('documents.left')}
          value={left}
          versions={versions}
          onChoose={setLeft}
        />
        <VersionChoice
          label={t('documents.right')}
          value={right}
          versions={versions}
          onChoose={setRight}
        />
      </div>
      <Loaded load={load}>
        {([one, other]) => (
          <LineDiff
            left={{ title: t('documents.version', { version: left }), text: joinBlocks(one) }}
            right={{ title: t('documents.version', { version: right }), text: joinBlocks(other) }}
            texts={{ equal: t('documents.equal'), differs: t('documents.differs') }}
          />
        )}
      </Loaded>
    </>
  )
}

interface VersionChoiceProps {
  label: string
  versions: Deliverable[]
  value: number
  onChoose: (version: number) => void
}

const VersionChoice = ({ label, versions, value, onChoose }: VersionChoiceProps) => (
  <label>
    <span>{label}</span>
    <select value={value} onChange={({ currentTarget }) => onChoose(Number(currentTarget.value))}>
      {versions.map(({ version, created_at }) => (
        <option key={version} value={version}>
          {`${t('documents.version', { version })} · ${formatTime(created_at)}`}
        </option>
      ))}
    </select>
  </label>
)
