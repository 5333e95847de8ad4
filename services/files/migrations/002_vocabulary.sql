-- Objects in storage that belong to no file. A row is inserted before the object is written, so that a
-- crash cannot leave an object without a record. After delete_requested no file can claim the object.
alter table files.unowned_bytes rename to orphaned_objects;
alter table files.orphaned_objects rename column doomed to delete_requested;

alter table files.uploads rename column promised to declared;

-- Number of parse requests. The result of an earlier attempt is discarded.
alter table files.files rename column parse_run to parse_attempt;
update files.jobs
set payload = jsonb_build_object('fileId', payload -> 'fileId', 'attempt', payload -> 'run')
where kind = 'parse' and payload ? 'run';
