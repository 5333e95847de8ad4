alter table {schema}.sessions
  -- Language of the last message of a person: zh or en; null before the first one.
  add language text;

alter table {schema}.messages
  -- Person who spoke, which need not be the client of the session; null for the assistant.
  add author_id text,
  add author_type text;
update {schema}.messages m set
  author_id = case when m.role = 'USER' then s.user_id end,
  author_type = case when m.role <> 'USER' then 'assistant'
    when s.user_type in ('lawyer', 'firm_admin', 'operator') then s.user_type else 'client' end
from {schema}.sessions s where s.id = m.session_id;
alter table {schema}.messages alter author_type set not null;
create index on {schema}.messages (author_id);

alter table {schema}.turns
  add author_id text,
  add author_type text,
  -- A person has stopped the turn; the run is cancelled as soon as it is known.
  add stop_requested boolean not null default false,
  -- The events but the last batch were deleted after the retention period.
  add events_pruned boolean not null default false,
  drop constraint turns_kind_check,
  add constraint turns_kind_check check (kind in ('chat', 'resume', 'skip'));
update {schema}.turns t set author_id = m.author_id, author_type = m.author_type
from {schema}.messages m where m.id = t.user_message_id;
update {schema}.turns set author_id = s.user_id, author_type = 'client'
from {schema}.sessions s where s.id = session_id and author_id is null;
alter table {schema}.turns alter author_id set not null, alter author_type set not null;
create index turns_prunable on {schema}.turns (ended_at) where status = 'DONE' and not events_pruned;
create index on {schema}.sessions (matter_id);
