import { useState } from 'preact/hooks'
import { type Page, request } from '../../api/client.ts'
import type { Hit, KnowledgeBase, SearchAnswer } from '../../api/types.ts'
import { useLoad } from '../../api/use-load.ts'
import { navigate, usePlace } from '../../router.ts'
import { t, translate } from '../../text/text.ts'
import { Badge, Empty, Loaded, type Tone } from '../../ui/state.tsx'
import { highlight } from './highlight.ts'
import { KnowledgeLayout, knowledgePath } from './knowledge.tsx'

const docTypes = ['statute_digest', 'interpretation_digest', 'case_pattern', 'guide', 'document']
const searchSize = 30

interface Filters {
  q: string
  base: string
  type: string
  as_of: string
}

/** Search over the readable bases. Query and filters are in the address. */
export default function SearchPage() {
  const { query } = usePlace()
  const filters: Filters = {
    q: query.get('q') ?? '',
    base: query.get('base') ?? '',
    type: query.get('type') ?? '',
    as_of: query.get('as_of') ?? '',
  }
  return (
    <KnowledgeLayout heading={t('knowledge.search')}>
      <SearchForm key={JSON.stringify(filters)} filters={filters} />
      {filters.q === '' ? <Start /> : <Hits filters={filters} />}
    </KnowledgeLayout>
  )
}

const searchAddress = (filters: Filters) => {
  const filled = Object.entries(filters).filter(([, value]) => value !== '')
  return `/knowledge?${new URLSearchParams(filled)}`
}

function SearchForm({ filters }: { filters: Filters }) {
  const [draft, setDraft] = useState(filters)
  const bases = useLoad('bases', (signal) =>
    request<Page<KnowledgeBase>>(`${knowledgePath}/bases?size=200`, { signal }),
  )
  const change = (name: keyof Filters) => (event: { currentTarget: { value: string } }) =>
    setDraft({ ...draft, [name]: event.currentTarget.value })
  return (
    <form
      class="search-form"
      onSubmit={(event) => {
        event.preventDefault()
        navigate(searchAddress(draft))
      }}
    >
      <input
        type="search"
        aria-label={t('knowledge.query')}
        placeholder={t('knowledge.query')}
        value={draft.q}
        onInput={change('q')}
      />
      <button type="submit" class="primary">
        {t('knowledge.find')}
      </button>
      <div class="filters">
        <label>
          <span>{t('knowledge.base')}</span>
          <select value={draft.base} onChange={change('base')}>
            <option value="">{t('knowledge.anyBase')}</option>
            {bases.data?.items.map(({ id, name }) => (
              <option key={id} value={id}>
                {translate('base', name)}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>{t('knowledge.type')}</span>
          <select value={draft.type} onChange={change('type')}>
            <option value="">{t('knowledge.anyType')}</option>
            {docTypes.map((type) => (
              <option key={type} value={type}>
                {translate('docType', type)}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>{t('knowledge.asOf')}</span>
          <input type="date" value={draft.as_of} onInput={change('as_of')} />
        </label>
      </div>
    </form>
  )
}

const Start = () => (
  <Empty title={t('knowledge.start')} hint={t('knowledge.start.hint')}>
    <a class="button" href={`/knowledge?q=${encodeURIComponent(t('knowledge.sample'))}`}>
      {t('knowledge.try', { query: t('knowledge.sample') })}
    </a>
  </Empty>
)

function Hits({ filters }: { filters: Filters }) {
  const { q, base, type, as_of } = filters
  const load = useLoad(`search ${JSON.stringify(filters)}`, (signal) =>
    request<SearchAnswer>(`${knowledgePath}/query`, {
      method: 'POST',
      body: {
        query: q,
        top_k: searchSize,
        ...(base && { kb_ids: [base] }),
        ...(type && { filters: { doc_types: [type] } }),
        ...(as_of && { as_of }),
      },
      signal,
    }),
  )
  return (
    <Loaded load={load}>
      {({ hits, reason }) =>
        hits.length === 0 ? (
          <Empty title={t('knowledge.noHits')} hint={t('knowledge.noHits.hint')}>
            <a class="button" href={searchAddress({ q, base: '', type: '', as_of: '' })}>
              {t('matters.clear')}
            </a>
          </Empty>
        ) : (
          <>
            <p class="faint" role="status">
              {t('knowledge.count', { count: hits.length })}
              {reason && ` ${translate('degraded', reason)}`}
            </p>
            <ol class="hits">
              {hits.map((hit) => (
                <HitView
                  key={`${hit.kb_id} ${hit.document_id} ${hit.chunk_index}`}
                  hit={hit}
                  q={q}
                />
              ))}
            </ol>
          </>
        )
      }
    </Loaded>
  )
}

interface LawState {
  title: string
  status: 'in_force' | 'amended' | 'repealed' | 'not_yet_in_force'
}
const lawTones: Record<LawState['status'], Tone> = {
  in_force: 'good',
  amended: 'warn',
  repealed: 'bad',
  not_yet_in_force: 'info',
}

const HitView = ({ hit, q }: { hit: Hit; q: string }) => {
  const { law, heading } = hit.metadata as { law?: LawState | string; heading?: string }
  const state = typeof law === 'object' ? law : undefined
  const title = typeof law === 'string' ? law : state?.title
  return (
    <li class="panel-box">
      <h2>{hit.title}</h2>
      <p class="row-details">
        <Badge tone="neutral" text={translate('docType', hit.doc_type)} />
        {state && (
          <Badge tone={lawTones[state.status]} text={translate('lawStatus', state.status)} />
        )}
        {heading && <span class="faint">{heading}</span>}
        {title && (
          <a href={`/knowledge/law?law=${encodeURIComponent(title)}`}>
            {t('knowledge.openLaw', { law: title })}
          </a>
        )}
      </p>
      <p class="hit-text">
        {highlight(hit.content, q).map(({ text, isMatch }, index) =>
          isMatch ? <mark key={index}>{text}</mark> : text,
        )}
      </p>
    </li>
  )
}
