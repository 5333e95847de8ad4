-- Each filter of a list has an index in the order of the list.
create index on {schema}.runs (organization_id, status, started_at desc, run_id desc);
create index on {schema}.calls (organization_id, user_id, created_at) where kind = 'model';
create index on {schema}.calls (organization_id, skill, created_at) where kind = 'model';
create index on {schema}.calls (organization_id, name, created_at) where kind = 'model';
create index on {schema}.outbox (organization_id, created_at desc, sync_key desc);
create index on {schema}.outbox (organization_id, status, created_at desc, sync_key desc);
create index on {schema}.outbox (matter_id, created_at desc, sync_key desc);
create index on {schema}.outbox (thread_id, created_at desc, sync_key desc);
