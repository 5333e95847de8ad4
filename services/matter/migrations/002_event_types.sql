update matter.events set type = 'todo.created' where type = 'todo.made';
update matter.events set type = 'todo.updated' where type = 'todo.changed';
