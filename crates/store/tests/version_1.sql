CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO meta VALUES ('owner', 'testsmith'), ('version', '1');
CREATE TABLE sequences (
    id BIGINT PRIMARY KEY,
    crate TEXT NOT NULL,
    identity TEXT NOT NULL,
    steps TEXT NOT NULL,
    UNIQUE (crate, identity));
CREATE TABLE components (
    sequence BIGINT NOT NULL REFERENCES sequences (id),
    slot BIGINT NOT NULL,
    place BIGINT NOT NULL,
    PRIMARY KEY (sequence, slot));
CREATE TABLE findings (
    crate TEXT NOT NULL,
    name TEXT NOT NULL,
    class TEXT NOT NULL,
    operation TEXT NOT NULL,
    severity TEXT NOT NULL,
    sequence BIGINT NOT NULL REFERENCES sequences (id),
    PRIMARY KEY (crate, name));
INSERT INTO sequences VALUES (1, 'a', 'i', 'kept');
INSERT INTO components VALUES (1, 7, 0);
