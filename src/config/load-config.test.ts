import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { DEFAULT_CONFIG } from './config.ts';
import { ConfigError, loadConfig, presentConfig } from './load-config.ts';
import { valueAt } from './setting.ts';
import { SETTINGS } from './settings.ts';

const cwd = mkdtempSync(join(tmpdir(), 'chancery-config-'));

function fileWith(content: unknown): string {
  const path = join(mkdtempSync(join(tmpdir(), 'chancery-config-')), 'some.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

function problemsOf(argv: string[], env: Record<string, string> = {}): readonly string[] {
  try {
    loadConfig({ argv, env, cwd });
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems;
  }
  return [];
}

test('without any source the defaults hold, with an absolute data directory', () => {
  const { config } = loadConfig({ argv: [], env: {}, cwd });
  assert.deepEqual(config, { ...DEFAULT_CONFIG, data: join(cwd, 'data') });
  assert.ok(Object.isFrozen(config) && Object.isFrozen(config.webhooks));
});

test('flags beat the environment, which beats the file', () => {
  const config = fileWith({ port: 1, host: 'a', webhooks: { max_retries: 3, allow: ['10.0.0.0/8'] } });
  const env = { CHANCERY_PORT: '2', CHANCERY_HOST: 'b', CHANCERY_CONFIG: config };
  const loaded = loadConfig({ argv: ['--port', '3'], env, cwd }).config;
  assert.equal(loaded.port, 3);
  assert.equal(loaded.host, 'b');
  assert.equal(loaded.webhooks.maxRetries, 3);
  assert.deepEqual(loaded.webhooks.allow, ['10.0.0.0/8']);
  assert.equal(loaded.webhooks.backoffFactor, DEFAULT_CONFIG.webhooks.backoffFactor);
});

/** A value of each setting, as text and as it is read. */
const SAMPLES: Record<string, [text: string, value: unknown]> = {
  port: ['0', 0],
  host: ['::', '::'],
  workers: ['auto', 'auto'],
  role: ['work', 'work'],
  databaseListenUrl: ['postgres://u:p@h/n', 'postgres://u:p@h/n'],
  databaseReplicas: ['postgres://u:p@h/n,postgres://u:p@i/n', ['postgres://u:p@h/n', 'postgres://u:p@i/n']],
  databaseReplicaStaleness: ['500', 500],
  databaseConnections: ['30', 30],
  trustProxy: ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
  data: ['d', join(cwd, 'd')],
  database: ['sqlite:x.db', `sqlite:${join(cwd, 'x.db')}`],
  databaseLogBytes: ['1073741824', 1_073_741_824],
  files: ['f', join(cwd, 'f')],
  apps: ['', []],
  timeZone: ['Europe/Zurich', 'Europe/Zurich'],
  timestampPrecision: ['microseconds', 'microseconds'],
  adminPassword: [' secret ', ' secret '],
  adminApiKey: ['key:secret', 'key:secret'],
  secretKey: [Buffer.alloc(32).toString('base64'), Buffer.alloc(32).toString('base64')],
  secretKeysOld: [Buffer.alloc(32).toString('base64'), [Buffer.alloc(32).toString('base64')]],
  'uploads.maxBytes': ['1', 1],
  'downloads.accelRedirect': ['/protected/', '/protected/'],
  'downloads.sendfile': ['1', true],
  'downloads.linkLife': ['60', 60],
  'downloads.presign': ['60', 60],
  'downloads.thumbnailBytes': ['0', 0],
  'uploads.defaultPrivate': ['yes', true],
  'uploads.perUserBytes': ['5', 5],
  'uploads.stripMetadata': ['0', false],
  'quarantine.bytes': ['0', 0],
  'backup.to': ['b', join(cwd, 'b')],
  'backup.key': [Buffer.alloc(32).toString('base64'), Buffer.alloc(32).toString('base64')],
  'backup.every': ['3600000', 3_600_000],
  'backup.hourly': ['0', 0],
  'backup.daily': ['1', 1],
  'backup.weekly': ['2', 2],
  'backup.monthly': ['3', 3],
  'backup.logDays': ['4', 4],
  'lists.maxPageLength': ['5000', 5000],
  'lists.maxBytes': ['5000', 5000],
  'lists.timeout': ['5000', 5000],
  'lists.slowAfter': ['0', 0],
  'webhooks.allow': ['127.0.0.0/8, ::1/128', ['127.0.0.0/8', '::1/128']],
  'signIn.allow': ['10.0.0.0/8,192.0.2.1', ['10.0.0.0/8', '192.0.2.1']],
  'webhooks.maxRetries': ['0', 0],
  'webhooks.backoffBase': ['10', 10],
  'webhooks.backoffFactor': ['2', 2],
  'webhooks.backoffCap': ['100', 100],
  'webhooks.restAfterFailures': ['100', 100],
  'webhooks.disableAfter': ['0', 0],
  'webhooks.worker': ['0', false],
  'webhooks.loopLimit': ['100', 100],
  'webhooks.logDays': ['7', 7],
  'webhooks.logBytes': ['1000', 1_000],
  'history.versionDays': ['365', 365],
  'history.deletedDays': ['90', 90],
  'history.activityDays': ['30', 30],
  auditDays: ['90', 90],
  logSlowRequests: ['250', 250],
  logLevel: ['warn', 'warn'],
  'history.forgetDeleted': ['Note, Lead', ['Note', 'Lead']],
  'rateLimits.window': ['10', 10],
  'rateLimits.perKey': ['0', 0],
  'rateLimits.perUser': ['1000', 1000],
  'rateLimits.perAddress': ['1000', 1000],
  'rateLimits.logins': ['20', 20],
  'rateLimits.uploads': ['20', 20],
  'admission.reads': ['8', 8],
  'admission.lists': ['8', 8],
  'admission.writes': ['8', 8],
  'admission.uploads': ['8', 8],
  'admission.logins': ['8', 8],
  'admission.patience': ['50', 50],
  'admission.lateness': ['0', 0],
  'admission.unsentPerCaller': ['1048576', 1_048_576],
  'admission.unsent': ['2097152', 2_097_152],
  'shutdown.grace': ['0', 0],
  siteUrl: ['https://crm.example.com/base/', 'https://crm.example.com/base'],
  'webhooks.proxy': ['http://me:secret@proxy.example.com:3128', 'http://me:secret@proxy.example.com:3128'],
  'mail.url': ['smtps://me:secret@mail.example.com', 'smtps://me:secret@mail.example.com'],
  'mail.from': ['crm@example.com', 'crm@example.com'],
  'metrics.token': ['0123456789abcdef', '0123456789abcdef'],
  allowCors: ['*', ['*']],
  adminUi: ['0', false],
  logRequests: ['true', true],
  logFormat: ['text', 'text'],
  'telemetry.endpoint': ['http://127.0.0.1:4318/', 'http://127.0.0.1:4318'],
  'telemetry.percent': ['5', 5],
};

test('every setting can be set by its environment variable', () => {
  for (const { path, variable } of SETTINGS) {
    const [text, value] = SAMPLES[path] ?? [];
    assert.ok(text !== undefined, `no sample for ${path}`);
    const { config } = loadConfig({ argv: [], env: { [variable]: text }, cwd });
    const [group = '', key = ''] = path.split('.');
    const inner = (config as unknown as Record<string, unknown>)[group];
    assert.deepEqual(key ? (inner as Record<string, unknown>)[key] : inner, value, path);
  }
});

test('a configuration file that cannot be read is named, with what to do', () => {
  const missing = join(cwd, 'missing.json');
  const remedy =
    'Name a configuration file with --config <file> or CHANCERY_CONFIG, or leave both out to use ' +
    'chancery.config.json in the working directory if there is one';
  for (const [path, said] of [
    [missing, `${missing} does not exist. ${remedy}`],
    [join(fileWith('{}'), 'below'), /some\.json\/below does not exist\. Name a configuration file/],
    [cwd, `${cwd} is a directory, not a file. ${remedy}`],
    [fileWith('{'), /some\.json is not JSON: /],
    [fileWith(''), /some\.json is not JSON: /],
  ] as const) {
    for (const problems of [problemsOf(['--config', path]), problemsOf([], { CHANCERY_CONFIG: path })]) {
      assert.equal(problems.length, 1);
      if (typeof said === 'string') assert.equal(problems[0], said);
      else assert.match(problems[0] ?? '', said);
    }
  }
});

test('a misspelled or misplaced setting gets a suggestion, wherever it is written', () => {
  for (const [content, meant] of [
    [{ prot: 1 }, 'port'],
    [{ webhook: {} }, 'webhooks'],
    [{ webhooks: { alow: [] } }, 'webhooks.allow'],
    [{ webhooks: { max_retires: 1 } }, 'webhooks.maxRetries'],
    [{ maxRetries: 1 }, 'webhooks.maxRetries'],
    [{ max_page_length: 1 }, 'lists.maxPageLength'],
    [{ uploads: { maxPageLength: 1 } }, 'lists.maxPageLength'],
    [{ webhooks: { port: 1 } }, 'port'],
  ] as [content: object, meant: string][]) {
    const [problem = ''] = problemsOf(['--config', fileWith(content)]);
    assert.ok(problem.endsWith(`is not a setting. Did you mean ${meant}?`), problem);
  }
  const [unlike = ''] = problemsOf(['--config', fileWith({ colour: 'red' })]);
  assert.ok(unlike.endsWith('"colour" is not a setting'), unlike);
  const { warnings } = loadConfig({ argv: [], env: { CHANCERY_WEBHOOKS_MAX_RETIRES: '1' }, cwd });
  assert.match(warnings.join(), /Did you mean CHANCERY_WEBHOOKS_MAX_RETRIES\?$/);
  assert.deepEqual(problemsOf(['--prot', '1']), [
    '--prot is not a flag of this command. Did you mean --port?',
  ]);
});

test('all problems are reported at once, with their sources', () => {
  const path = fileWith({ prot: 1, host: '', webhooks: { maxRetries: 51, alow: [] }, timeZone: 'Mars' });
  const problems = problemsOf(['--port', 'x', '--colour', '--data'], {
    CHANCERY_CONFIG: path,
    CHANCERY_DATABASE_URL: 'mysql://x',
    CHANCERY_WEBHOOKS_ALLOW: 'localhost',
    CHANCERY_ADMIN_API_KEY: 'nocolon',
  });
  const all = problems.join('\n');
  for (const name of [
    '--colour',
    '--data needs a value',
    '--port must be a whole number',
    '"prot"',
    '"webhooks.alow"',
    'webhooks.maxRetries must be a whole number from 0 to 50',
    'timeZone',
    'CHANCERY_DATABASE_URL',
    'CHANCERY_WEBHOOKS_ALLOW',
    'CHANCERY_ADMIN_API_KEY',
  ]) {
    assert.ok(all.includes(name), `${name} is not in:\n${all}`);
  }
});

const BAD: readonly [argv: string[], env: Record<string, string>][] = [
  [['--config', 'missing.json'], {}],
  [['--config', fileWith('{')], {}],
  [['--config', fileWith([])], {}],
  [['--no-worker=1'], {}],
  [['--port', '65536'], {}],
  [['--files', 's3://'], {}],
  ...['10.0.0.0/33', '127.1', 'fe80::1%eth0/64', '::ffff:10.0.0.0/104', '10.0.0.0/8/8'].map(
    (allow) => [[], { CHANCERY_WEBHOOKS_ALLOW: allow }] as [string[], Record<string, string>],
  ),
  [[], { CHANCERY_TRUST_PROXY: 'true' }],
  [[], { CHANCERY_TRUST_PROXY: '1' }],
  [[], { CHANCERY_TRUST_PROXY: '0.0.0.0/0' }],
  [[], { CHANCERY_TRUST_PROXY: '::/0' }],
  [[], { CHANCERY_TRUST_PROXY: '::/00' }],
  [[], { CHANCERY_TRUST_PROXY: '::ffff:10.0.0.0/104' }],
  [[], { CHANCERY_SECRET_KEY: 'short' }],
  [[], { CHANCERY_SITE_URL: 'crm.example.com' }],
  [[], { CHANCERY_SITE_URL: 'https://crm.example.com/?a=b' }],
  [[], { CHANCERY_MAIL_URL: 'https://mail.example.com' }],
  [[], { CHANCERY_MAIL_URL: 'smtp://mail.example.com?tls=no' }],
  [[], { CHANCERY_MAIL_FROM: 'one@example.com, two@example.com' }],
  [[], { CHANCERY_LOG_REQUESTS: 'perhaps' }],
];
for (const [argv, env] of BAD) {
  test(`refused: ${argv.join(' ')} ${JSON.stringify(env)}`, () => {
    assert.equal(problemsOf(argv, env).length, 1);
  });
}

test('an unknown variable gives a warning, an empty one counts as unset', () => {
  const loaded = loadConfig({ argv: [], env: { CHANCERY_PROT: '1', CHANCERY_PORT: '' }, cwd });
  assert.equal(loaded.config.port, 8000);
  assert.deepEqual(loaded.warnings, [
    'CHANCERY_PROT is not a setting and was ignored. Did you mean CHANCERY_PORT?',
  ]);
});

for (const name of [
  'CHANCERY_ADMIN_PASSWORD',
  'CHANCERY_ADMIN_API_KEY',
  'CHANCERY_SECRET_KEY',
  'CHANCERY_DATABASE',
  'CHANCERY_DATABASE_URL',
  'CHANCERY_FILES',
  'CHANCERY_METRICS_TOKEN',
]) {
  test(`an empty ${name} is refused: nobody means another secret or another place`, () => {
    assert.deepEqual(problemsOf([], { [name]: '' }), [`${name} is empty: give it a value, or leave it out`]);
  });
}

test('an empty flag is refused, but for a list', () => {
  const commandFlags = { doctypes: 'string' } as const;
  for (const flag of ['--data', '--port', '--database', '--config', '--doctypes']) {
    for (const argv of [[flag, ''], [`${flag}=`]]) {
      assert.throws(
        () => loadConfig({ argv, env: {}, cwd, commandFlags }),
        (error) => error instanceof ConfigError && error.problems.join() === `${flag} needs a value`,
      );
    }
  }
  assert.deepEqual(loadConfig({ argv: ['--apps='], env: {}, cwd }).config.apps, []);
});

test('words and flags of a command are separated from settings', () => {
  const argv = ['create', '--user', 'a@b.c', '--no-worker', '--no-admin-ui', '--apps=', 'x'];
  const loaded = loadConfig({ argv, env: {}, cwd, commandFlags: { user: 'string' } });
  assert.deepEqual(loaded.words, ['create', 'x']);
  assert.deepEqual(loaded.flags, { user: 'a@b.c' });
  assert.equal(loaded.config.webhooks.worker, false);
  assert.equal(loaded.config.adminUi, false);
  assert.deepEqual(loaded.config.apps, []);
});

test('the printed configuration contains no secret', () => {
  const env = {
    CHANCERY_ADMIN_PASSWORD: 'canary1',
    CHANCERY_ADMIN_API_KEY: 'key:canary2',
    CHANCERY_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    CHANCERY_DATABASE: 'postgres://me:canary3@host/name',
    CHANCERY_MAIL_URL: 'smtp://me:canary4@mail.example.com',
  };
  const shown = JSON.stringify(presentConfig(loadConfig({ argv: [], env, cwd }).config));
  for (const secret of ['canary1', 'canary2', 'canary3', 'canary4', env.CHANCERY_SECRET_KEY]) {
    assert.ok(!shown.includes(secret));
  }
  assert.ok(shown.includes('postgres://me:********@host/name'));
  for (const [database, masked] of [
    ['postgres://me:can@ary@host/name', 'postgres://me:********@host/name'],
    ['postgres://host/name?user=me&password=canary', 'postgres://host/name?user=me&password=********'],
    ['postgres://me@host/name?a=b:c@d', 'postgres://me@host/name?a=b:c@d'],
  ]) {
    const urls = { CHANCERY_DATABASE_REPLICAS: `${database},${database}` };
    const { config } = loadConfig({ argv: ['--database', database ?? ''], env: urls, cwd });
    const present = presentConfig(config);
    assert.equal(present['database'], masked);
    assert.deepEqual(present['databaseReplicas'], [masked, masked]);
  }
});

describe('a secret from a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-secrets-'));
  const write = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };

  test('every secret can be read from a file, and nothing else', () => {
    for (const setting of SETTINGS) {
      const variable = `${setting.variable}_FILE`;
      const [text, value] = SAMPLES[setting.path] ?? ['', null];
      const env = { [variable]: write('secret', `${text}\n`) };
      const { config, warnings, sources } = loadConfig({ argv: [], env, cwd });
      const isRead = isDeepStrictEqual(valueAt(config, setting.path), value);
      assert.equal(isRead && sources.get(setting.path) === 'environment', setting.secret === true, variable);
      assert.equal(warnings.length, setting.secret ? 0 : 1, variable);
    }
  });

  test('an alias of a variable has one too, and a relative path is allowed', () => {
    const path = relative(cwd, write('url', 'sqlite:/a.db\r\n'));
    const { config } = loadConfig({ argv: [], env: { CHANCERY_DATABASE_URL_FILE: path }, cwd });
    assert.equal(config.database, 'sqlite:/a.db');
  });

  for (const [what, path, words] of [
    ['a missing file', join(folder, 'missing'), /ADMIN_PASSWORD_FILE: .*missing does not exist$/],
    ['a directory', folder, /is a directory, not a file$/],
    ['an empty file', write('empty', '\n'), /empty is empty$/],
    ['a large file', write('large', 'x'.repeat(70_000)), /is larger than 65536 bytes$/],
  ] as const)
    test(`${what} is an error`, () => {
      const [problem = '', ...others] = problemsOf([], { CHANCERY_ADMIN_PASSWORD_FILE: path });
      assert.match(problem, words);
      assert.deepEqual(others, []);
    });

  test('a wrong value is an error that names the file and not the value', () => {
    const env = { CHANCERY_METRICS_TOKEN_FILE: write('token', 'too short') };
    const [problem = ''] = problemsOf([], env);
    assert.match(problem, /METRICS_TOKEN_FILE: the content of .*token must be 16 to 512 characters/);
    assert.doesNotMatch(problem, /too short/);
  });

  test('a secret that is set both ways is an error', () => {
    const env = { CHANCERY_ADMIN_PASSWORD: 'a', CHANCERY_ADMIN_PASSWORD_FILE: write('both', 'b') };
    assert.deepEqual(problemsOf([], env), [
      'CHANCERY_ADMIN_PASSWORD and CHANCERY_ADMIN_PASSWORD_FILE are both set: leave one of them out',
    ]);
  });
});
