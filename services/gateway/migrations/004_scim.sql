-- Users and groups that a directory provisions (SCIM 2.0).
create table gateway.scim_users (
  id uuid primary key,
  user_name text not null,
  external_id text,
  active boolean not null,
  resource jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index on gateway.scim_users (lower(user_name));
create index on gateway.scim_users (external_id);

create table gateway.scim_groups (
  id uuid primary key,
  display_name text not null unique,
  external_id text,
  resource jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create table gateway.scim_members (
  group_id uuid not null references gateway.scim_groups on delete cascade,
  user_id uuid not null references gateway.scim_users on delete cascade,
  primary key (group_id, user_id)
);
create index on gateway.scim_members (user_id);
