-- What the kit keeps in every service's schema.
create table {schema}.idempotency_keys (
  scope text not null,
  key text not null,
  body_hash text not null,
  status int,
  answer text,
  etag text,
  created_at timestamptz not null default now(),
  primary key (scope, key)
);
create index on {schema}.idempotency_keys (created_at);

create table {schema}.jobs (
  id uuid primary key,
  kind text not null,
  payload jsonb not null,
  dedupe_key text,
  status text not null default 'PENDING' check (status in ('PENDING', 'RUNNING', 'DONE', 'DEAD')),
  attempts int not null default 0,
  max_attempts int not null,
  run_at timestamptz not null,
  lease_until timestamptz,
  last_error text,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz
);
create unique index on {schema}.jobs (kind, dedupe_key) where status = 'PENDING';
create index on {schema}.jobs (run_at) where status in ('PENDING', 'RUNNING');
