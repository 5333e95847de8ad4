/** Statements that fill lists of the organization `o` with rows. Every 100,000th row is rare. */
export const uuid = (n: number) => `0190b8f4-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

const id = `('0190b8f4-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`
/** Every minute one row. */
const time = `timestamptz '2026-01-01 00:00Z' + n * interval '1 minute'`
const isRare = 'n % 100000 = 7'
const pick = (common: string, rare: string) =>
  `case when ${isRare} then '${rare}' else '${common}' end`
const series = (rows: number) => `generate_series(1, ${rows}) n`

export const matters = (rows: number) => [
  `insert into matter.matters (id, title, status, matter_category, service_type_id, user_id,
    organization_id, provider_organization_id, file_ids, profile, data, created_at, updated_at)
  select ${id}, ${pick('民间借贷纠纷', 'rare 合同')} || n, ${pick('ACTIVE', 'ON_HOLD')},
    ${pick('civil_litigation', 'commercial_arbitration')}, 's',
    case when ${isRare} then 'rare' else 'u' || n % 1000 end, 'o', 'p', '[]', '{}', '{}', ${time}, ${time}
  from ${series(rows)}`,
  // The provider p has all matters of o and some of its own.
  `insert into matter.matters (id, title, status, matter_category, service_type_id, user_id,
    organization_id, file_ids, profile, data)
  select gen_random_uuid(), 'own', 'ACTIVE', 'consultation', 's', 'own', 'p', '[]', '{}', '{}'
  from generate_series(1, 10)`,
  `insert into matter.todos (id, matter_id, todo_key, title, actor, status, created_at)
  select ${id}, '${uuid(1)}', 'k' || n, 't', ${pick('client', 'system')}, ${pick('OPEN', 'DONE')}, ${time}
  from ${series(rows)}`,
  `insert into matter.deliverables (matter_id, deliverable_key, title, kind, version, created_at)
  select '${uuid(1)}', 'k' || n, 't', 'document', 1, ${time} from ${series(rows)}`,
  `insert into matter.analysis_versions (matter_id, version, created_at)
  select '${uuid(1)}', n, ${time} from ${series(rows)}`,
]

export const facts = (rows: number) => [
  `insert into memory.facts (id, tenant_id, user_id, scope, case_id, entity_key, category, content,
    confidence, source, metadata, terms, term_counts, created_at, updated_at)
  select ${id}, 'o', 'u', case when n % 2 = 0 then 'global' else 'case' end,
    case when n % 2 = 0 then null else 'c' || n % 1000 end, 'k' || n, ${pick('case_detail', 'evidence')},
    'content ' || n, 1, 'user', '{}', array[n], '', ${time}, ${time} from ${series(rows)}`,
  `insert into memory.conflicts (id, tenant_id, user_id, fact_id, entity_key, previous, current,
    resolution, detected_at)
  select ${id}, 'o', 'u', ${id}, 'k' || n, '{"content": "a", "value": null, "category": "summary"}',
    '{"content": "b", "value": null, "category": "summary"}', 'newest_wins', ${time} from ${series(rows)}`,
]

export const files = (rows: number) => [
  `insert into files.files (file_id, organization_id, owner, visibility, filename, content_type, size,
    sha256, storage_key, created_at, updated_at)
  select ${id}, 'o', 'u', 'private', 'f' || n, 'text/plain', n, md5(n::text), 'k' || n, ${time}, ${time}
  from ${series(rows)}`,
]

export const platform = (rows: number) => [
  `insert into platform.audit_logs (id, organization_id, seq, actor, action, resource, details,
    created_at, prev_hash, hash)
  select ${id}, 'o', n, case when ${isRare} then 'rare' else 'u' || n % 1000 end,
    ${pick('common', 'rare')}, case when ${isRare} then 'rare' else 'r' || n % 1000 end, '{}', ${time},
    '', '' from ${series(rows)}`,
  `insert into platform.configs (key, value) select 'key.' || n, '1' from ${series(rows)}`,
  `insert into platform.tag_groups (id, key, name, description)
  values ('${uuid(1)}', 'common', 'group', ''), ('${uuid(2)}', 'rare', 'group', '')`,
  `insert into platform.tags (id, key, name, description, group_id)
  select ${id}, 'tag.' || n, 'tag', '', ${pick(uuid(1), uuid(2))}::uuid from ${series(rows)}`,
  `insert into platform.legal_holds (organization_id, matter_id, reason, created_by, created_at)
  select 'o', 'm' || n, 'r', 'u', ${time} from ${series(rows)}`,
  `insert into platform.erasures (id, organization_id, user_id, dry_run, status, requested_by, created_at)
  select ${id}, 'o', 'u' || n, false, 'SUCCEEDED', 'u', ${time} from ${series(rows)}`,
  `insert into platform.webhooks (id, organization_id, url, secret, types, enabled, created_by, created_at)
  select ${id}, 'o', 'https://example.org/', 's', '[]', false, 'u', ${time} from ${series(rows)}`,
  `insert into platform.audit_checkpoints (organization_id, seq, hash, created_at, algorithm, key_id,
    signature)
  select 'o', n, '', ${time}, 'Ed25519', '', '' from ${series(rows)}`,
]

export const collected = (rows: number) => [
  `insert into collector.sources (id, organization_id, name, kind, url, include, exclude, enabled,
    created_at)
  select ${id}, 'o', 's' || n, ${pick('http', 'rss')}, 'https://example.org/', '[]', '[]', false, ${time}
  from ${series(rows)}`,
  `insert into collector.runs (id, organization_id, source_id, trigger, status, created_at)
  select ${id}, 'o', '${uuid(1)}', 'manual', ${pick('SUCCEEDED', 'FAILED')}, ${time} from ${series(rows)}`,
  `insert into collector.documents (id, organization_id, source_id, url, title, status, content,
    created_at, updated_at)
  select ${id}, 'o', '${uuid(1)}', 'https://example.org/' || n, 't' || n, ${pick('NEW', 'FAILED')},
    repeat(md5(n::text), 40), ${time}, ${time} from ${series(rows)}`,
  `insert into collector.seed_runs (id, request_hash, package_ids, dry_run, force, requested_by, status,
    lease_until, created_at)
  select ${id}, '', jsonb_build_array(${pick('common', 'rare')}), false, false, 'u', 'succeeded', ${time},
    ${time} from ${series(rows)}`,
]

export const documents = (rows: number) => [
  `insert into knowledge.bases (id, organization_id, name)
  select ${id}, 'o', 'base ' || n from ${series(Math.min(rows, 10_000))}`,
  `insert into knowledge.documents (base, document_id, doc_type, title, metadata, law_keys, law_terms, hash)
  select no, 'd' || n, 'statute', 'title ' || md5(n::text), '{}', '{}', '{}', ''
  from ${series(rows)}, knowledge.bases where id = '${uuid(1)}'`,
  `insert into knowledge.files (base, file_id, doc_type, metadata, status, created_at)
  select no, 'f' || n, 'statute', '{}', 'INDEXED', ${time}
  from ${series(rows)}, knowledge.bases where id = '${uuid(1)}'`,
  `insert into knowledge.runs (id, organization_id, kind, base, status, created_at)
  select ('0190b8f4-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'o', 'reindex', no, 'SUCCEEDED',
    ${time} from ${series(rows)}, knowledge.bases where id = '${uuid(1)}'`,
]

export const sessions = (rows: number) => [
  `insert into consultations.sessions (id, organization_id, user_id, title, matter_id, thread_id, status,
    created_at, updated_at)
  select ${id}, 'o', 'u' || n % 1000, ${pick('民间借贷纠纷', 'rare 合同')} || n, 'm' || n % 1000, 't' || n,
    ${pick('ACTIVE', 'ARCHIVED')}, ${time}, ${time} from ${series(rows)}`,
  `insert into consultations.messages (id, session_id, seq, role, content, author_type)
  select ${id}, '${uuid(1)}', n, 'USER', 'content', 'client' from ${series(rows)}`,
]

export const runs = (rows: number) => [
  `insert into ai_engine.runs (run_id, thread_id, organization_id, session_id, matter_id, round, kind,
    trace_id, request_id, traceparent, status, user_message, first_step, started_at, ended_at)
  select ${id}, 't' || n % 1000, 'o', 's' || n % 1000, 'm' || n % 1000, n, 'execute', ${id}, '', '',
    ${pick('completed', 'failed')}, 'm', 1, ${time}, ${time} from ${series(rows)}`,
  `insert into ai_engine.calls (thread_id, step, hash, nth, run_id, organization_id, user_id, skill, kind,
    name, answer, duration_ms, created_at)
  select 't' || n % 1000, n, '', 0, ${id}, 'o', case when ${isRare} then 'rare' else 'u' || n % 1000 end,
    ${pick('chat', 'rare')}, 'model', ${pick('large', 'rare')}, '{}', 1, ${time} from ${series(rows)}`,
  `insert into ai_engine.threads (thread_id, organization_id) values ('t1', 'o')`,
  `insert into ai_engine.checkpoints (thread_id, step, checkpoint_id, run_id, node, delta, created_at)
  select 't1', n, ${id}, ${id}, 'router', '{}', ${time} from ${series(rows)}`,
  `insert into ai_engine.outbox (sync_key, thread_id, step, organization_id, matter_id, body, status,
    created_at)
  select 'k' || n, 't' || n % 1000, n, 'o', 'm' || n % 1000, '{}', ${pick('DELIVERED', 'REFUSED')}, ${time}
  from ${series(rows)}`,
]

/** Value of the session cookie, and its hash. */
export const cookie = 'session-of-the-bench'
const cookieHash = `encode(sha256('${cookie}'), 'hex')`

export const credentials = (rows: number) => [
  `insert into gateway.people (organization_id, user_id, identity) values ('o', 'u', '{"id": "u",
    "name": "U", "organization_id": "o", "user_type": "firm_admin", "permissions": [], "superuser": false}')`,
  `insert into gateway.sessions (id, token_hash, user_id, organization_id, csrf, address, user_agent,
    created_at, expires_at)
  select ${id}, case when n = 1 then ${cookieHash} else 'h' || n end,
    case when ${isRare} then 'rare' else 'u' end, 'o', '', '', '', ${time}, timestamptz '2999-01-01'
  from ${series(rows)}`,
  `insert into gateway.tokens (id, token_hash, user_id, organization_id, name, scopes, created_at)
  select ${id}, 'h' || n, case when ${isRare} then 'rare' else 'u' end, 'o', 't', '[]', ${time}
  from ${series(rows)}`,
]
