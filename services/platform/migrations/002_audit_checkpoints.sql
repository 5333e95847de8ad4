-- Signed hashes of chains.
create table platform.audit_checkpoints (
  organization_id text not null,
  seq bigint not null check (seq > 0),
  hash text not null,
  created_at timestamptz(3) not null,
  algorithm text not null,
  key_id text not null,
  signature text not null,
  primary key (organization_id, seq)
);

-- Verifications of long chains, run as jobs.
create table platform.audit_verifications (
  id uuid primary key,
  organization_id text not null,
  status text not null check (status in ('PENDING', 'SUCCEEDED', 'FAILED')),
  result jsonb,
  created_at timestamptz not null default now(),
  finished_at timestamptz
);
create index on platform.audit_verifications (organization_id) where status = 'PENDING';

create index on platform.audit_logs (organization_id, action, seq);
