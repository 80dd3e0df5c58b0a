drop index users_digest_due_at;
alter table users drop column digest_due_at;
drop table password_resets;
