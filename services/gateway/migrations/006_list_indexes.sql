-- Lists of all sessions and tokens of an organization, newest first.
create index on gateway.sessions (organization_id, created_at desc, id desc);
create index on gateway.tokens (organization_id, created_at desc, id desc);
-- Lists of SCIM, oldest first.
create index on gateway.scim_users (created_at, id);
create index on gateway.scim_groups (created_at, id);
