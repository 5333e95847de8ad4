-- Events that platform-service has not received yet.
create table {schema}.event_outbox (
  id uuid primary key,
  body jsonb not null
);
