import type { Service } from '../../services/_kit/service.ts'
import aiEngine from '../../services/ai-engine/service.ts'
import collector from '../../services/collector/service.ts'
import consultations from '../../services/consultations/service.ts'
import files from '../../services/files/service.ts'
import gateway from '../../services/gateway/service.ts'
import knowledge from '../../services/knowledge/service.ts'
import matter from '../../services/matter/service.ts'
import memory from '../../services/memory/service.ts'
import platform from '../../services/platform/service.ts'
import * as fill from './fill.ts'

/** A service, the statements that fill its lists, and the paths of the lists with each filter. */
export interface Subject {
  service: Service
  fill: (rows: number) => string[]
  paths: string[]
  /** Paths that are requested with other headers. */
  others?: { headers: Record<string, string>; paths: string[] }
}

/** Lists that are not measured, by path, with the reason. */
export const exempt: Record<string, string> = {
  '/api/v1/flow-blueprints': 'files of the service',
  '/api/v1/seed-packages': 'directories',
  '/api/v1/internal/seed-packages': 'directories',
  '/api/v1/seed-packages/runs': 'same statement as /api/v1/internal/seed-packages/runs',
  '/api/v1/ai/admin/traces': 'forwarded to ai-engine',
  '/api/v1/ai/admin/timeline': 'forwarded to ai-engine',
  '/api/v1/ai/admin/checkpoints': 'forwarded to ai-engine',
  '/api/v1/feature-flags': 'records of the platform by key, like tags',
  '/api/v1/tag-groups': 'records of the platform by key, like tags',
  '/api/v1/categories': 'records of the platform by key, like tags',
  '/api/v1/domains': 'records of the platform by key, like tags',
  '/api/v1/knowledge/causes-of-action': 'records of the seeds, a few hundred',
  '/api/v1/knowledge/checklists': 'records of the seeds, a few hundred',
  '/api/v1/matters/:id/deliverables/:deliverableKey/versions':
    'versions of one document, by primary key',
  '/api/v1/internal/seed/system-kb-documents/unowned':
    'documents that do not belong in system bases',
}

const base = '/api/v1'
const withFilters = (path: string, ...filters: string[]) =>
  ['', ...filters].map((filter) => (filter ? `${path}?${filter}` : path))

const matterFilters = [
  ...['status=ACTIVE', 'status=ON_HOLD', 'matter_category=civil_litigation'],
  ...['matter_category=commercial_arbitration', 'user_id=u7', 'user_id=rare'],
  ...['q=纠纷', 'q=纠', 'q=rare', 'q=absent'],
]

/** One value of each filter matches ten of 1,000,000 rows, another value matches a large share. */
export const subjects: Subject[] = [
  {
    service: matter,
    fill: fill.matters,
    paths: [
      ...withFilters(`${base}/matters`, ...matterFilters),
      ...withFilters(
        `${base}/matters/${fill.uuid(1)}/todos`,
        ...['status=OPEN', 'status=DONE', 'actor=client', 'actor=system'],
      ),
      `${base}/matters/${fill.uuid(1)}/deliverables`,
      `${base}/matters/${fill.uuid(1)}/analysis`,
    ],
    others: {
      headers: { 'x-organization-id': 'p' },
      paths: withFilters(`${base}/matters`, ...matterFilters),
    },
  },
  {
    service: memory,
    fill: fill.facts,
    paths: [
      ...withFilters(
        `${base}/internal/memory/users/u/facts`,
        ...[
          'category=case_detail',
          'category=evidence',
          'scope=global',
          'scope=case',
          'case_id=c7',
        ],
      ),
      `${base}/internal/memory/users/u/conflicts`,
    ],
  },
  { service: files, fill: fill.files, paths: [`${base}/files/user/u`] },
  {
    service: platform,
    fill: fill.platform,
    paths: [
      ...withFilters(
        `${base}/audit-logs`,
        ...['action=common', 'action=rare', 'actor=u7', 'actor=rare', 'resource=r7'],
        ...['resource=rare', 'from=2026-01-05T00:00:00Z', 'to=2026-01-05T00:00:00Z'],
      ),
      ...withFilters(`${base}/configs`, 'q=key.7'),
      ...withFilters(`${base}/tags`, `group_id=${fill.uuid(1)}`, `group_id=${fill.uuid(2)}`),
      `${base}/legal-holds`,
      `${base}/erasures`,
      `${base}/webhooks`,
      `${base}/audit-logs/checkpoints`,
    ],
  },
  {
    service: collector,
    fill: fill.collected,
    paths: [
      ...withFilters(
        `${base}/collector/documents`,
        ...['status=NEW', 'status=FAILED', `source_id=${fill.uuid(1)}`],
        `source_id=${fill.uuid(1)}&status=FAILED`,
      ),
      ...withFilters(
        `${base}/collector/runs`,
        ...['status=SUCCEEDED', 'status=FAILED', `source_id=${fill.uuid(1)}`],
      ),
      ...withFilters(`${base}/collector/sources`, 'kind=http', 'kind=rss'),
      ...withFilters(
        `${base}/internal/seed-packages/runs`,
        ...['package_id=common', 'package_id=rare'],
      ),
    ],
  },
  {
    service: knowledge,
    fill: fill.documents,
    paths: [
      `${base}/knowledge/bases/${fill.uuid(1)}/documents`,
      `${base}/knowledge/bases/${fill.uuid(1)}/files`,
      `${base}/knowledge/jobs`,
      `${base}/knowledge/bases`,
    ],
  },
  {
    service: consultations,
    fill: fill.sessions,
    paths: [
      ...withFilters(
        `${base}/consultations/sessions`,
        ...['status=ACTIVE', 'status=ARCHIVED', 'matter_id=m7', 'q=纠纷', 'q=rare', 'q=absent'],
      ),
      `${base}/consultations/sessions/${fill.uuid(1)}/messages`,
    ],
  },
  {
    service: aiEngine,
    fill: fill.runs,
    paths: [
      ...withFilters(
        `${base}/internal/ai/traces`,
        ...['status=completed', 'status=failed', 'thread_id=t7', 'matter_id=m7', 'session_id=s7'],
        ...['from=2026-01-05T00:00:00Z', 'to=2026-01-05T00:00:00Z'],
      ),
      ...withFilters(
        `${base}/internal/ai/timeline`,
        ...['matter_id=m7', 'thread_id=t7', 'session_id=s7'],
      ).slice(1),
      `${base}/internal/ai/agent/threads/t1/checkpoints`,
      ...withFilters(
        `${base}/internal/ai/usage`,
        ...['user_id=u7', 'user_id=rare', 'skill=chat', 'skill=rare', 'model=large', 'model=rare'],
        ...['from=2026-01-05T00:00:00Z', 'to=2026-01-05T00:00:00Z', 'organization_id=o'],
      ),
      ...withFilters(
        `${base}/internal/ai/outbox`,
        ...['status=DELIVERED', 'status=REFUSED', 'matter_id=m7', 'thread_id=t7'],
      ),
    ],
  },
  {
    service: gateway,
    fill: fill.credentials,
    paths: [],
    others: {
      headers: { cookie: `legal_suite=${fill.cookie}` },
      paths: [
        '/auth/sessions',
        '/auth/tokens',
        ...withFilters('/auth/admin/sessions', 'user_id=u', 'user_id=rare'),
        ...withFilters('/auth/admin/tokens', 'user_id=u', 'user_id=rare'),
      ],
    },
  },
]
