/** The command line refuses what it does not know, and says what was meant. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { run } from '../../src/cli/cli.ts';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { ROOT, temporaryFolder, userEnvironment } from '../support/package.ts';

interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function chancery(...argv: readonly string[]): Promise<Answer> {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const code = await run(argv, {
    stdout: { write: (text) => stdout.push(text) },
    stderr: { write: (text) => stderr.push(text) },
  });
  return { code, stdout: stdout.join(''), stderr: stderr.join('') };
}

const help = (await chancery('help')).stdout;
const COMMANDS = [
  ...help
    .split(/^Flags$/m, 1)
    .join()
    .matchAll(/^ {2}([\w-]+) {2,}\S/gm),
].map(([, name = '']) => name);

/** Each call that the help of a command shows, with a value wherever one is wanted. */
const CALLS = await Promise.all(
  COMMANDS.map(async (command) => {
    const { stdout } = await chancery(command, '--help');
    const lines = [...stdout.matchAll(/^chancery (.*)$/gm)].map(([, line = '']) =>
      line.replace(/ \[flags\]$/, ''),
    );
    return lines.map((line) => ({
      command,
      argv: line
        .replace(/ \[[^\]]*\]/g, '')
        .replace(/<[^>]*>/g, 'x')
        .split(' '),
      optional: [...line.matchAll(/\[<[^>]*>\]/g)].length,
      flags: [...line.matchAll(/--([\w-]+)( <)?/g)].map(([, flag = '', value]) => ({
        flag,
        value: value ? ['x'] : [],
      })),
    }));
  }),
).then((calls) => calls.flat());

async function assertRefused(argv: readonly string[], said: string): Promise<void> {
  const { code, stdout, stderr } = await chancery(...argv);
  assert.equal(code, 2, `${argv.join(' ')}: ${stdout}${stderr}`);
  assert.equal(stdout, '', argv.join(' '));
  assert.ok(stderr.includes(said), `${argv.join(' ')}: ${stderr}`);
  assert.ok(!stderr.includes('    at '), stderr);
}

test('the help shows each call of each command', () => {
  assert.ok(COMMANDS.length > 10, help);
  assert.ok(CALLS.length > COMMANDS.length);
  assert.ok(CALLS.some(({ argv }) => argv.join(' ') === 'user add-role x x'));
});

test('each call refuses an extra word', async () => {
  for (const { command, argv, optional } of CALLS) {
    const more = Array(optional).fill('serve');
    await assertRefused([...argv, ...more, 'stray'], `${command}`);
    await assertRefused([...argv, ...more, 'stray'], 'does not take "stray"');
  }
});

test('each call refuses a missing word or required flag', async () => {
  for (const { argv } of CALLS) {
    const wanted = argv.indexOf('x');
    if (wanted === -1) continue;
    const isFlag = argv[wanted - 1]?.startsWith('--');
    await assertRefused(argv.slice(0, isFlag ? wanted - 1 : wanted), 'is missing');
  }
});

test('each call refuses an unknown flag and suggests the intended one', async () => {
  for (const { argv, flags } of CALLS) {
    await assertRefused([...argv, '--bogus'], '--bogus is not a flag');
    await assertRefused([...argv, '-b'], '-b is not a flag');
    for (const { flag, value } of flags) {
      const misspelled = `--${flag}${flag.at(-1)}`;
      await assertRefused([...argv, misspelled, ...value], `Did you mean --${flag}?`);
    }
  }
  for (const flag of ['port', 'data', 'no-worker', 'config']) {
    await assertRefused(['serve', `--${flag.slice(0, -1)}`], `Did you mean --${flag}?`);
  }
});

test('each call refuses the flags of other calls', async () => {
  const every = new Map(CALLS.flatMap(({ flags }) => flags.map(({ flag, value }) => [flag, value] as const)));
  for (const [flag, value] of [...every, ['port', ['8001']], ['no-admin-ui', []]] as const) {
    for (const { command, argv, flags } of CALLS) {
      const isSetting = SETTINGS.some((setting) => setting.flag === flag) || flag === 'no-admin-ui';
      if (flags.some((own) => own.flag === flag)) continue;
      // Flags of the configuration are another matter: some commands know them.
      if (isSetting && (['serve', 'config', 'health'].includes(command) || flag === 'apps')) continue;
      await assertRefused([...argv, `--${flag}`, ...value], `--${flag}`);
    }
  }
});

test('misspelled commands and actions are suggested', async () => {
  await assertRefused(['toString'], 'toString is not a command');
  for (const command of COMMANDS) {
    await assertRefused([`${command}x`], `Did you mean chancery ${command}?`);
  }
  const actions = CALLS.filter(
    ({ command, argv }) => argv[0] === command && /^[a-z]/.test(argv[1] ?? '') && argv[1] !== 'x',
  );
  assert.ok(actions.length > 10);
  // The word may also be a file.
  const takesFile = new Set(CALLS.filter(({ argv }) => argv[1] === 'x').map(({ command }) => command));
  for (const { command, argv } of actions) {
    if (!takesFile.has(command)) await assertRefused([command, `${argv[1]}x`], `Did you mean ${argv[1]}?`);
  }
  const withoutAction = CALLS.filter(
    ({ argv: [, first = ''] }) => first === 'x' || !/^[a-z]/.test(first),
  ).map(({ command }) => command);
  for (const command of new Set(actions.map(({ command }) => command))) {
    if (withoutAction.includes(command)) continue;
    await assertRefused([command], 'needs one of these words');
  }
});

test('a flag does not take the next flag as its value', async () => {
  await assertRefused(['serve', '--data', '--no-worker'], '--data needs a value');
  await assertRefused(['api-key', 'create', '--user', '--read-only'], '--user needs a value');
});

test('misspelled keys of the file and variables are suggested', async (t) => {
  const file = join(temporaryFolder('arguments'), 'config.json');
  writeFileSync(file, '{"prot": 1, "webhook": {"allow": []}, "webhooks": {"alow": []}}');
  for (const meant of ['port', 'webhooks', 'webhooks.allow']) {
    await assertRefused(['serve', '--config', file], `Did you mean ${meant}?`);
  }
  process.env['CHANCERY_PROT'] = '1';
  t.after(() => delete process.env['CHANCERY_PROT']);
  const { stderr } = await chancery('user', 'list', '--data', join(file, 'none'));
  assert.match(stderr, /CHANCERY_PROT is not a setting and was ignored\. Did you mean CHANCERY_PORT\?/);
});

test('serve --help lists the flags of the server with their defaults', async () => {
  const { stdout } = await chancery('serve', '--help');
  for (const { flag, path, unset } of SETTINGS) {
    if (flag === undefined) continue;
    const value = unset ?? String(DEFAULT_CONFIG[path as keyof typeof DEFAULT_CONFIG]);
    assert.match(
      stdout,
      new RegExp(`^ {2}--${flag} <value> +\\S.* \\(default: ${RegExp.escape(value)}\\)$`, 'm'),
    );
  }
  for (const flag of ['config', 'no-worker', 'no-admin-ui'])
    assert.match(stdout, new RegExp(`^ {2}--${flag}\\b`, 'm'));
});

test('help and version work with an invalid configuration', async (t) => {
  process.env['CHANCERY_PORT'] = 'none';
  t.after(() => delete process.env['CHANCERY_PORT']);
  assert.equal((await chancery('version')).code, 0);
  assert.equal((await chancery('help', 'serve')).code, 0);
  await assertRefused(['serve'], 'CHANCERY_PORT must be a whole number');
});

test('a flag that npm took for itself stops the start, with the right call', {
  skip: process.platform === 'win32',
}, () => {
  // A checkout whose npm start builds nothing.
  const cwd = join(temporaryFolder('npm'), 'checkout');
  mkdirSync(cwd, { recursive: true });
  for (const name of ['bin', 'src', 'apps', 'node_modules']) symlinkSync(join(ROOT, name), join(cwd, name));
  cpSync(join(ROOT, '.npmrc'), join(cwd, '.npmrc'));
  const { prestart: _, ...scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts;
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ name: 'chancery', scripts }));
  for (const [argv, call] of [
    [['start', '--port', '8001'], 'npm start -- --port 8001'],
    [['start', '--port=8001'], 'npm start -- --port 8001'],
    [['run', 'start', '--data=x', '--no-worker'], 'npm start -- --data x --no-worker'],
  ] as const) {
    const { status, stderr } = spawnSync('npm', argv, { cwd, encoding: 'utf8', env: userEnvironment() });
    assert.equal(status, 2, stderr);
    assert.ok(stderr.includes(`Run instead: ${call}\n`), stderr);
  }
});
