import { createHash } from 'node:crypto';
import type { Connection } from '../../../db/database.ts';
import type { DocType } from '../../../doctype/doctype.ts';
import type { Context, Site } from '../../../document/contract.ts';
import { load } from '../../../document/load/load.ts';
import { autonameField } from '../../../document/naming/naming.ts';
import { createDocument } from '../../../document/verbs/create.ts';
import { updateDocument } from '../../../document/verbs/update.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { nearMiss } from '../../../kernel/near-miss.ts';
import { type Fields, isRecord } from '../../../kernel/value.ts';
import type { App } from '../../app.ts';
import { loadSettings, writeSetting } from '../../settings/settings-table.ts';
import { StartError } from '../../start-error.ts';
import { type JsonFile, readFixtures } from '../apps/load-app.ts';
import { inTurn } from './in-turn.ts';

/** A document that a site needs. */
interface Fixture {
  readonly doctype: string;
  readonly name: string;
  readonly fields: Fields;
}

/** A parsed file of fixtures. */
interface FixtureFile {
  /** `app/file.json`, for messages and settings. */
  readonly title: string;
  /** Existing documents take the file's fields; when false, they stay as they are. */
  readonly update: boolean;
  readonly documents: readonly Fixture[];
  /** Changes whenever the file does. */
  readonly digest: string;
}

/**
 * Applies the fixture files of the apps: each file that changed since it was last applied, in its own
 * transaction, in order. Of several nodes, one applies a file.
 * @throws StartError naming the invalid document; its file is rolled back
 */
export async function applyFixtures(site: Site, apps: readonly App[]): Promise<void> {
  for (const file of await pendingFixtures(site.database.reader, apps)) {
    const key = settingOf(file);
    const applied = await inTurn(site, async (ctx) => {
      if ((await loadSettings(ctx.db)).get(key) === file.digest) return null;
      const outcomes: Outcome[] = [];
      for (const fixture of file.documents) outcomes.push(await put(ctx, fixture, file));
      await writeSetting(ctx.db, key, file.digest);
      return outcomes;
    });
    if (!applied) continue;
    const count = (outcome: Outcome) => applied.filter((each) => each === outcome).length;
    const [created, updated] = [count('created'), count('updated')];
    site.observe({ kind: 'fixtures_applied', file: file.title, created, updated });
  }
}

/** The files that changed since they were last applied, in order. @throws StartError for an invalid file */
export async function pendingFixtures(connection: Connection, apps: readonly App[]): Promise<FixtureFile[]> {
  const files = apps.flatMap((app) => readFixtures(app).map((file) => parseFile(app, file)));
  if (files.length === 0) return [];
  const settings = await loadSettings(connection);
  return files.filter((file) => settings.get(settingOf(file)) !== file.digest);
}

function settingOf({ title }: FixtureFile): string {
  return `fixtures:${title}`;
}

type Outcome = 'created' | 'updated' | 'kept';

async function put(ctx: Context, fixture: Fixture, file: FixtureFile): Promise<Outcome> {
  const { doctype, name, fields } = fixture;
  try {
    const meta = ctx.doctypes.get(doctype);
    checkSpelling(meta, fields);
    const found = await load(ctx, meta, name);
    // A single without a save reads as its defaults, at revision 0.
    const exists = found !== null && found.revision > 0;
    if (exists && !file.update) return 'kept';
    if (exists || meta.issingle) {
      await updateDocument(ctx, doctype, name, fields);
      return exists ? 'updated' : 'created';
    }
    const named = autonameField(meta);
    const given = { ...(named === null ? {} : { [named]: name }), ...fields, name, __newname: name };
    const created = await createDocument(ctx, doctype, given);
    if (created.name === name) return 'created';
    const reason = `its doctype names it ${created.name}; fixtures need names that are given or taken from a field`;
    throw new ServiceError('NameError', reason);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.type === 'ServiceUnavailableError') throw error;
    throw new StartError(`${doctype} ${name} of the fixtures ${file.title} does not fit: ${error.message}`, {
      cause: error,
    });
  }
}

function checkSpelling(doctype: DocType, fields: Fields): void {
  for (const key of Object.keys(fields)) {
    const meant = doctype.columnByName.has(key) ? undefined : nearMiss(key, doctype.fieldByName.keys());
    if (meant === undefined) continue;
    throw new ServiceError('ValidationError', `unknown field ${key}; did you mean ${meant}?`);
  }
}

function parseFile(app: App, { name, content }: JsonFile): FixtureFile {
  const title = `${app.name}/${name}`;
  const update = isRecord(content) && content['update'] === true;
  const documents = isRecord(content) ? content['documents'] : content;
  if (!Array.isArray(documents)) {
    throw new StartError(
      `The fixtures ${title} must be a list of documents, or {"update": true, "documents": […]}.`,
    );
  }
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  return {
    title,
    update,
    digest,
    documents: documents.map((entry, index) => parseFixture(title, entry, index)),
  };
}

// Server-owned fields, which a file copied from a reply may contain. They are ignored.
const OWNED = ['doctype', 'name', 'owner', 'creation', 'modified', 'modified_by', 'idx'];

function parseFixture(title: string, entry: unknown, index: number): Fixture {
  const doctype = isRecord(entry) ? entry['doctype'] : undefined;
  const given = isRecord(entry) ? entry['name'] : undefined;
  const name = typeof given === 'string' || typeof given === 'number' ? String(given) : '';
  if (!isRecord(entry) || typeof doctype !== 'string' || name === '') {
    throw new StartError(`Document ${index + 1} of the fixtures ${title} needs a doctype and a name.`);
  }
  const fields = Object.fromEntries(Object.entries(entry).filter(([key]) => !OWNED.includes(key)));
  return { doctype, name, fields };
}
