-- False while an apply is in progress and after one that failed.
alter table collector.applied_packages rename column whole to complete;
