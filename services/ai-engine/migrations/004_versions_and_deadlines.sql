-- Versions of the graph and of the skill that made a run, a checkpoint or a card.
alter table {schema}.runs add column graph_version text not null default '1';
alter table {schema}.runs add column skill_version text;
alter table {schema}.checkpoints add column skill_version text;
alter table {schema}.cards add column graph_version text not null default '1';
alter table {schema}.cards add column skill_version text not null default '1';

-- Deadline of a card and the action at the deadline.
alter table {schema}.cards add column expires_at timestamptz;
alter table {schema}.cards add column on_expiry text check (on_expiry in ('default', 'skip', 'fail'));
create index on {schema}.cards (expires_at) where status = 'pending';
