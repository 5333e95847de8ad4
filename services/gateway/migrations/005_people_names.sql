-- Finds a person whatever the case of the name.
create index on gateway.people (organization_id, lower(user_id));
