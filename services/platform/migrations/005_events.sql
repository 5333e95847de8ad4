-- Events of all services, for 24 hours. Inserts hold a lock, so that `seq` is the order of the commits.
create table platform.events (
  seq int8 generated always as identity primary key,
  id uuid not null unique,
  type text not null,
  organization_id text not null,
  provider_organization_id text,
  user_id text,
  matter_id text,
  at timestamptz not null,
  data jsonb not null,
  created_at timestamptz not null default now()
);
create index on platform.events (created_at);

create table platform.webhooks (
  id uuid primary key,
  organization_id text not null,
  url text not null,
  secret text not null,
  types jsonb not null,
  enabled boolean not null default true,
  created_by text not null,
  created_at timestamptz not null default now()
);
create index on platform.webhooks (organization_id, created_at desc, id desc);

-- The delivery of an event to a webhook, with its last attempt.
create table platform.webhook_deliveries (
  id uuid primary key,
  webhook_id uuid not null references platform.webhooks on delete cascade,
  event_id uuid not null,
  attempts int4 not null default 0,
  delivered_at timestamptz,
  response_status int4,
  error text,
  created_at timestamptz not null default now(),
  unique (webhook_id, event_id)
);
create index on platform.webhook_deliveries (created_at);
