-- Files whose imports run in the background: any worker can read them.
create table import_files (
    id         bigint generated always as identity primary key,
    user_id    bigint not null references users (id) on delete cascade,
    -- How it is to be read, as JSON.
    options    text not null,
    -- Bytes of its chunks.
    size       bigint not null,
    created_at timestamptz not null,
    -- When a chunk last came.
    touched_at timestamptz not null
);
create index import_files_user_id on import_files (user_id);

-- The bytes of a file, compressed with gzip, from number 0 on.
create table import_chunks (
    file_id bigint not null references import_files (id) on delete cascade,
    number  bigint not null,
    content bytea not null,
    primary key (file_id, number)
);
-- They are compressed already.
alter table import_chunks alter column content set storage external;

-- The file of an import that waits or runs in the background; null once it has ended.
alter table imports add column file_id bigint references import_files (id) on delete set null;
create index imports_file_id on imports (file_id) where file_id is not null;
-- Why it failed.
alter table imports add column failure text;
