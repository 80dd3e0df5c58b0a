-- Files whose imports run in the background: any worker can read them.
create table import_files (
    id         integer primary key autoincrement,
    user_id    integer not null references users (id) on delete cascade,
    -- How it is to be read, as JSON.
    options    text not null,
    -- Bytes of its chunks.
    size       integer not null,
    created_at text not null,
    -- When a chunk last came.
    touched_at text not null
) strict;
create index import_files_user_id on import_files (user_id);

-- The bytes of a file, compressed with gzip, from number 0 on.
create table import_chunks (
    file_id integer not null references import_files (id) on delete cascade,
    number  integer not null,
    content blob not null,
    primary key (file_id, number)
) strict;

-- The file of an import that waits or runs in the background; null once it has ended.
alter table imports add column file_id integer references import_files (id) on delete set null;
create index imports_file_id on imports (file_id) where file_id is not null;
-- Why it failed.
alter table imports add column failure text;
