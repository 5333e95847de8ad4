import type { ComponentChildren } from 'preact'
import type { TextKey } from '../../text/catalogue.ts'
import { t } from '../../text/text.ts'
import { SectionTabs } from '../../ui/section-tabs.tsx'
import { PageHeading } from '../../ui/state.tsx'

const tabs = [
  'health',
  'settings',
  'audit',
  'usage',
  'runs',
  'packages',
  'collection',
  'access',
  'webhooks',
] as const

interface AdministrationLayoutProps {
  page: (typeof tabs)[number]
  heading?: string
  actions?: ComponentChildren
  children: ComponentChildren
}

const textOfTab = (tab: (typeof tabs)[number]) => t(`administration.${tab}` as TextKey)

/** Tabs of the section and the heading of the page. */
export const AdministrationLayout = (props: AdministrationLayoutProps) => (
  <section class="page">
    <SectionTabs
      label={t('nav.administration')}
      tabs={tabs.map((tab) => ({
        path: tab === 'health' ? '/administration' : `/administration/${tab}`,
        text: textOfTab(tab),
      }))}
    />
    <PageHeading text={props.heading ?? textOfTab(props.page)}>{props.actions}</PageHeading>
    {props.children}
  </section>
)
