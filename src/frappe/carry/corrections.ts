import { createHash } from 'node:crypto';
import type { DocType } from '../../doctype/doctype.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { Scratch } from '../input/scratch.ts';
import { quoted } from '../input/sqlite-file.ts';
import { foldName } from '../plan/fold-name.ts';
import type { Source } from '../plan/make-plan.ts';

/** The names of documents here, where they differ from what the source wrote. */
export interface Corrections {
  /** The name that a link means: of another case, or of a document whose name was too long. */
  link(doctype: string, name: string): string;
}

/** Texts that hold the name of a document, though no field of this server declares it. */
const REFERENCES: readonly (readonly [doctype: string, typeField: string, nameField: string])[] = [
  ['Comment', 'reference_doctype', 'reference_name'],
  ['Version', 'ref_doctype', 'docname'],
  ['Deleted Document', 'deleted_doctype', 'deleted_name'],
  ['File', 'attached_to_doctype', 'attached_to_name'],
  ['DocShare', 'share_doctype', 'share_name'],
  ['User Permission', 'allow', 'for_value'],
];

/**
 * Compares every link of the source with every name, in the scratch database. MariaDB takes names that differ
 * in case, accents or trailing spaces for one; this server does not.
 */
export function findCorrections(scratch: Scratch, { schema, definitions }: Source): Corrections {
  const isFolding = schema.engine === 'mariadb';
  scratch.define('fold_name', isFolding ? foldName : (name) => name);
  scratch.define('short_name', shortName);
  scratch.run('create table "_name" ("doctype", "name", "folded", "short")');
  const doctypes = definitions.registry.all().filter(({ name }) => scratch.tables.has(`tab${name}`));
  for (const { name, istable } of doctypes) {
    if (istable) continue;
    const columns = '?, "name", fold_name("name"), short_name("name")';
    scratch.run(`insert into "_name" select ${columns} from ${quoted(`tab${name}`)}`, name);
  }
  scratch.run('create index "ix name" on "_name" ("doctype", "name")');
  scratch.run('create index "ix folded" on "_name" ("doctype", "folded")');
  scratch.run('create table "_correction" ("doctype", "wrong", "right", primary key ("doctype", "wrong"))');
  for (const doctype of doctypes) correctLinksOf(scratch, doctype);
  for (const [doctype, typeField, nameField] of REFERENCES)
    correct(scratch, doctype, quoted(typeField), nameField);
  for (const doctype of doctypes) if (doctype.istable) correctParents(scratch, doctype);
  return {
    link(doctype, name) {
      const row = scratch.get(
        'select "right" from "_correction" where "doctype" = ? and "wrong" = ?',
        doctype,
        name,
      );
      return typeof row?.['right'] === 'string' ? row['right'] : name;
    },
  };
}

function correctLinksOf(scratch: Scratch, { name, links, dynamicLinks }: DocType): void {
  for (const field of links)
    correct(scratch, name, `'${field.options.replaceAll("'", "''")}'`, field.fieldname);
  for (const field of dynamicLinks) correct(scratch, name, quoted(field.options), field.fieldname);
}

/** `target` is an expression for the doctype that the column links to. */
function correct(scratch: Scratch, doctype: string, target: string, column: string): void {
  const table = scratch.tables.get(`tab${doctype}`);
  const has = (wanted: string) => table?.columns.some(({ name }) => name === wanted) === true;
  if (!table || !has(column) || (target.startsWith('"') && !has(target.slice(1, -1)))) return;
  const isNamed = `"n"."doctype" = "l"."target" and "n"."name" = "l"."value"`;
  const isFolded = `"n"."doctype" = "l"."target" and "n"."folded" = fold_name("l"."value")`;
  const short = (where: string) => `(select "n"."short" from "_name" as "n" where ${where})`;
  const exists = (where: string) => `exists (select 1 from "_name" as "n" where ${where})`;
  scratch.run(
    `insert or ignore into "_correction"
     select "l"."target", "l"."value", coalesce(${short(isNamed)}, ${short(isFolded)})
     from (select distinct ${target} as "target", ${quoted(column)} as "value" from ${quoted(table.name)}
       where ${quoted(column)} is not null and ${quoted(column)} <> '') as "l"
     where not ${exists(`${isNamed} and "n"."short" = "n"."name"`)}
       and (${exists(isNamed)} or ${exists(isFolded)})`,
  );
}

/** Rows find their parent by its very name from here on. */
function correctParents(scratch: Scratch, { name }: DocType): void {
  const ofParent = `"_name" as "n" where "n"."doctype" = "c"."parenttype"`;
  const isFolded = `"n"."folded" = fold_name("c"."parent")`;
  scratch.run(
    `update ${quoted(`tab${name}`)} as "c" set "parent" = (select "n"."name" from ${ofParent} and ${isFolded})
     where not exists (select 1 from ${ofParent} and "n"."name" = "c"."parent")
       and exists (select 1 from ${ofParent} and ${isFolded})`,
  );
}

/** A name that fits: a long one keeps its beginning, and gets a digest of the whole. */
export function shortName(name: string): string {
  const characters = [...name.normalize('NFC')];
  if (characters.length <= LIMITS.nameLength) return characters.join('');
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 12);
  return `${characters.slice(0, LIMITS.nameLength - digest.length - 1).join('')}~${digest}`;
}
