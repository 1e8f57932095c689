import { knownArguments } from '../doctype/arguments.ts';
import { parseDoctype } from '../doctype/parse-doctype.ts';
import { renderTypes } from '../doctype/render-types.ts';

/** The files of a new app by path, the versions of its packages, and the commands that install them. */
export function appFiles(
  name: string,
  versions: Readonly<Record<'chancery' | 'typescript' | '@types/node', string>>,
  install: readonly string[],
): Readonly<Record<string, string>> {
  const words = name.split('-').filter(Boolean);
  // All apps of a site share the names of doctypes, so the app's name is a prefix.
  const doctype = `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ')} Task`;
  const definition = taskDefinition(doctype);
  const type = doctype.replaceAll(' ', '');
  const method = `${name.replaceAll('-', '_')}.complete_all`;
  const types = renderTypes([parseDoctype(definition, name)], new Map([[method, knownArguments({})]]));
  return {
    'package.json': json({
      name,
      version: '0.1.0',
      private: true,
      type: 'module',
      scripts: {
        start: `${EXEC}chancery serve --apps .`,
        dev: `${EXEC}node --watch --watch-kill-signal=SIGINT node_modules/chancery/bin/chancery.mjs serve --apps .`,
        types: 'chancery types --apps .',
        check: 'chancery types --apps . --check && tsc',
        test: 'node --test',
      },
      dependencies: { chancery: versions.chancery },
      devDependencies: { '@types/node': versions['@types/node'], typescript: versions.typescript },
    }),
    'tsconfig.json': json(TSCONFIG),
    '.gitignore': 'node_modules/\ndata/\n',
    'README.md': readme(name, doctype, method, install),
    'app.ts': appModule(name, doctype, method),
    'doctypes/task.json': json(definition),
    'doctypes.d.ts': types,
    'controllers/task.ts': controller(type),
    'methods/complete-all.ts': completeAll(doctype, type),
    'app.test.ts': appTest(doctype, method),
  };
}

/** Without `exec`, npm signals a shell, which does not pass the signal on. `cmd.exe` has no such command. */
const EXEC = process.platform === 'win32' ? '' : 'exec ';

const TSCONFIG = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
  },
};

function taskDefinition(doctype: string): Readonly<Record<string, unknown>> {
  const all = { read: 1, write: 1, create: 1, delete: 1 };
  return {
    doctype: 'DocType',
    name: doctype,
    module: doctype.replace(/ Task$/, ''),
    autoname: 'TASK-.#####',
    title_field: 'subject',
    track_changes: 1,
    fields: [
      { fieldname: 'subject', label: 'Subject', fieldtype: 'Data', reqd: 1, in_list_view: 1 },
      {
        fieldname: 'status',
        label: 'Status',
        fieldtype: 'Select',
        options: 'Open\nDone',
        default: 'Open',
        in_list_view: 1,
      },
      { fieldname: 'due_on', label: 'Due On', fieldtype: 'Date' },
      { fieldname: 'done_on', label: 'Done On', fieldtype: 'Datetime', read_only: 1, enforce_on_server: 1 },
    ],
    permissions: [{ role: 'System Manager', ...all }],
  };
}

function appModule(name: string, doctype: string, method: string): string {
  return `import { defineApp } from 'chancery';
import { task } from './controllers/task.ts';
import { completeAll } from './methods/complete-all.ts';

export default defineApp({
  name: '${name}',
  doctypes: new URL('./doctypes/', import.meta.url),
  controllers: { '${doctype}': task },
  methods: { '${method}': completeAll },
});
`;
}

function controller(type: string): string {
  return `import { defineController, ServiceError } from 'chancery';
import type { ${type} } from '../doctypes.d.ts';

export const task = defineController<${type}>({
  validate(doc, _ctx, { before }) {
    if (!before && doc.status === 'Done') throw new ServiceError('ValidationError', 'A new task cannot have the status Done');
    // \`modified\` is the time of this change. A task that was already done keeps its time.
    doc.done_on = doc.status === 'Done' ? (before?.done_on ?? doc.modified) : null;
  },
});
`;
}

function completeAll(doctype: string, type: string): string {
  return `import { defineMethod, documentAs, listDocuments, updateDocument } from 'chancery';
import type { ${type} } from '../doctypes.d.ts';

/** Marks up to a hundred open tasks as done, and returns them. */
export const completeAll = defineMethod({
  async run(ctx) {
    const open = await listDocuments(ctx, '${doctype}', { filters: { status: 'Open' }, limit_page_length: 100 });
    const done: ${type}[] = [];
    for (const { name } of open) {
      done.push(documentAs<${type}>(await updateDocument(ctx, '${doctype}', String(name), { status: 'Done' })));
    }
    return done.map(({ name, subject }) => ({ name, subject }));
  },
});
`;
}

// Separate from its template, so that import checks of this file do not find it.
const TEST_SITE = "import { startTestSite } from 'chancery/testing';";

function appTest(doctype: string, method: string): string {
  return `import assert from 'node:assert/strict';
import { after, test } from 'node:test';
${TEST_SITE}
import app from './app.ts';

const TASKS = '/api/resource/${encodeURIComponent(doctype)}';
const site = await startTestSite(app);
after(() => site.close());

test('completing a task records the time', async () => {
  const made = await site.request('POST', TASKS, { subject: 'Write a test' });
  assert.equal(made.status, 200);
  assert.equal(made.body.data.status, 'Open');
  const done = await site.request('PUT', \`\${TASKS}/\${made.body.data.name}\`, { status: 'Done' });
  assert.equal(done.body.data.done_on, done.body.data.modified);
});

test('a new task with the status Done is refused', async () => {
  const refused = await site.request('POST', TASKS, { subject: 'Yesterday', status: 'Done' });
  assert.equal(refused.status, 417);
});

test('the method completes all open tasks', async () => {
  await site.request('POST', TASKS, { subject: 'Read it' });
  const { body } = await site.request('POST', '/api/method/${method}');
  assert.deepEqual(body.message.map((task: { subject: string }) => task.subject), ['Read it']);
});

test('a user without the role cannot list tasks', async () => {
  const reader = await site.createUser('reader@example.com', []);
  assert.equal((await site.request('GET', TASKS, undefined, reader)).status, 403);
});
`;
}

const NOT_RELEASED = ` If \`npm install\` does not find \`chancery\` in the registry, run \`npm pack\` in a checkout of it. Then run
\`npm install <path of the .tgz>\` here instead of the first line.`;

function readme(name: string, doctype: string, method: string, install: readonly string[]): string {
  return `# ${name}

An app for Chancery.${install.length > 1 ? '' : NOT_RELEASED}

\`\`\`
${install.join('\n')}
npm test
npm start
\`\`\`

\`app.ts\` lists the parts of the app: the doctype \`${doctype}\` in \`doctypes/task.json\`, its hooks in
\`controllers/task.ts\`, and the method \`/api/method/${method}\` in \`methods/complete-all.ts\`.

Run \`npm run types\` after each change of a doctype or of the arguments of a method. It writes \`doctypes.d.ts\`, and
\`npm run check\` checks the hooks with these types. \`npm run dev\` restarts the server when code changes.
`;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
