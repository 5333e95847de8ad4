-- A person with the rights of their last sign-in. Sessions and API tokens have exactly these rights.
create table gateway.people (
  organization_id text not null,
  user_id text not null,
  identity jsonb not null,
  active boolean not null default true,
  updated_at timestamptz not null default now(),
  primary key (organization_id, user_id)
);
insert into gateway.people (organization_id, user_id, identity)
select distinct on (organization_id, user_id) organization_id, user_id, identity
from (select organization_id, user_id, identity, created_at from gateway.sessions
      union all
      select organization_id, user_id, identity, created_at from gateway.tokens) known
order by organization_id, user_id, created_at desc;

alter table gateway.tokens drop column identity;
-- Sessions that a provider started: its subject and session id, and the encrypted refresh token.
alter table gateway.sessions
  drop column identity,
  add column provider_subject text,
  add column provider_session text,
  add column refresh_token text,
  add column refresh_at timestamptz;
create index on gateway.sessions (provider_subject) where provider_subject is not null;
create index on gateway.sessions (provider_session) where provider_session is not null;

-- A sign-in that waits for the response of the provider. It belongs to one browser and is used once.
create table gateway.sign_ins (
  state_hash text primary key,
  browser_hash text not null,
  nonce text not null,
  code_verifier text not null,
  return_to text not null,
  expires_at timestamptz not null
);
create index on gateway.sign_ins (expires_at);

-- Ids of tokens that are accepted once.
create table gateway.used_tokens (
  id_hash text primary key,
  expires_at timestamptz not null
);

-- Metadata and keys of the provider, shared by all replicas.
create table gateway.provider_documents (
  issuer text not null,
  kind text not null,
  body jsonb not null,
  fetched_at timestamptz not null,
  primary key (issuer, kind)
);
