create index on platform.audit_logs (organization_id, created_at desc, seq desc);
drop index platform.audit_logs_organization_id_created_at_idx;
