create table matter.matters (
  id uuid primary key,
  title text not null,
  status text not null check
    (status in ('DRAFT', 'ACTIVE', 'ON_HOLD', 'COMPLETED', 'ARCHIVED', 'CANCELLED')),
  matter_category text not null,
  cause_of_action_code text,
  service_type_id text not null,
  session_id text,
  user_id text not null,
  organization_id text not null,
  provider_organization_id text,
  lawyer_id text,
  firm_id text,
  file_ids jsonb not null,
  profile jsonb not null,
  data jsonb not null,
  -- Moves by one with every write of the matter or of anything that belongs to it.
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- One matter per consultation session; a matter made by hand has none.
  unique (organization_id, session_id)
);
create index on matter.matters (organization_id, updated_at desc, id desc);
create index on matter.matters (organization_id, user_id, updated_at desc, id desc);
create index on matter.matters (provider_organization_id, updated_at desc, id desc)
  where provider_organization_id is not null;

create table matter.todos (
  id uuid primary key,
  matter_id uuid not null references matter.matters,
  todo_key text not null,
  title text not null,
  actor text not null check (actor in ('client', 'lawyer', 'firm_admin', 'system')),
  review_type text,
  status text not null check (status in ('OPEN', 'DONE', 'CANCELLED')),
  payload jsonb,
  result jsonb,
  due_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  unique (matter_id, todo_key)
);

create table matter.phases (
  matter_id uuid not null references matter.matters,
  phase_id text not null,
  phase_name text not null,
  status text not null check (status in ('PENDING', 'IN_PROGRESS', 'COMPLETED', 'SKIPPED')),
  order_num int not null,
  started_at timestamptz,
  completed_at timestamptz,
  primary key (matter_id, phase_id)
);

create table matter.deliverables (
  matter_id uuid not null references matter.matters,
  deliverable_key text not null,
  title text not null,
  kind text not null,
  file_id text,
  version int not null,
  created_at timestamptz not null default now(),
  primary key (matter_id, deliverable_key)
);

-- The facts of the case, from which memory-service's can always be made again.
create table matter.facts (
  matter_id uuid not null references matter.matters,
  entity_key text not null,
  category text not null,
  content text not null,
  value jsonb,
  confidence float8 not null,
  metadata jsonb not null,
  primary key (matter_id, entity_key)
);

create table matter.events (
  id uuid primary key,
  -- Writers of a matter come one after another, so within it this is the order of events.
  no bigint generated always as identity,
  matter_id uuid not null references matter.matters,
  type text not null,
  actor text not null,
  summary text not null,
  before jsonb not null,
  after jsonb not null,
  at timestamptz not null default clock_timestamp()
);
create index on matter.events (matter_id, no desc);

-- The answer that each sync_key was given.
create table matter.syncs (
  matter_id uuid not null references matter.matters,
  sync_key text not null,
  body_hash text not null,
  version int not null,
  changed jsonb not null,
  applied_at timestamptz not null default clock_timestamp(),
  primary key (matter_id, sync_key)
);

create table matter.analysis_versions (
  matter_id uuid not null references matter.matters,
  version int not null,
  kind text,
  allocation_key text,
  created_at timestamptz not null default clock_timestamp(),
  primary key (matter_id, version),
  unique (matter_id, allocation_key)
);

create table matter.submissions (
  matter_id uuid not null,
  version int not null,
  kind text not null check
    (kind in ('evidences', 'sufficiency', 'issues', 'strategies', 'risk_assessment')),
  -- {"items": […]} or {"result": {…}}, as it was submitted.
  body jsonb not null,
  stored int not null,
  submitted_at timestamptz not null default clock_timestamp(),
  primary key (matter_id, version, kind),
  foreign key (matter_id, version) references matter.analysis_versions
);

-- What platform-service said last of matters.service_types: one row.
create table matter.service_types (
  only_row boolean primary key default true check (only_row),
  value jsonb not null,
  read_at timestamptz not null default now()
);
