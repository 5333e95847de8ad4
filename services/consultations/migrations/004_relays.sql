-- A process that relays turns. Its lease covers all its turns, so that a silent turn needs no renewal of its own.
create table {schema}.relays (
  id uuid primary key,
  lease_until timestamptz not null
);
alter table {schema}.turns add relay_id uuid;
