-- Time of the next reminder of a pending card; null if there is none.
alter table {schema}.cards add column remind_at timestamptz;
create index on {schema}.cards (remind_at) where status = 'pending';

-- Notices for the service of a session about what timers did: a reminder of a card, or a run that an expired
-- card started. A notice is deleted when it is acknowledged.
create table {schema}.notices (
  notice_id uuid primary key,
  organization_id text not null,
  session_id text not null,
  thread_id text not null,
  kind text not null check (kind in ('card_reminder', 'run_started')),
  card_id uuid not null,
  run_id uuid,
  created_at timestamptz not null default now()
);
create index on {schema}.notices (created_at);
