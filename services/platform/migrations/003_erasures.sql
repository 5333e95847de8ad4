create table platform.legal_holds (
  organization_id text not null,
  matter_id text not null,
  reason text not null,
  created_by text not null,
  created_at timestamptz not null default now(),
  primary key (organization_id, matter_id)
);
create index on platform.legal_holds (organization_id, created_at desc, matter_id desc);

create table platform.erasures (
  id uuid primary key,
  organization_id text not null,
  user_id text,
  matter_id text,
  dry_run boolean not null,
  status text not null check (status in ('PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'BLOCKED')),
  requested_by text not null,
  -- Matters and files of the subject, read before anything is erased.
  targets jsonb,
  -- Outcome of each service.
  report jsonb not null default '{}',
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  check ((user_id is null) <> (matter_id is null))
);
create index on platform.erasures (organization_id, created_at desc, id desc);
create unique index erasures_active on platform.erasures
  (organization_id, user_id, matter_id, dry_run) nulls not distinct
  where status in ('PENDING', 'RUNNING');
