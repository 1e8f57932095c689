/** Tables in the shapes of a Frappe site, for any of its three databases. */

/** The kinds of columns that Frappe makes. */
export type Kind =
  | 'varchar(140)'
  | 'varchar(255)'
  | 'longtext'
  | 'int'
  | 'tinyint'
  | 'decimal'
  | 'date'
  | 'datetime'
  | 'time'
  | 'blob';

export type Value = string | number | null | Buffer;

export interface Table {
  readonly name: string;
  readonly columns: Readonly<Record<string, Kind>>;
  readonly rows: readonly Readonly<Record<string, Value>>[];
  readonly key: readonly string[];
}

const STANDARD: Readonly<Record<string, Kind>> = {
  name: 'varchar(255)',
  creation: 'datetime',
  modified: 'datetime',
  modified_by: 'varchar(140)',
  owner: 'varchar(140)',
  docstatus: 'tinyint',
  idx: 'int',
};

const SIDE: Readonly<Record<string, Kind>> = {
  _user_tags: 'longtext',
  _comments: 'longtext',
  _assign: 'longtext',
  _liked_by: 'longtext',
};

const CHILD: Readonly<Record<string, Kind>> = {
  parent: 'varchar(140)',
  parentfield: 'varchar(140)',
  parenttype: 'varchar(140)',
};

const WRITTEN = {
  creation: '2024-03-01 09:10:11.123456',
  modified: '2025-04-02 10:11:12.654321',
  modified_by: 'Administrator',
  owner: 'ana@example.com',
  docstatus: 0,
  idx: 0,
};

type Rows = readonly Readonly<Record<string, Value>>[];

/** The table of a doctype with its rows; unset columns are null. */
export function documents(doctype: string, columns: Readonly<Record<string, Kind>>, rows: Rows): Table {
  return {
    name: `tab${doctype}`,
    columns: { ...STANDARD, ...columns, ...SIDE },
    rows: rows.map((row) => ({ ...WRITTEN, ...row })),
    key: ['name'],
  };
}

/** The table of a child doctype. */
export function children(doctype: string, columns: Readonly<Record<string, Kind>>, rows: Rows): Table {
  return {
    name: `tab${doctype}`,
    columns: { ...STANDARD, ...CHILD, ...columns },
    rows: rows.map((row) => ({ ...WRITTEN, ...row })),
    key: ['name'],
  };
}

export type Database = 'mariadb' | 'postgres' | 'sqlite';

const TYPES: Readonly<Record<Kind, readonly [mariadb: string, postgres: string, sqlite: string]>> = {
  'varchar(140)': ['varchar(140)', 'character varying(140)', 'TEXT'],
  'varchar(255)': ['varchar(255)', 'character varying(255)', 'TEXT'],
  longtext: ['longtext', 'text', 'TEXT'],
  int: ['int(11) NOT NULL DEFAULT 0', 'integer NOT NULL DEFAULT 0', 'INTEGER NOT NULL DEFAULT 0'],
  tinyint: ['tinyint(4) NOT NULL DEFAULT 0', 'smallint NOT NULL DEFAULT 0', 'INTEGER NOT NULL DEFAULT 0'],
  decimal: [
    'decimal(21,9) NOT NULL DEFAULT 0',
    'numeric(21,9) NOT NULL DEFAULT 0',
    'REAL NOT NULL DEFAULT 0',
  ],
  date: ['date', 'date', 'TEXT'],
  datetime: ['datetime(6)', 'timestamp(6) without time zone', 'TEXT'],
  time: ['time(6)', 'time(6) without time zone', 'TEXT'],
  blob: ['longblob', 'bytea', 'BLOB'],
};

const NOT_NULL = new Set<Kind>(['int', 'tinyint', 'decimal']);

/** The statements that make a table with its rows. */
export function statements(table: Table, database: Database): string[] {
  const quote = (name: string) => (database === 'mariadb' ? `\`${name}\`` : `"${name}"`);
  const at = ['mariadb', 'postgres', 'sqlite'].indexOf(database);
  const columns = Object.entries(table.columns);
  const lines = columns.map(([name, kind]) => `${quote(name)} ${TYPES[kind][at]}`);
  const tail =
    database === 'mariadb'
      ? ' ENGINE=InnoDB ROW_FORMAT=DYNAMIC CHARACTER SET=utf8mb4 COLLATE=utf8mb4_unicode_ci'
      : '';
  const key = `PRIMARY KEY (${table.key.map(quote).join(', ')})`;
  const create = `CREATE TABLE ${quote(table.name)} (${[...lines, key].join(', ')})${tail}`;
  const names = columns.map(([name]) => quote(name)).join(', ');
  const inserts = table.rows.map((row) => {
    const values = columns.map(([name, kind]) => {
      const value = row[name] ?? (NOT_NULL.has(kind) ? 0 : null);
      return literal(value, database);
    });
    return `INSERT INTO ${quote(table.name)} (${names}) VALUES (${values.join(', ')})`;
  });
  return [create, ...inserts];
}

function literal(value: Value, database: Database): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return String(value);
  if (Buffer.isBuffer(value)) {
    return database === 'postgres' ? `'\\x${value.toString('hex')}'` : `X'${value.toString('hex')}'`;
  }
  const quoted = storable(value, database).replaceAll("'", "''");
  const escaped = quoted.replaceAll('\\', '\\\\').replaceAll('\0', '\\0').replaceAll('\x1a', '\\Z');
  return `'${database === 'mariadb' ? escaped.replaceAll('\r', '\\r').replaceAll('\n', '\\n') : quoted}'`;
}

/** Only MariaDB stores the byte 0 in every tool, and a date of zeros. */
export function storable(value: string, database: Database): string {
  if (database === 'mariadb') return value;
  const text = value.replaceAll('\0', '');
  return database === 'postgres' ? text.replace(/^\d{4}-00-00/, '0001-01-01') : text;
}
