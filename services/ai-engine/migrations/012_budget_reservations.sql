-- Input tokens of model calls in progress, so that concurrent calls of all replicas keep to a budget together.
create table {schema}.budget_reservations (
  id uuid primary key,
  organization_id text not null,
  user_id text,
  matter_id text,
  tokens int not null,
  expires_at timestamptz not null
);
create index on {schema}.budget_reservations (organization_id);
