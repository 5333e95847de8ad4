-- Keys sort by their bytes, so that lists have one order on every server.
create table platform.configs (
  key text collate "C" primary key,
  value jsonb not null,
  description text not null default '',
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table platform.feature_flags (
  key text collate "C" primary key,
  enabled boolean not null,
  description text not null default '',
  rules jsonb not null,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table platform.tag_groups (
  id uuid primary key,
  key text collate "C" not null unique,
  name text not null,
  description text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table platform.tags (
  id uuid primary key,
  key text collate "C" not null unique,
  name text not null,
  description text not null,
  group_id uuid references platform.tag_groups,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index on platform.tags (group_id, key);

create table platform.categories (
  id uuid primary key,
  key text collate "C" not null unique,
  name text not null,
  description text not null,
  parent_id uuid references platform.categories,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index on platform.categories (parent_id, key);

create table platform.domains (
  id uuid primary key,
  key text collate "C" not null unique,
  name text not null,
  description text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table platform.audit_logs (
  id uuid not null unique,
  organization_id text not null,
  seq bigint not null check (seq > 0),
  actor text not null,
  action text not null,
  resource text not null,
  details jsonb not null check (jsonb_typeof(details) = 'object'),
  -- As precise as it is hashed.
  created_at timestamptz(3) not null,
  prev_hash text not null,
  hash text not null,
  primary key (organization_id, seq)
);
create index on platform.audit_logs (organization_id, actor, seq);
create index on platform.audit_logs (organization_id, resource, seq);
create index on platform.audit_logs (organization_id, created_at);

-- Where each chain ends: what an append goes on from, and how a removed end is noticed.
create table platform.audit_heads (
  organization_id text primary key,
  seq bigint not null,
  hash text not null,
  last_id uuid
);

create function platform.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'The audit log is append-only.';
end
$$;
create trigger append_only before update or delete or truncate on platform.audit_logs
  for each statement execute function platform.refuse_change();
