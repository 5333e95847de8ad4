-- User type of the person for whom the runs of a thread speak; null if there is none. It limits what they may read.
alter table {schema}.threads add column user_type text;
-- The client of the matter, whose memory is read; null: the user of the thread.
alter table {schema}.threads add column client_id text;
