alter table imports drop column failure;
drop index imports_file_id;
alter table imports drop column file_id;
drop table import_chunks;
drop table import_files;
