import type { ComponentType } from 'preact'
import type { Me } from './api/types.ts'
import type { PageProps } from './page-props.ts'
import { administers, keepsBases } from './rights.ts'
import type { TextKey } from './text/catalogue.ts'
import type { IconName } from './ui/icon.tsx'

interface Route {
  path: string
  load: () => Promise<{ default: ComponentType<PageProps> }>
  /** Entry of the navigation. */
  nav?: { text: TextKey; icon: IconName }
  /** Whether a person may open the page. Default: everyone. */
  allows?: (person: Me) => boolean
}

const loadConsultations = () => import('./pages/consultations/page.tsx')

/** Pages of the console. A page is a chunk of its own. The first one is the start page. */
export const routes: Route[] = [
  {
    path: '/consultations',
    load: loadConsultations,
    nav: { text: 'nav.consultations', icon: 'chat' },
  },
  { path: '/consultations/:id', load: loadConsultations },
  {
    path: '/matters',
    load: () => import('./pages/matters/list.tsx'),
    nav: { text: 'nav.matters', icon: 'folder' },
  },
  { path: '/matters/:id', load: () => import('./pages/matters/matter.tsx') },
  {
    path: '/calculators',
    load: () => import('./pages/calculators/list.tsx'),
    nav: { text: 'nav.calculators', icon: 'calculator' },
  },
  { path: '/calculators/:id', load: () => import('./pages/calculators/calculator.tsx') },
  {
    path: '/knowledge',
    load: () => import('./pages/knowledge/search.tsx'),
    nav: { text: 'nav.knowledge', icon: 'book' },
  },
  { path: '/knowledge/law', load: () => import('./pages/knowledge/law.tsx') },
  { path: '/knowledge/causes', load: () => import('./pages/knowledge/causes.tsx') },
  { path: '/knowledge/causes/:code', load: () => import('./pages/knowledge/cause.tsx') },
  {
    path: '/knowledge/bases',
    load: () => import('./pages/knowledge/bases.tsx'),
    allows: keepsBases,
  },
  {
    path: '/knowledge/bases/:id',
    load: () => import('./pages/knowledge/base.tsx'),
    allows: keepsBases,
  },
  {
    path: '/administration',
    load: () => import('./pages/administration/health.tsx'),
    nav: { text: 'nav.administration', icon: 'settings' },
    allows: administers,
  },
  {
    path: '/administration/settings',
    load: () => import('./pages/administration/settings.tsx'),
    allows: administers,
  },
  {
    path: '/administration/audit',
    load: () => import('./pages/administration/audit.tsx'),
    allows: administers,
  },
  {
    path: '/administration/usage',
    load: () => import('./pages/administration/usage.tsx'),
    allows: administers,
  },
  {
    path: '/administration/runs',
    load: () => import('./pages/administration/runs.tsx'),
    allows: administers,
  },
  {
    path: '/administration/packages',
    load: () => import('./pages/administration/packages.tsx'),
    allows: administers,
  },
  {
    path: '/administration/collection',
    load: () => import('./pages/administration/collection.tsx'),
    allows: administers,
  },
  {
    path: '/administration/access',
    load: () => import('./pages/administration/access.tsx'),
    allows: administers,
  },
  {
    path: '/administration/webhooks',
    load: () => import('./pages/administration/webhooks.tsx'),
    allows: administers,
  },
  {
    path: '/administration/runs/:id',
    load: () => import('./pages/administration/run.tsx'),
    allows: administers,
  },
]
