-- Why the current run of a thread is to end: CANCELLED or STOPPED; null while it may continue.
alter table {schema}.threads add column cancel_code text check (cancel_code in ('CANCELLED', 'STOPPED'));
update {schema}.threads set cancel_code = 'CANCELLED' where cancelled;
alter table {schema}.threads drop column cancelled;

-- Cards: answered, skipped by a person, or withdrawn. A skippable card can be dismissed without answers.
alter table {schema}.cards add column skippable boolean not null default false;
alter table {schema}.cards drop constraint cards_status_check;
alter table {schema}.cards add constraint cards_status_check
  check (status in ('pending', 'queued', 'answered', 'skipped', 'expired', 'withdrawn'));
