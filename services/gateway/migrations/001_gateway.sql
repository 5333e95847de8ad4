-- A signed-in browser. The cookie holds a random token; only its hash is stored.
create table gateway.sessions (
  id uuid primary key,
  token_hash text not null unique,
  user_id text not null,
  organization_id text not null,
  identity jsonb not null,
  csrf text not null,
  address text not null,
  user_agent text not null,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index on gateway.sessions (organization_id, user_id, created_at desc, id desc);
create index on gateway.sessions (expires_at);

-- An API token of a person. Its secret is shown once and stored as a hash.
create table gateway.tokens (
  id uuid primary key,
  token_hash text not null unique,
  user_id text not null,
  organization_id text not null,
  identity jsonb not null,
  name text not null,
  scopes jsonb not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  expires_at timestamptz
);
create index on gateway.tokens (organization_id, user_id, created_at desc, id desc);
