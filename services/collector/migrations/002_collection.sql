create table collector.sources (
  id uuid primary key,
  organization_id text not null,
  name text not null,
  kind text not null check (kind in ('http', 'sitemap', 'rss', 'upload')),
  url text,
  schedule text,
  kb_id text,
  include jsonb not null,
  exclude jsonb not null,
  enabled boolean not null,
  version int not null default 1,
  -- When its schedule is due next; null where it has none or is off.
  next_run_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((kind = 'upload') = (url is null))
);
create index on collector.sources (organization_id, created_at desc, id desc);
create index on collector.sources (next_run_at) where next_run_at is not null;

create table collector.runs (
  id uuid primary key,
  organization_id text not null,
  source_id uuid not null references collector.sources on delete cascade,
  trigger text not null check (trigger in ('manual', 'schedule')),
  status text not null check (status in ('PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED')),
  -- Which of its workers holds it; an earlier one writes nothing any more.
  attempt int not null default 0,
  counts jsonb not null default '{"found": 0, "new": 0, "changed": 0, "unchanged": 0, "failed": 0, "skipped": 0}',
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz
);
create index on collector.runs (organization_id, created_at desc, id desc);
-- A source is collected by one run at a time.
create unique index runs_active on collector.runs (source_id) where status in ('PENDING', 'RUNNING');

create table collector.run_log (
  run_id uuid not null references collector.runs on delete cascade,
  seq bigint generated always as identity,
  at timestamptz not null default now(),
  level text not null check (level in ('info', 'warn')),
  message text not null,
  primary key (run_id, seq)
);

-- What a run is to fetch, so that whoever takes it over knows what is done.
create table collector.frontier (
  run_id uuid not null references collector.runs on delete cascade,
  url text not null,
  seq bigint generated always as identity,
  done boolean not null default false,
  primary key (run_id, url)
);
create index on collector.frontier (run_id, seq) where not done;

create table collector.documents (
  id uuid primary key,
  organization_id text not null,
  source_id uuid not null references collector.sources on delete cascade,
  url text not null,
  title text not null,
  sha256 text,
  status text not null check (status in ('NEW', 'CHANGED', 'UNCHANGED', 'IMPORTED', 'FAILED')),
  error text,
  content text not null default '',
  -- What the server said of the page, to ask only for what changed since.
  etag text,
  last_modified text,
  fetched_at timestamptz,
  imported_at timestamptz,
  imported_sha256 text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (source_id, url)
);
create index on collector.documents (organization_id, created_at desc, id desc);
