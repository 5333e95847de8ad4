-- A turn of kind `expiry` relays a run that ai-engine started when a card expired.
alter table {schema}.turns
  drop constraint turns_kind_check,
  add constraint turns_kind_check check (kind in ('chat', 'resume', 'skip', 'expiry'));
