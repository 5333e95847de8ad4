create table memory.facts (
  id uuid primary key,
  tenant_id text not null,
  user_id text not null,
  scope text not null check (scope in ('case', 'global')),
  case_id text,
  entity_key text not null,
  category text not null,
  content text not null,
  value jsonb not null default 'null',
  confidence float8 not null,
  source text not null,
  metadata jsonb not null,
  version int not null default 1,
  has_conflict boolean not null default false,
  superseded_by uuid,
  -- Words of content and entity_key: to find the fact by, and counted, to score it by.
  terms int4[] not null,
  tally text not null,
  -- Those with the lowest are a fair sample of a user's facts.
  lot float4 not null default random(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((scope = 'case') = (case_id is not null))
);

create unique index facts_key on memory.facts
  (tenant_id, user_id, entity_key, scope, case_id) nulls not distinct;
create index facts_newest on memory.facts
  (tenant_id, user_id, updated_at desc, id desc) where superseded_by is null;
create index facts_case on memory.facts
  (tenant_id, user_id, case_id, updated_at desc) where case_id is not null;

-- A recall draws its sample from the first, and further candidates from the second.
create index facts_lot on memory.facts (tenant_id, user_id, lot) where superseded_by is null;
create index facts_terms on memory.facts using gin (terms) with (fastupdate = off)
  where superseded_by is null;

create table memory.conflicts (
  id uuid primary key,
  tenant_id text not null,
  user_id text not null,
  fact_id uuid not null references memory.facts on delete cascade,
  entity_key text not null,
  previous jsonb not null,
  current jsonb not null,
  resolution text not null check (resolution in ('newest_wins', 'matter_wins')),
  detected_at timestamptz not null default now()
);
create index on memory.conflicts (tenant_id, user_id, detected_at desc, id desc);
create index on memory.conflicts (fact_id);

-- The newest state of a matter that was written into memory.
create table memory.reconciliations (
  tenant_id text not null,
  user_id text not null,
  case_id text not null,
  matter_version bigint,
  reconciled_at timestamptz not null default now(),
  primary key (tenant_id, user_id, case_id)
);
