/**
 * `chancery user set-password`: what is typed or piped becomes the password, or the command fails and changes
 * nothing.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  type Finished,
  type ServerProcess,
  spawnChancery,
  startServerProcess,
} from '../support/server-process.ts';

/** Runs the rest of the command line in a terminal of its own, whose keys are standard input. */
const TERMINAL = [
  'python3',
  '-c',
  'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))',
];
const noTerminal = spawnSync('python3', ['-c', 'import os, pty; os.waitstatus_to_exitcode']).status !== 0;

const OLD = 'lantern over water';
const NEW = 'orchid under glass';

describe('chancery user set-password', () => {
  const data = mkdtempSync(join(tmpdir(), 'chancery-password-'));
  let server: ServerProcess;
  before(async () => {
    const env = { CHANCERY_ADMIN_PASSWORD: OLD };
    server = await startServerProcess(['--data', data, '--apps='], { env });
  });
  after(async () => {
    await server.end('SIGTERM');
    rmSync(data, { recursive: true, force: true });
  });

  async function opens(pwd: string): Promise<boolean> {
    const body = new URLSearchParams({ usr: 'Administrator', pwd });
    return (await fetch(`${server.url}/api/method/login`, { method: 'POST', body })).ok;
  }

  const argv = ['user', 'set-password', 'Administrator', '--data', data, '--apps='];

  /** Presses keys at a terminal, each when the question before it is there. */
  async function type(...answers: readonly (readonly [question: RegExp, keys: string])[]): Promise<Finished> {
    const command = spawnChancery(argv, { through: TERMINAL, input: null, deadline: 60_000 });
    const { stdin, stdout } = command.child;
    for (const [question, keys] of answers) {
      while (!question.test(command.output())) {
        await Promise.race([new Promise((resolve) => stdout?.once('data', resolve)), command.finished]);
        assert.equal(command.child.exitCode, null, command.output());
      }
      stdin?.write(keys);
    }
    const done = await command.finished;
    stdin?.end();
    return done;
  }

  for (const [what, input, said] of [
    ['nothing', '', /No password was given: nothing was changed/],
    ['a lone line break', '\n', /No password was given: nothing was changed/],
    ['a lone line break of Windows', '\r\n', /No password was given: nothing was changed/],
    ['asterisks, which stand for the stored value', '*'.repeat(12), /too common/],
    ['a short one', 'short\n', /at least 10 characters/],
    ['two lines', `${NEW}\n${NEW}\n`, /has more than one line/],
    ['a long one', 'ab1'.repeat(1_000), /exceeds 512 characters/],
    ['one in Latin-1', Buffer.from('orchidée under glass\n', 'latin1'), /not valid UTF-8/],
  ] as const) {
    test(`${what} on standard input is refused, and the old password stays`, async () => {
      const done = await spawnChancery(argv, { input }).finished;
      assert.equal(done.code, 1);
      assert.match(done.stderr, said);
      assert.equal(done.stderr.trim().split('\n').length, 1, done.stderr);
      assert.equal(done.stdout, '');
      assert.equal(await opens(OLD), true);
    });
  }

  describe('at a terminal', { skip: noTerminal }, () => {
    const first = /New password of Administrator: /;
    const second = /Repeat the password: /;
    for (const [what, answers, said] of [
      ['only Enter', [[first, '\r']], /No password was given/],
      ['Ctrl+D', [[first, '\x04']], /No password was given/],
      ['Ctrl+C', [[first, '\x03']], /No password was given/],
      [
        'another one the second time',
        [
          [first, `${NEW}\r`],
          [second, `${OLD}\r`],
        ],
        /two passwords differ/,
      ],
      [
        'nothing the second time',
        [
          [first, `${NEW}\r`],
          [second, '\r'],
        ],
        /two passwords differ/,
      ],
    ] as const) {
      test(`${what} is refused, and the old password stays`, async () => {
        const { code, stdout } = await type(...answers);
        assert.equal(code, 1, stdout);
        assert.match(stdout, said);
        assert.equal(await opens(OLD), true);
      });
    }

    test('the same password twice is set, and never shown', async () => {
      // A key that takes back the last one works, as it does in any line.
      const { code, stdout } = await type([first, `${NEW}x\x7f\r`], [second, `${NEW}\r`]);
      assert.equal(code, 0, stdout);
      assert.match(stdout, /The password of Administrator is set/);
      assert.ok(!stdout.includes('orchid'), stdout);
      assert.equal(await opens(NEW), true);
      assert.equal(await opens(OLD), false);
    });
  });

  test('one line on standard input is set', async () => {
    const other = 'candle by the window';
    const done = await spawnChancery(argv, { input: `${other}\r\n` }).finished;
    assert.equal(done.code, 0, done.stderr);
    assert.equal(await opens(other), true);
  });
});
