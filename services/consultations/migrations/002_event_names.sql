alter table {schema}.turns rename column n to last_event_no;
alter table {schema}.turn_events rename column lines to events;
