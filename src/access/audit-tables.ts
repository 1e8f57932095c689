import type { Dialect } from '../db/dialect.ts';
import { type Sql, sql } from '../db/sql.ts';

/**
 * The audit log, and the view behind the virtual doctype "Audit Log". Rows are only inserted, and deleted
 * after their retention period.
 */
export function auditTables(dialect: Dialect): readonly Sql[] {
  const postgres = dialect.name === 'postgres';
  const text = postgres ? sql`text collate "C"` : sql`text`;
  const integer = postgres ? sql`bigint` : sql`integer`;
  const zero = postgres ? sql`0::bigint` : sql`0`;
  return [
    sql`create table "_audit" (
      "name" ${text} primary key,
      "creation" ${postgres ? sql`timestamp(6)` : sql`text`} not null,
      "event" ${text} not null,
      "outcome" ${text} not null,
      "user" ${text} not null,
      "credential" ${text} not null,
      "address" ${text},
      "user_agent" ${text},
      "request_id" ${text},
      "reference_doctype" ${text},
      "reference_name" ${text},
      "occurrences" ${integer} not null,
      "details" ${text}
    )${postgres ? sql`` : sql` strict`}`,
    sql`create index "_audit_creation" on "_audit" ("creation")`,
    sql`create index "_audit_event" on "_audit" ("event", "creation")`,
    sql`create index "_audit_user" on "_audit" ("user", "creation")`,
    sql`create index "_audit_reference" on "_audit" ("reference_doctype", "reference_name", "creation")`,
    sql`create view "Audit Log" as select
      "name", "user" as "owner", "creation", "creation" as "modified", "user" as "modified_by",
      ${zero} as "docstatus", ${zero} as "idx",
      "event", "outcome", "user", "credential", "address", "user_agent", "request_id",
      "reference_doctype", "reference_name", "occurrences", "details"
      from "_audit"`,
  ];
}
