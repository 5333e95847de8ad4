import { useLoad } from '../../api/use-load.ts'
import type { PageProps } from '../../page-props.ts'
import { usePlace } from '../../router.ts'
import type { TextKey } from '../../text/catalogue.ts'
import { formatTime, t, translate } from '../../text/text.ts'
import { NotFound } from '../../ui/not-found.tsx'
import { Tabs } from '../../ui/section-tabs.tsx'
import { Badge, Loaded, PageHeading } from '../../ui/state.tsx'
import { Assessment } from './assessment.tsx'
import { Calculations } from './calculations.tsx'
import { Documents } from './documents.tsx'
import { EvidenceMatrix } from './evidence-matrix.tsx'
import { History } from './history.tsx'
import { loadMatter, type MatterDetails } from './load-matter.ts'
import { statusTone } from './matter-labels.ts'
import { Phases } from './phases.tsx'
import { Todos } from './todos.tsx'

const tabs = ['overview', 'evidence', 'assessment', 'calculations', 'documents', 'history'] as const
type Tab = (typeof tabs)[number]

/** One matter. The tab is in the address, so that a reload and a link keep it. */
export default function MatterPage({ params: { id } }: PageProps) {
  const { query } = usePlace()
  const load = useLoad(`matter ${id}`, (signal) => loadMatter(id!, signal))
  const tab = tabs.find((each) => each === query.get('tab')) ?? 'overview'
  const tabPath = (each: Tab) => `/matters/${id}?tab=${each}`
  if (load.error?.status === 404) return <NotFound />
  return (
    <section class="page">
      <Loaded load={load}>
        {(details) => (
          <>
            <MatterHeading details={details} />
            <Tabs
              label={t('matter.tabs')}
              tabs={tabs.map((each) => ({
                path: tabPath(each),
                text: t(`matter.tab.${each}` as TextKey),
              }))}
              currentPath={tabPath(tab)}
            />
            <TabContent tab={tab} details={details} onChange={load.reload} />
          </>
        )}
      </Loaded>
    </section>
  )
}

function MatterHeading({ details: { matter } }: { details: MatterDetails }) {
  return (
    <>
      <PageHeading text={matter.title}>
        {matter.session_id && (
          <a class="button" href={`/consultations/${matter.session_id}`}>
            {t('matter.consultation')}
          </a>
        )}
      </PageHeading>
      <p class="row-details">
        <Badge tone={statusTone[matter.status]} text={translate('matterStatus', matter.status)} />
        <span class="faint">
          {translate('matterCategory', matter.matter_category)}
          {' · '}
          {t('matter.updated', { time: formatTime(matter.updated_at) })}
        </span>
      </p>
    </>
  )
}

interface TabContentProps {
  tab: Tab
  details: MatterDetails
  onChange: () => void
}

function TabContent({ tab, details, onChange }: TabContentProps) {
  const { matter, phases, events, todos, deliverables, analysis } = details
  switch (tab) {
    case 'overview':
      return (
        <>
          <Phases phases={phases} />
          <Todos matterId={matter.id} todos={todos} onChange={onChange} />
          <Documents matterId={matter.id} deliverables={deliverables} />
        </>
      )
    case 'evidence':
      return <EvidenceMatrix analysis={analysis} />
    case 'assessment':
      return <Assessment analysis={analysis} />
    case 'calculations':
      return <Calculations matter={matter} />
    case 'documents':
      return <Documents matterId={matter.id} deliverables={deliverables} />
    case 'history':
      return <History events={events} />
  }
}
