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
  evidence_types: string[]
  questions: Record<string, unknown>[]
  legal_basis: {
    law: string
    article: string
    quote?: string
  }[]
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
  legal_basis: {
    law: string
    article: string
    quote?: string
  }[]
}

export interface Calculation {
  name: string
  name_en?: string
  formula: string
  inputs: string[]
  legal_basis: {
    law: string
    article: string
    quote?: string
  }[]
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
