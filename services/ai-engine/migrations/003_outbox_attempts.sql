-- Rows that matter-service refused for good: health, metrics and the timeline report them until they are sent again.
alter table {schema}.outbox add column refused_at timestamptz;
update {schema}.outbox set refused_at = created_at where status = 'REFUSED';
create index on {schema}.outbox (matter_id) where status = 'REFUSED';
