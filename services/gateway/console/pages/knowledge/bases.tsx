import { useState } from 'preact/hooks'
import { type Page, request } from '../../api/client.ts'
import type { KnowledgeBase } from '../../api/types.ts'
import { useLoad } from '../../api/use-load.ts'
import { formatNumber, t, translate } from '../../text/text.ts'
import { Badge, Empty, Loaded, Problem } from '../../ui/state.tsx'
import { Jobs } from './jobs.tsx'
import { KnowledgeLayout, knowledgePath } from './knowledge.tsx'

/** Knowledge bases and the jobs on them. */
export default function BasesPage() {
  const load = useLoad('bases', (signal) =>
    request<Page<KnowledgeBase>>(`${knowledgePath}/bases?size=200`, { signal }),
  )
  return (
    <KnowledgeLayout heading={t('knowledge.bases')}>
      <NewBase onCreate={load.reload} />
      <Loaded load={load}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('bases.empty')} hint={t('bases.empty.hint')} />
          ) : (
            <ul class="tiles">
              {items.map((base) => (
                <li key={base.id}>
                  <a class="tile" href={`/knowledge/bases/${base.id}`}>
                    <strong>{translate('base', base.name)}</strong>
                    <span class="faint">{base.description}</span>
                    <span class="row-details">
                      <Badge
                        tone={base.system ? 'info' : 'neutral'}
                        text={
                          base.system ? t('bases.system') : translate('audience', base.audience)
                        }
                      />
                      <span class="faint">
                        {t('bases.chunks', { count: formatNumber(base.chunks) })}
                      </span>
                    </span>
                  </a>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <Jobs />
    </KnowledgeLayout>
  )
}

function NewBase({ onCreate }: { onCreate: () => void }) {
  const [name, setName] = useState('')
  const [audience, setAudience] = useState<KnowledgeBase['audience']>('organization')
  const [error, setError] = useState<unknown>()
  async function create(event: Event) {
    event.preventDefault()
    setError(undefined)
    try {
      await request(`${knowledgePath}/bases`, { method: 'POST', body: { name, audience } })
      setName('')
      onCreate()
    } catch (thrown) {
      setError(thrown)
    }
  }
  return (
    <form class="filters" onSubmit={create}>
      <label>
        <span>{t('bases.name')}</span>
        <input
          type="text"
          required
          maxLength={200}
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </label>
      <label>
        <span>{t('bases.audience')}</span>
        <select
          value={audience}
          onChange={({ currentTarget }) =>
            setAudience(currentTarget.value as KnowledgeBase['audience'])
          }
        >
          {(['organization', 'clients'] as const).map((each) => (
            <option key={each} value={each}>
              {translate('audience', each)}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" class="primary">
        {t('bases.create')}
      </button>
      {error !== undefined && <Problem error={error} />}
    </form>
  )
}
