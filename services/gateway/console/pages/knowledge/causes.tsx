import { type Page, request, withQuery } from '../../api/client.ts'
import type { CauseOfActionProfile } from '../../api/types.ts'
import { useLoad } from '../../api/use-load.ts'
import { navigate, usePlace } from '../../router.ts'
import { t } from '../../text/text.ts'
import { SearchField } from '../../ui/search-field.tsx'
import { Empty, Loaded } from '../../ui/state.tsx'
import { causeDescription, causeName } from './cause-names.ts'
import { KnowledgeLayout, knowledgePath } from './knowledge.tsx'

/** Causes of action with a search by name. */
export default function CausesPage() {
  const { query } = usePlace()
  const q = query.get('q') ?? ''
  const load = useLoad(`causes ${q}`, (signal) =>
    request<Page<CauseOfActionProfile>>(
      withQuery(`${knowledgePath}/causes-of-action`, { q, size: 200 }),
      { signal },
    ),
  )
  return (
    <KnowledgeLayout heading={t('knowledge.causes')}>
      <div class="filters">
        <SearchField
          label={t('causes.search')}
          value={q}
          onSearch={(value) =>
            navigate(withQuery('/knowledge/causes', { q: value }), { replace: true })
          }
        />
      </div>
      <Loaded load={load}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('causes.empty')}>
              <a class="button" href="/knowledge/causes">
                {t('matters.clear')}
              </a>
            </Empty>
          ) : (
            <ul class="tiles">
              {items.map((cause) => (
                <li key={cause.code}>
                  <a class="tile" href={`/knowledge/causes/${encodeURIComponent(cause.code)}`}>
                    <strong>{causeName(cause)}</strong>
                    <span class="faint">{causeDescription(cause)}</span>
                  </a>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </KnowledgeLayout>
  )
}
