-- User type of the client of the matter, who reads the replies; null: unknown, or the client is the user of the thread.
alter table {schema}.threads add column client_type text;
