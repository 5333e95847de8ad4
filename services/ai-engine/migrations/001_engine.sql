-- A thread: one conversation's state, the run it is in, and who may write to it.
create table {schema}.threads (
  thread_id text primary key,
  organization_id text not null,
  user_id text,
  session_id text,
  matter_id text,
  -- A branch: the thread and the checkpoint it began from, and whether it writes to the matter.
  branch_of text,
  branch_step int,
  sync boolean not null default true,
  status text not null default 'idle' check (status in ('idle', 'running', 'interrupted')),
  run_id uuid,
  card_id uuid,
  rounds int not null default 0,
  -- The last step, what comes after it, and how many events had been told with it.
  head int not null default 0,
  next text,
  seq int not null default 0,
  -- The last step with a whole snapshot, its size, and the size of the deltas since.
  base int not null default 0,
  base_bytes int not null default 0,
  delta_bytes int not null default 0,
  -- One runner at a time: whoever claims it raises the token, and a lower one can't write any more.
  lease_token bigint not null default 0,
  lease_until timestamptz,
  claims int not null default 0,
  cancelled boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
) with (fillfactor = 60);
create index on {schema}.threads (thread_id) where status = 'running';

create table {schema}.runs (
  run_id uuid primary key,
  thread_id text not null,
  organization_id text not null,
  user_id text,
  session_id text,
  matter_id text,
  round int not null,
  kind text not null check (kind in ('execute', 'resume', 'replay')),
  trace_id uuid not null,
  request_id text not null,
  traceparent text not null,
  status text not null default 'running' check (status in ('running', 'completed', 'interrupted', 'failed')),
  user_message text not null,
  output text not null default '',
  result jsonb,
  card jsonb,
  error jsonb,
  skills jsonb not null default '[]',
  first_step int not null,
  started_at timestamptz not null default now(),
  ended_at timestamptz
);
create index on {schema}.runs (thread_id, round);
create index on {schema}.runs (session_id, started_at);
create index on {schema}.runs (matter_id, started_at);
create index on {schema}.runs (organization_id, started_at);
create unique index on {schema}.runs (trace_id);

-- A step: what it changed, and now and then the whole state.
create table {schema}.checkpoints (
  thread_id text not null,
  step int not null,
  checkpoint_id uuid not null,
  run_id uuid not null,
  node text not null,
  next text,
  delta jsonb not null,
  snapshot jsonb,
  created_at timestamptz not null default now(),
  primary key (thread_id, step)
);

-- What a run told, each as the line that went out.
create table {schema}.events (
  run_id uuid not null,
  seq int not null,
  line text not null,
  primary key (run_id, seq)
);

create table {schema}.spans (
  trace_id uuid not null,
  span_id uuid not null,
  parent_id uuid,
  step int not null,
  name text not null,
  kind text not null check (kind in ('node', 'skill', 'model', 'tool', 'sync')),
  started_at timestamptz not null,
  duration_ms float8 not null,
  status text not null check (status in ('ok', 'error')),
  attributes jsonb not null,
  error text,
  primary key (trace_id, span_id)
);

-- What a person was asked, as they saw it, and what they said.
create table {schema}.cards (
  card_id uuid primary key,
  thread_id text not null,
  run_id uuid not null,
  skill text not null,
  card jsonb not null,
  basis jsonb,
  hash text not null,
  status text not null default 'pending' check (status in ('pending', 'answered', 'withdrawn')),
  answers jsonb,
  answers_hash text,
  answered_by text,
  answered_at timestamptz,
  resumed_run_id uuid,
  created_at timestamptz not null default now()
);
create index on {schema}.cards (thread_id, created_at);

-- Calls of models and tools with what they answered: read instead of called again, and the account of use.
create table {schema}.calls (
  thread_id text not null,
  step int not null,
  hash text not null,
  nth int not null,
  run_id uuid not null,
  organization_id text not null,
  user_id text,
  skill text not null,
  kind text not null check (kind in ('model', 'tool')),
  name text not null,
  answer jsonb not null,
  input_tokens int not null default 0,
  output_tokens int not null default 0,
  duration_ms float8 not null,
  created_at timestamptz not null default now(),
  primary key (thread_id, step, hash, nth)
);
create index on {schema}.calls (organization_id, created_at);
create index on {schema}.calls (run_id);

-- What is to be written to a matter: made with the step, sent until the matter has it.
create table {schema}.outbox (
  sync_key text primary key,
  thread_id text not null,
  step int not null,
  organization_id text not null,
  matter_id text not null,
  body jsonb not null,
  status text not null default 'PENDING' check (status in ('PENDING', 'DELIVERED', 'REFUSED')),
  error text,
  created_at timestamptz not null default now()
);
create index on {schema}.outbox (thread_id, step) where status = 'PENDING';
