-- One index in place of three: every run was in all of them until it was pruned.
create index runs_to_prune on {schema}.runs (ended_at)
  where not events_pruned or not spans_pruned or not calls_pruned;
drop index {schema}.runs_with_events;
drop index {schema}.runs_with_spans;
drop index {schema}.runs_with_calls;
