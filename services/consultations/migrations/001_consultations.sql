create table {schema}.sessions (
  id uuid primary key,
  organization_id text not null,
  user_id text not null,
  -- What kind of person opened it, as the gateway said then.
  user_type text,
  title text,
  service_type_id text,
  file_ids jsonb not null default '[]',
  matter_id text,
  thread_id text not null,
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'ARCHIVED')),
  -- The turn that runs or waits to be picked up; a second one must wait for it.
  turn_id uuid,
  last_seq int not null default 0,
  last_message_at timestamptz,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
) with (fillfactor = 80);
create index on {schema}.sessions (organization_id, updated_at desc, id desc);
create index on {schema}.sessions (organization_id, user_id, updated_at desc, id desc);

create table {schema}.messages (
  id uuid primary key,
  session_id uuid not null references {schema}.sessions (id) on delete cascade,
  seq int not null,
  role text not null check (role in ('USER', 'ASSISTANT', 'SYSTEM', 'TOOL')),
  content text not null,
  card jsonb,
  metadata jsonb not null default '{}',
  -- A second message with the same key is the first one again.
  dedupe_key text,
  created_at timestamptz not null default now(),
  unique (session_id, seq)
);
create unique index on {schema}.messages (session_id, dedupe_key) where dedupe_key is not null;

-- The files that a message brought along.
create table {schema}.attachments (
  message_id uuid primary key references {schema}.messages (id) on delete cascade,
  session_id uuid not null references {schema}.sessions (id) on delete cascade,
  file_ids jsonb not null,
  created_at timestamptz not null default now()
);
create index on {schema}.attachments (session_id);

-- A turn: what a person said or answered, the run that it began, and how far that run has been told.
create table {schema}.turns (
  id uuid primary key,
  session_id uuid not null references {schema}.sessions (id) on delete cascade,
  kind text not null check (kind in ('chat', 'resume')),
  -- REFUSED: it never began. BROKEN: the engine went away; it is picked up again.
  status text not null default 'RUNNING' check (status in ('RUNNING', 'BROKEN', 'REFUSED', 'DONE')),
  client_message_id text,
  request jsonb not null,
  request_hash text not null,
  request_id text not null,
  traceparent text not null,
  user_message_id uuid not null,
  -- The id that the assistant's message will have.
  message_id uuid not null,
  run_id uuid,
  -- The last event of the engine that was taken, and how many events were made of them.
  engine_seq int not null default 0,
  n int not null default 0,
  -- One relay at a time: whoever claims the turn raises the token, and a lower one can't write any more.
  token int not null default 1,
  lease_until timestamptz not null,
  created_at timestamptz not null default now(),
  ended_at timestamptz
) with (fillfactor = 70);
create index on {schema}.turns (session_id, id);
create unique index on {schema}.turns (session_id, client_message_id) where client_message_id is not null;
create index on {schema}.turns (run_id);
create index on {schema}.turns (lease_until) where status in ('RUNNING', 'BROKEN');
create index on {schema}.turns (ended_at) where status = 'DONE';

-- What a turn told its readers, as many events in a row as were written together: each as it went out but
-- for its id, an empty line between two.
create table {schema}.turn_events (
  turn_id uuid not null references {schema}.turns (id) on delete cascade,
  first int not null,
  last int not null,
  lines text not null,
  primary key (turn_id, first)
);
