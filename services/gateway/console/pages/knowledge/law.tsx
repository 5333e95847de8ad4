import { useEffect, useState } from 'preact/hooks'
import { useLoad } from '../../api/use-load.ts'
import { navigate, usePlace } from '../../router.ts'
import { t, translate } from '../../text/text.ts'
import { Badge, Empty, Loaded } from '../../ui/state.tsx'
import { KnowledgeLayout } from './knowledge.tsx'
import {
  type ArticlePair,
  buildSections,
  type LawText,
  loadLaw,
  pairArticles,
  type SectionNode,
} from './load-law.ts'

interface LawQuery {
  law: string
  as_of: string
  compare: string
  article: string
}

const samples = ['民法典', '劳动合同法', '民事诉讼法']

/** A law with the tree of its sections, and two editions side by side. */
export default function LawPage() {
  const { query } = usePlace()
  const asked: LawQuery = {
    law: query.get('law') ?? '',
    as_of: query.get('as_of') ?? '',
    compare: query.get('compare') ?? '',
    article: query.get('article') ?? '',
  }
  return (
    <KnowledgeLayout heading={asked.law === '' ? t('knowledge.law') : `《${asked.law}》`}>
      <LawForm key={JSON.stringify(asked)} asked={asked} />
      {asked.law === '' ? (
        <Empty title={t('law.start')}>
          <p class="articles">
            {samples.map((law) => (
              <a key={law} class="button" href={`/knowledge/law?law=${encodeURIComponent(law)}`}>
                {law}
              </a>
            ))}
          </p>
        </Empty>
      ) : (
        <Editions asked={asked} />
      )}
    </KnowledgeLayout>
  )
}

function LawForm({ asked }: { asked: LawQuery }) {
  const [draft, setDraft] = useState(asked)
  const change = (name: keyof LawQuery) => (event: { currentTarget: HTMLInputElement }) =>
    setDraft({ ...draft, [name]: event.currentTarget.value, article: '' })
  return (
    <form
      class="filters law-form"
      onSubmit={(event) => {
        event.preventDefault()
        const filled = Object.entries(draft).filter(([, value]) => value !== '')
        navigate(`/knowledge/law?${new URLSearchParams(filled)}`)
      }}
    >
      <label>
        <span>{t('law.title')}</span>
        <input type="text" required value={draft.law} onInput={change('law')} />
      </label>
      <label>
        <span>{t('law.asOf')}</span>
        <input type="date" value={draft.as_of} onInput={change('as_of')} />
      </label>
      <label>
        <span>{t('law.compare')}</span>
        <input type="date" value={draft.compare} onInput={change('compare')} />
      </label>
      <button type="submit" class="primary">
        {t('law.show')}
      </button>
    </form>
  )
}

function Editions({ asked: { law, as_of, compare, article } }: { asked: LawQuery }) {
  const load = useLoad(`law ${law} ${as_of} ${compare}`, async (signal) => ({
    main: await loadLaw(law, as_of, signal),
    other: compare === '' ? undefined : await loadLaw(law, compare, signal),
  }))
  return (
    <Loaded load={load}>
      {({ main, other }) => {
        const pairs = pairArticles(main.articles, (other ?? main).articles)
        if (pairs.length === 0) {
          return <Empty title={t('law.unknown', { law })} hint={t('law.unknown.hint')} />
        }
        return (
          <div class="law">
            <nav class="law-sections" aria-label={t('law.sections')}>
              <SectionTree section={buildSections(main.articles)} />
            </nav>
            <div>
              <EditionHeadings
                texts={other ? [main, other] : [main]}
                days={other ? [as_of, compare] : [as_of]}
              />
              <ArticleRows pairs={pairs} isCompared={other !== undefined} article={article} />
            </div>
          </div>
        )
      }}
    </Loaded>
  )
}

const SectionTree = ({ section }: { section: SectionNode }) => (
  <ul>
    {section.articles.map(({ number, name }) => (
      <li key={number}>
        <a href={`#article-${number}`}>{name}</a>
      </li>
    ))}
    {section.sections.map((each) => (
      <li key={each.title}>
        <details>
          <summary>{each.title}</summary>
          <SectionTree section={each} />
        </details>
      </li>
    ))}
  </ul>
)

const EditionHeadings = ({ texts, days }: { texts: LawText[]; days: string[] }) => (
  <div class={texts.length > 1 ? 'pair edition-headings' : 'edition-headings'}>
    {texts.map(({ status, effectiveFrom, effectiveTo, articles }, index) => (
      <div key={index}>
        <strong>{days[index] || t('law.today')}</strong>{' '}
        {status && <Badge tone="neutral" text={translate('lawStatus', status)} />}
        <p class="faint">
          {t('law.count', { count: articles.length })}
          {effectiveFrom && ` · ${t('citation.since', { day: effectiveFrom })}`}
          {effectiveTo && ` · ${t('citation.until', { day: effectiveTo })}`}
        </p>
      </div>
    ))}
  </div>
)

interface ArticleRowsProps {
  pairs: ArticlePair[]
  isCompared: boolean
  /** Article that the address names; it is scrolled into view. */
  article: string
}

function ArticleRows({ pairs, isCompared, article }: ArticleRowsProps) {
  const [onlyChanges, setOnlyChanges] = useState(false)
  const target = pairs.find(({ left }) => left?.name === article)?.number
  useEffect(() => {
    if (target !== undefined) document.getElementById(`article-${target}`)?.scrollIntoView()
  }, [target])
  const shown = onlyChanges ? pairs.filter(({ differs }) => differs) : pairs
  return (
    <>
      {isCompared && (
        <label class="check">
          <input
            type="checkbox"
            checked={onlyChanges}
            onChange={({ currentTarget }) => setOnlyChanges(currentTarget.checked)}
          />
          {t('law.onlyChanges')}
        </label>
      )}
      {shown.length === 0 && <Empty title={t('law.noChanges')} />}
      {shown.map(({ number, left, right, differs }) => (
        <article
          key={number}
          id={`article-${number}`}
          class={`${isCompared ? 'pair' : ''} ${differs ? 'differs' : ''} ${number === target ? 'target' : ''}`}
        >
          <p>{left?.content ?? t('law.lacks')}</p>
          {isCompared && <p>{right?.content ?? t('law.lacks')}</p>}
        </article>
      ))}
    </>
  )
}
