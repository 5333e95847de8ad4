// Written by npm run generate from the API descriptions of the services.

export interface Card {
  card_id: string
  review_type: 'clarify' | 'select' | 'confirm' | 'phase_done'
  title: string
  questions: Question[]
  skippable?: boolean
  expires_at?: string
  on_expiry?: 'default' | 'skip' | 'fail'
  reminders?: string[]
  assignee?: string
  graph_version?: string
  skill_version?: string
}

export interface Question {
  question: string
  field_key: string
  input_type: 'text' | 'textarea' | 'number' | 'money' | 'date' | 'boolean' | 'select' | 'multi_select' | 'file'
  required: boolean
  options?: {
    value: string
    label: string
  }[]
  default?: unknown
  help?: string
}

export interface Calculator {
  id: string
  title: {
    zh: string
    en: string
  }
  inputs: Record<string, unknown>
  articles: {
    law: string
    article: string
  }[]
  tables: {
    name: string
    source: string
    through: string
  }[]
}

export interface CalculationStep {
  title: {
    zh: string
    en: string
  }
  articles: {
    law: string
    article: string
  }[]
  formula: string
  inputs: Record<string, unknown>
  result: unknown
}

export interface Trace {
  trace_id: string
  run_id: string
  thread_id: string
  session_id: string | null
  matter_id: string | null
  kind: 'execute' | 'resume' | 'replay'
  graph_version: string
  skill_version: string | null
  status: 'running' | 'completed' | 'interrupted' | 'failed'
  error: {
    code: string
    message: string
  } | null
  started_at: string
  ended_at: string | null
}

export interface TraceDetail {
  trace_id: string
  run_id: string
  thread_id: string
  session_id: string | null
  matter_id: string | null
  kind: 'execute' | 'resume' | 'replay'
  graph_version: string
  skill_version: string | null
  status: 'running' | 'completed' | 'interrupted' | 'failed'
  error: {
    code: string
    message: string
  } | null
  started_at: string
  ended_at: string | null
  spans: ({
    span_id: string
    parent_id: string | null
    step: number
    name: string
    kind: 'node' | 'skill' | 'model' | 'tool' | 'sync'
    started_at: string
    duration_ms: number
    status: 'ok' | 'error'
    attributes: Record<string, unknown>
    error: string | null
  })[]
  usage: {
    calls: number
    input_tokens: number
    output_tokens: number
    cached_tokens: number
  }
  decisions: ({
    step: number
    recorded: {
      next: string | null
      skills: string[]
    }
    evaluated: {
      next: string | null
      skills: string[]
    }
    same: boolean
  })[]
}

export interface Checkpoint {
  checkpoint_id: string
  step: number
  node: string
  graph_version: string | null
  skill_version: string | null
  created_at: string
}

export interface Round {
  round: number
  thread_id: string
  run_id: string
  trace_id: string
  started_at: string
  ended_at: string | null
  status: 'running' | 'completed' | 'interrupted' | 'failed'
  user_message: string
  output: string
  skills: string[]
  card: Card | null
  graph_version: string
  skill_version: string | null
  error: {
    code: string
    message: string
  } | null
  sync_errors: {
    sync_key: string
    error: string
    refused_at: string
  }[]
}

export interface RunAnswer {
  thread_id: string
  run_id: string
  trace_id: string
  status: 'completed' | 'interrupted' | 'failed'
  output: string
  card: Card | null
  result: unknown
  graph_version: string
  skill_version: string | null
}

export interface ConsultationSession {
  id: string
  matter_id: string | null
  user_id: string
  organization_id: string
  title: string | null
  service_type_id: string | null
  file_ids: string[]
  status: 'ACTIVE' | 'ARCHIVED'
  thread_id: string
  last_message_at: string | null
  version: number
  created_at: string
  updated_at: string
}

export interface ConsultationMessage {
  id: string
  session_id: string
  seq: number
  role: 'USER' | 'ASSISTANT' | 'SYSTEM' | 'TOOL'
  author_id: string | null
  author_type: 'client' | 'lawyer' | 'firm_admin' | 'operator' | 'assistant'
  content: string
  file_ids: string[]
  card: unknown
  metadata: Record<string, unknown>
  created_at: string
}

export interface Matter {
  id: string
  title: string
  status: 'DRAFT' | 'ACTIVE' | 'ON_HOLD' | 'COMPLETED' | 'ARCHIVED' | 'CANCELLED'
  matter_category: 'civil_litigation' | 'criminal_litigation' | 'administrative_litigation' | 'commercial_arbitration' | 'labor_arbitration' | 'non_litigation' | 'consultation'
  cause_of_action_code: string | null
  service_type_id: string
  session_id: string | null
  user_id: string
  organization_id: string
  provider_organization_id: string | null
  lawyer_id: string | null
  firm_id: string | null
  file_ids: string[]
  profile: Record<string, unknown>
  data: Record<string, unknown>
  version: number
  created_at: string
  updated_at: string
}

export interface Todo {
  id: string
  todo_key: string
  title: string
  actor: 'client' | 'lawyer' | 'firm_admin' | 'system'
  review_type: string | null
  status: 'OPEN' | 'DONE' | 'CANCELLED'
  payload: unknown
  result: unknown
  due_at: string | null
  created_at: string
  updated_at: string
}

export interface MatterPhaseProgress {
  phase_id: string
  phase_name: string
  status: 'PENDING' | 'IN_PROGRESS' | 'COMPLETED' | 'SKIPPED'
  order_num: number
  started_at: string | null
  completed_at: string | null
}

export interface MatterEvent {
  id: string
  type: string
  actor: string
  at: string
  summary: string
  from: unknown
  to: unknown
}

export interface Deliverable {
  deliverable_key: string
  title: string
  kind: string
  file_id: string | null
  version: number
  created_at: string
  presigned_url: string | null
}

export interface AnalysisSubmission {
  items: unknown[] | null
  result: Record<string, unknown> | null
  submitted_at: string
}

export interface SearchAnswer {
  hits: Hit[]
  backend: 'qdrant' | 'database'
  degraded: boolean
  reason: 'embedding_not_configured' | 'embedding_unavailable' | 'search_engine_unavailable' | 'rerank_unavailable' | null
}

export interface Hit {
  kb_id: string
  document_id: string
  title: string
  doc_type: string
  chunk_index: number
  section_id: string | null
  content: string
  metadata: Record<string, unknown>
  score: number
  matched_by: ('keyword' | 'vector')[]
}

export interface KnowledgeBase {
  id: string
  name: string
  description: string
  system: boolean
  audience: 'organization' | 'clients'
  chunks: number
  created_at: string
  updated_at: string
}

export interface KnowledgeDocument {
  kb_id: string
  document_id: string
  file_id: string | null
  doc_type: string
  title: string
  metadata: Record<string, unknown>
  created_at: string
  updated_at: string
}

export interface KnowledgeFile {
  kb_id: string
  file_id: string
  title: string | null
  doc_type: string
  metadata: Record<string, unknown>
  status: 'PENDING' | 'INDEXED' | 'FAILED'
  error: string | null
  created_at: string
  updated_at: string
}

export interface KnowledgeJob {
  id: string
  kind: 'attach' | 'reindex'
  kb_id: string | null
  file_id: string | null
  status: 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED'
  progress: {
    done: number
    total: number | null
  }
  error: string | null
  created_at: string
  updated_at: string
}

export interface CauseOfActionProfile {
  code: string
  name: string
  parent_code: string | null
  aliases: string[]
  keywords: string[]
  cues?: string[]
  matter_category?: string
  description: string
  typical_claims: string[]
  limitation: {
    years?: number | null
    basis?: string
  } | null
  jurisdiction_hint: string | null
  risk_factors: unknown[]
  strategy_templates: unknown[]
  name_en?: string
  description_en?: string
  dictionary_version?: string
  as_of?: string
  parties?: CauseParty[]
  laws?: LawEdition[]
  interpretations?: LawEdition[]
  later_texts?: LaterText[]
}

export interface CauseParty {
  role: string
  name: string
  name_en?: string
  position: 'plaintiff' | 'defendant' | 'either'
}

export interface CauseOfAction {
  code: string
  name: string
  parent_code: string | null
  aliases: string[]
  keywords: string[]
  cues?: string[]
  matter_category?: string
  description: string
  typical_claims: string[]
  limitation: {
    years?: number | null
    basis?: string
  } | null
  jurisdiction_hint: string | null
  risk_factors: unknown[]
  strategy_templates: unknown[]
  name_en?: string
  description_en?: string
  dictionary_version?: string
  as_of?: string
  parties?: CauseParty[]
  laws?: LawEdition[]
  interpretations?: LawEdition[]
  later_texts?: LaterText[]
  elements: ElementWithKnowledge[]
}

export interface ElementWithKnowledge {
  element_id: string
  cause_of_action_code: string
  name: string
  description: string
  order_num: number
  burden_of_proof: 'plaintiff' | 'defendant'
  required: boolean
  side?: string
  applies_when?: string
  applies_when_en?: string
  only_if?: ({
    field_key: string
    values?: (string | boolean)[]
    from?: string
  })[]
  evidence_types: string[]
  questions: Record<string, unknown>[]
  legal_basis: ({
    law: string
    article: string
    quote?: string
    only_if?: ({
      field_key: string
      values?: (string | boolean)[]
      from?: string
    })[]
    grounds_claim?: boolean
  })[]
  name_en?: string
  description_en?: string
  standard?: string
  defences?: Defence[]
  calculation?: Calculation | null
  cases?: ElementCase[]
  knowledge: ElementKnowledgeMapping[]
}

export interface ElementKnowledgeMapping {
  element_id: string
  kb_id: string
  document_id: string
  section_id: string | null
  relevance: number
}

export interface Defence {
  name: string
  name_en?: string
  description: string
  kind?: 'denial' | 'objection' | 'rule_of_law'
  burden_of_proof?: 'plaintiff' | 'defendant'
  only_if?: ({
    field_key: string
    values?: (string | boolean)[]
    from?: string
  })[]
  legal_basis: ({
    law: string
    article: string
    quote?: string
    only_if?: ({
      field_key: string
      values?: (string | boolean)[]
      from?: string
    })[]
    grounds_claim?: boolean
  })[]
}

export interface Calculation {
  name: string
  name_en?: string
  formula: string
  inputs: string[]
  legal_basis: ({
    law: string
    article: string
    quote?: string
    only_if?: ({
      field_key: string
      values?: (string | boolean)[]
      from?: string
    })[]
    grounds_claim?: boolean
  })[]
}

export interface ElementCase {
  facts: string
  met: boolean
  why?: string
}

export interface LawEdition {
  law: string
  effective_from: string | null
}

export interface LaterText {
  title: string
  number?: string
  effective_from: string | null
  note: string
}

export interface SeedPackage {
  package_id: string
  name: string | null
  version: string | null
  description: string | null
  checksum: string | null
  items: number
  issues: number
  status: 'new' | 'changed' | 'applied' | 'invalid'
  applied: {
    version: string
    checksum: string
    run_id: string
    applied_at: string
  } | null
}

export interface SeedRun {
  run_id: string
  dry_run: boolean
  plan_hash: string | null
  status: 'running' | 'succeeded' | 'failed' | 'partial'
  packages: ({
    package_id: string
    version: string
    checksum: string
    status: 'pending' | 'applied' | 'unchanged' | 'planned' | 'failed'
    items: ({
      item_id: string
      kind: string
      status: 'pending' | 'running' | 'applied' | 'unchanged' | 'planned' | 'skipped' | 'failed'
      counts: {
        created: number
        updated: number
        unchanged: number
        deleted: number
      }
      error: string | null
      duration_ms: number
    })[]
  })[]
  force: boolean
  requested_by: string
  created_at: string
  finished_at: string | null
}

export interface Source {
  name: string
  kind: 'http' | 'sitemap' | 'rss' | 'upload'
  url: string | null
  schedule: string | null
  kb_id: string | null
  include: string[]
  exclude: string[]
  enabled: boolean
  id: string
  organization_id: string
  version: number
  next_run_at: string | null
  created_at: string
  updated_at: string
}

export interface CollectionRun {
  id: string
  source_id: string
  organization_id: string
  trigger: 'manual' | 'schedule'
  status: 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED'
  counts: {
    found: number
    new: number
    changed: number
    unchanged: number
    failed: number
    skipped: number
  }
  created_at: string
  started_at: string | null
  finished_at: string | null
}

export interface SystemConfig {
  key: string
  value: unknown
  description: string
  version: number
  created_at: string
  updated_at: string
}

export interface FeatureFlag {
  key: string
  enabled: boolean
  description: string
  rules: {
    organization_ids?: string[]
    user_ids?: string[]
    percentage?: number
  }[]
  version: number
  created_at: string
  updated_at: string
}

export interface Tag {
  id: string
  key: string
  name: string
  description: string
  created_at: string
  updated_at: string
  group_id: string | null
}

export interface TagGroup {
  id: string
  key: string
  name: string
  description: string
  created_at: string
  updated_at: string
}

export interface AuditLog {
  id: string
  organization_id: string
  seq: number
  actor: string
  action: string
  resource: string
  details: Record<string, unknown>
  created_at: string
  prev_hash: string
  hash: string
}

export interface Verdict {
  valid: boolean
  checked: number
  first_broken: string | null
  reason: string | null
}

export interface AuditVerification {
  id: string
  status: 'PENDING' | 'SUCCEEDED' | 'FAILED'
  result: Verdict | null
  created_at: string
  finished_at: string | null
}

export interface Webhook {
  id: string
  url: string
  types: ('matter.updated' | 'todo.updated' | 'card.created' | 'card.answered' | 'deliverable.released' | 'job.updated')[]
  enabled: boolean
  created_by: string
  created_at: string
}

export interface File {
  fileId: string
  owner: string
  organizationId: string | null
  visibility: 'private' | 'organization'
  purpose: string | null
  filename: string
  contentType: string
  size: number
  sha256: string
  parseStatus: 'NONE' | 'PENDING' | 'PROCESSING' | 'SUCCEEDED' | 'FAILED' | 'UNSUPPORTED'
  parseError: string | null
  createdAt: string
  updatedAt: string
}

export interface Me {
  id: string
  name: string
  organization_id: string
  user_type: 'client' | 'lawyer' | 'firm_admin' | 'operator'
  permissions: string[]
  csrf: string | null
}

export interface OwnedSession {
  id: string
  created_at: string
  last_seen_at: string
  address: string
  user_agent: string
  current: boolean
  user_id: string
}

export interface OwnedToken {
  id: string
  name: string
  scopes: string[]
  created_at: string
  last_used_at: string | null
  expires_at: string | null
  user_id: string
}
