import type { ComponentChildren } from 'preact'
import { me } from '../../api/client.ts'
import { keepsBases } from '../../rights.ts'
import { t } from '../../text/text.ts'
import { SectionTabs } from '../../ui/section-tabs.tsx'
import { PageHeading } from '../../ui/state.tsx'

export const knowledgePath = '/knowledge-service/api/v1/knowledge'

interface KnowledgeLayoutProps {
  heading: string
  actions?: ComponentChildren
  children: ComponentChildren
}

/** Tabs of the section and the heading of the page. */
export const KnowledgeLayout = ({ heading, actions, children }: KnowledgeLayoutProps) => (
  <section class="page">
    <SectionTabs
      label={t('nav.knowledge')}
      tabs={[
        { path: '/knowledge', text: t('knowledge.search') },
        { path: '/knowledge/law', text: t('knowledge.law') },
        { path: '/knowledge/causes', text: t('knowledge.causes') },
        ...(keepsBases(me.get()!)
          ? [{ path: '/knowledge/bases', text: t('knowledge.bases') }]
          : []),
      ]}
    />
    <PageHeading text={heading}>{actions}</PageHeading>
    {children}
  </section>
)
