import { request } from '../../api/client.ts'
import type { CauseOfAction, ElementWithKnowledge } from '../../api/types.ts'
import { useLoad } from '../../api/use-load.ts'
import type { PageProps } from '../../page-props.ts'
import { usePlace } from '../../router.ts'
import { t, translate } from '../../text/text.ts'
import { Badge, Empty, Loaded } from '../../ui/state.tsx'
import { CauseGraph } from './cause-graph.tsx'
import { causeDescription, causeName, citeArticle, lawAddress } from './cause-names.ts'
import { KnowledgeLayout, knowledgePath } from './knowledge.tsx'

/** A cause of action: its elements with burdens, or the graph of its elements and articles. */
export default function CausePage({ params: { code } }: PageProps) {
  const { query } = usePlace()
  const load = useLoad(`cause ${code}`, (signal) =>
    request<CauseOfAction>(`${knowledgePath}/causes-of-action/${encodeURIComponent(code!)}`, {
      signal,
    }),
  )
  const showsGraph = query.get('view') === 'graph'
  const address = `/knowledge/causes/${encodeURIComponent(code!)}`
  return (
    <KnowledgeLayout
      heading={load.data ? causeName(load.data) : t('knowledge.causes')}
      actions={
        <a class="button" href={showsGraph ? address : `${address}?view=graph`}>
          {t(showsGraph ? 'causes.showElements' : 'causes.showGraph')}
        </a>
      }
    >
      <Loaded load={load}>
        {(cause) =>
          showsGraph ? (
            <CauseGraph cause={cause} />
          ) : (
            <>
              <Profile cause={cause} />
              {cause.elements.length === 0 && <Empty title={t('causes.noElements')} />}
              {cause.elements.map((element) => (
                <ElementView key={element.element_id} element={element} />
              ))}
            </>
          )
        }
      </Loaded>
    </KnowledgeLayout>
  )
}

const Profile = ({ cause }: { cause: CauseOfAction }) => (
  <section class="panel-box" aria-label={t('causes.profile')}>
    <p>{causeDescription(cause)}</p>
    <dl class="facts">
      {cause.typical_claims.length > 0 && (
        <>
          <dt>{t('causes.claims')}</dt>
          <dd>{cause.typical_claims.join('；')}</dd>
        </>
      )}
      {cause.limitation?.years && (
        <>
          <dt>{t('causes.limitation')}</dt>
          <dd>
            {t('causes.years', { years: cause.limitation.years })}
            {cause.limitation.basis && ` · ${cause.limitation.basis}`}
          </dd>
        </>
      )}
      {cause.jurisdiction_hint && (
        <>
          <dt>{t('causes.jurisdiction')}</dt>
          <dd>{cause.jurisdiction_hint}</dd>
        </>
      )}
    </dl>
  </section>
)

const ElementView = ({ element }: { element: ElementWithKnowledge }) => (
  <section class="panel-box element" aria-label={causeName(element)}>
    <h2>{causeName(element)}</h2>
    <p class="row-details">
      <Badge tone="info" text={translate('burden', element.burden_of_proof)} />
      {!element.required && <Badge tone="neutral" text={t('causes.notRequired')} />}
    </p>
    <p>{causeDescription(element)}</p>
    {element.evidence_types.length > 0 && (
      <p class="faint">{t('causes.evidence', { types: element.evidence_types.join('、') })}</p>
    )}
    <Articles articles={element.legal_basis} />
    {(element.defences ?? []).length > 0 && (
      <>
        <h3>{t('causes.defences')}</h3>
        <ul>
          {element.defences!.map((defence) => (
            <li key={defence.name}>
              <strong>{causeName(defence)}</strong>
              {defence.burden_of_proof && (
                <Badge tone="info" text={translate('burden', defence.burden_of_proof)} />
              )}
              <p>{defence.description}</p>
              <Articles articles={defence.legal_basis} />
            </li>
          ))}
        </ul>
      </>
    )}
  </section>
)

const Articles = ({ articles }: { articles: ElementWithKnowledge['legal_basis'] }) => (
  <p class="articles">
    {articles.map((article) => (
      <a key={citeArticle(article)} href={lawAddress(article)} title={article.quote}>
        {citeArticle(article)}
      </a>
    ))}
  </p>
)
