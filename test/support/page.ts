import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { userEnvironment } from './package.ts';
import { inTheEnd } from './until.ts';

/** A fenced block of a page. */
export interface Block {
  /** Words after the fence: the language, then what the block is. */
  readonly info: readonly string[];
  readonly text: string;
  /** For messages: `first-app.md:12`. */
  readonly place: string;
}

/** The fenced blocks of a Markdown file, in order. */
export function blocksOf(path: string): Block[] {
  const page = readFileSync(path, 'utf8');
  return [...page.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    info: (match[1] ?? '').split(' ').filter(Boolean),
    text: match[2] ?? '',
    place: `${path}:${page.slice(0, match.index).split('\n').length}`,
  }));
}

export interface Ran {
  readonly stdout: string;
  /** Of each curl, in order. */
  readonly statuses: readonly number[];
}

export interface Background {
  /** What it wrote so far. */
  output(): string;
  /** Resolves to what it wrote, once that matches. Rejects when the program ends instead. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  /** As Ctrl+C does. */
  stop(): Promise<void>;
}

/** Somebody who types the blocks of a page into a terminal. */
export interface Reader {
  /** Replaced in every block from now on. */
  readonly replacements: Map<string, string>;
  run(block: Block): Promise<Ran>;
  start(block: Block): Background;
  /** Ends what still runs. */
  leave(): Promise<void>;
}

export function pageReader(cwd: string, variables: Readonly<Record<string, string>> = {}): Reader {
  const home = mkdtempSync(join(tmpdir(), 'chancery-home-'));
  // curl says each status, apart from what it prints.
  writeFileSync(join(home, '.curlrc'), 'write-out = "%{stderr}status %{http_code}\\n"\n');
  const env = { ...userEnvironment(), CURL_HOME: home, ...variables };
  const replacements = new Map<string, string>();
  const running: Background[] = [];
  let assignments = '';

  const typed = ({ text }: Block) =>
    [...replacements].reduce((result, [from, to]) => result.replaceAll(from, to), text);
  const shell = (script: string) =>
    // A group of its own, so that Ctrl+C reaches everything in it.
    spawn('bash', ['-c', script], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });

  return {
    replacements,
    async run(block) {
      const text = typed(block);
      const child = shell(`set -e\n${assignments}${text}`);
      const output = collect(child);
      const [code] = await inTheEnd(
        () => once(child, 'close'),
        () => `the end of ${block.place}\n${text}${output().stdout}${output().stderr}`,
      );
      const { stdout, stderr } = output();
      assert.equal(code, 0, `${block.place}\n${text}${stdout}${stderr}`);
      assignments += text.match(/^[A-Z]+=.*\n/gm)?.join('') ?? '';
      const statuses = [...stderr.matchAll(/^status (\d+)$/gm)].map((match) => Number(match[1]));
      return { stdout, statuses };
    },
    start(block) {
      const started = background(shell(assignments + typed(block)), block.place);
      running.push(started);
      return started;
    },
    async leave() {
      for (const started of running) await started.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function background(child: ChildProcess, place: string): Background {
  const output = collect(child);
  const ended = once(child, 'close');
  const text = () => output().stdout + output().stderr;
  return {
    output: text,
    async until(pattern) {
      for (;;) {
        const found = pattern.exec(text());
        if (found) return found;
        assert.equal(child.exitCode ?? child.signalCode, null, `${place} ended: ${text()}`);
        // Whichever comes first is a reason to look again.
        await inTheEnd(
          () =>
            Promise.race([once(child.stdout ?? child, 'data'), once(child.stderr ?? child, 'data'), ended]),
          () => `${pattern} of ${place}: ${text()}`,
        );
      }
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
        process.kill(-child.pid, 'SIGINT');
      }
      await inTheEnd(
        () => ended,
        () => `the end of ${place} after SIGINT: ${text()}`,
      );
    },
  };
}

function collect(child: ChildProcess) {
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => {
    output.stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    output.stderr += chunk;
  });
  return () => output;
}

/** That a reply has what a page says it has: every key and row shown, and maybe more. */
export function assertShows(actual: unknown, shown: unknown, message: string): void {
  if (Array.isArray(shown)) {
    assert.ok(
      Array.isArray(actual) && actual.length === shown.length,
      `${message}\n${JSON.stringify(actual)}`,
    );
    for (const [index, each] of shown.entries()) assertShows(actual[index], each, message);
  } else if (typeof shown === 'object' && shown !== null) {
    assert.ok(typeof actual === 'object' && actual !== null, message);
    const fields = new Map(Object.entries(actual));
    for (const [key, each] of Object.entries(shown)) assertShows(fields.get(key), each, `${message}: ${key}`);
  } else assert.equal(actual, shown, message);
}
