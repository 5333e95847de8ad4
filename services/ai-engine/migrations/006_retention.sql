-- Parts of a finished run that were deleted after their retention period.
alter table {schema}.runs
  add column events_pruned boolean not null default false,
  add column spans_pruned boolean not null default false,
  add column calls_pruned boolean not null default false;
create index runs_with_events on {schema}.runs (ended_at) where not events_pruned;
create index runs_with_spans on {schema}.runs (ended_at) where not spans_pruned;
create index runs_with_calls on {schema}.runs (ended_at) where not calls_pruned;
create index on {schema}.runs (ended_at);
