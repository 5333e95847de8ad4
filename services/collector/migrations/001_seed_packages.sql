-- What a package's last whole application was, to know it again by its checksum.
create table collector.applied_packages (
  package_id text collate "C" primary key,
  version text not null,
  checksum text not null,
  -- False while an application is under way, or after one that did not end well.
  whole boolean not null,
  -- How many rows of the targets each item stands for.
  rows jsonb not null,
  run_id uuid not null,
  applied_at timestamptz not null default now()
);

create table collector.seed_runs (
  id uuid primary key,
  -- Tells a repeated request from another one under the same id.
  request_hash text not null,
  package_ids jsonb not null,
  dry_run boolean not null,
  force boolean not null,
  expect_plan_hash text,
  requested_by text not null,
  status text not null check (status in ('running', 'succeeded', 'failed', 'partial')),
  plan_hash text,
  -- Why it was refused as a whole, as the fault that its caller is given.
  refusal jsonb,
  -- Who runs it holds the token; whoever takes over raises it.
  token int not null default 1,
  lease_until timestamptz not null,
  created_at timestamptz not null default now(),
  finished_at timestamptz
);
create index on collector.seed_runs (created_at desc, id desc);
create index on collector.seed_runs (lease_until) where status = 'running';

create table collector.seed_run_packages (
  run_id uuid not null references collector.seed_runs on delete cascade,
  position int not null,
  package_id text not null,
  version text not null,
  checksum text not null,
  status text not null
    check (status in ('pending', 'applied', 'unchanged', 'planned', 'failed')),
  primary key (run_id, package_id)
);

create table collector.seed_run_items (
  run_id uuid not null references collector.seed_runs on delete cascade,
  package_id text not null,
  position int not null,
  item_id text not null,
  kind text not null,
  status text not null check (status in
    ('pending', 'running', 'applied', 'unchanged', 'planned', 'skipped', 'failed')),
  -- What its target said it would do, before it was asked to.
  planned jsonb,
  counts jsonb not null default '{"created": 0, "updated": 0, "unchanged": 0, "deleted": 0}',
  error text,
  duration_ms int not null default 0,
  primary key (run_id, package_id, item_id)
);

-- A package is applied by one run at a time.
create table collector.package_leases (
  package_id text primary key,
  run_id uuid not null references collector.seed_runs on delete cascade
);
