import type { Matter } from '../../api/types.ts'
import { usePages } from '../../api/use-pages.ts'
import { navigate, usePlace } from '../../router.ts'
import { formatTime, t, translate } from '../../text/text.ts'
import { LongList } from '../../ui/long-list.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Badge, Empty, PageHeading } from '../../ui/state.tsx'
import { matterCategories, matterStatuses, mattersPath, statusTone } from './matter-labels.ts'

/** Matters with filters, which are in the address so that a reload and a link keep them. */
export default function MattersPage() {
  const { query } = usePlace()
  const filters = {
    q: query.get('q') ?? '',
    status: query.get('status') ?? '',
    matter_category: query.get('matter_category') ?? '',
  }
  const pages = usePages<Matter>(mattersPath, filters)
  const isFiltered = Object.values(filters).some((value) => value !== '')
  function setFilter(name: string, value: string) {
    const next = Object.entries({ ...filters, [name]: value }).filter(([, each]) => each !== '')
    navigate(`/matters?${new URLSearchParams(next)}`, { replace: true })
  }
  return (
    <section class="page list-page">
      <PageHeading text={t('nav.matters')} />
      <div class="filters">
        <SearchField
          label={t('matters.search')}
          value={filters.q}
          onSearch={(value) => setFilter('q', value)}
        />
        <Choice
          name="status"
          values={matterStatuses}
          value={filters.status}
          onChoose={setFilter}
          label={t('matters.status')}
          prefix="matterStatus"
        />
        <Choice
          name="matter_category"
          values={matterCategories}
          value={filters.matter_category}
          onChoose={setFilter}
          label={t('matters.category')}
          prefix="matterCategory"
        />
      </div>
      <LongList
        label={t('nav.matters')}
        pages={pages}
        estimateHeight={76}
        empty={
          isFiltered ? (
            <Empty title={t('matters.noHits')}>
              <a class="button" href="/matters">
                {t('matters.clear')}
              </a>
            </Empty>
          ) : (
            <Empty title={t('matters.empty')} hint={t('matters.empty.hint')}>
              <a class="button primary" href="/consultations">
                {t('app.home')}
              </a>
            </Empty>
          )
        }
      >
        {(matter) => <MatterRow matter={matter} />}
      </LongList>
    </section>
  )
}

interface ChoiceProps {
  name: string
  label: string
  prefix: string
  values: string[]
  value: string
  onChoose: (name: string, value: string) => void
}

const Choice = ({ name, label, prefix, values, value, onChoose }: ChoiceProps) => (
  <select
    aria-label={label}
    value={value}
    onChange={({ currentTarget }) => onChoose(name, currentTarget.value)}
  >
    <option value="">{label}</option>
    {values.map((each) => (
      <option key={each} value={each}>
        {translate(prefix, each)}
      </option>
    ))}
  </select>
)

const MatterRow = ({ matter }: { matter: Matter }) => (
  <a class="list-row" href={`/matters/${matter.id}`}>
    <span class="row-title">{matter.title}</span>
    <span class="row-details">
      <Badge tone={statusTone[matter.status]} text={translate('matterStatus', matter.status)} />
      <span class="faint">
        {translate('matterCategory', matter.matter_category)}
        {' · '}
        {formatTime(matter.updated_at)}
      </span>
    </span>
  </a>
)
