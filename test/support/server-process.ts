import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inTheEnd, PATIENCE } from './until.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Finished {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const running = new Set<ChildProcess>();
// A test that fails leaves its server behind, which would hold up the run. Benchmarks have no test runner.
if (process.env['NODE_TEST_CONTEXT']) {
  after(() => {
    for (const child of running) child.kill('SIGKILL');
  });
}

/** A `chancery` in a process of its own. */
export interface ChanceryProcess {
  readonly child: ChildProcess;
  /** What it printed so far. */
  output(): string;
  /** What it wrote to standard error so far: a server's log. */
  errors(): string;
  /** Sends a signal and resolves once the process has ended. */
  end(signal: NodeJS.Signals): Promise<Finished>;
  readonly finished: Promise<Finished>;
}

export interface ServerProcess extends ChanceryProcess {
  readonly url: string;
}

export interface ProcessOptions {
  /** Added to the environment, which otherwise holds no CHANCERY_ variable and none of npm's. */
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input; null leaves it open, for the test to write to. */
  readonly input?: string | Buffer | null;
  /** The working directory, whose `bin/chancery.mjs` runs unless `command` names another. Default: this checkout. */
  readonly root?: string;
  /** What is called, with its first arguments. Default: this Node and `bin/chancery.mjs`. */
  readonly command?: readonly string[];
  /** Runs it in a process group of its own. */
  readonly ownGroup?: boolean;
  /** A command that runs the process, with its arguments, such as `unshare`. */
  readonly through?: readonly string[];
  /**
   * Milliseconds until it is killed, so that a process which hangs fails its test and holds up no run.
   * Default: 1,800,000 for a server; 480,000 for a command, so that it ends before its test.
   */
  readonly deadline?: number;
}

/**
 * Runs `chancery` with these arguments, from this checkout's sources. It stops without a grace unless `env`
 * sets one.
 */
export function spawnChancery(argv: readonly string[], options: ProcessOptions = {}): ChanceryProcess {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(CHANCERY|npm)_/i.test(name));
  const called = options.command ?? [process.execPath, 'bin/chancery.mjs'];
  const [command = '', ...words] = [...(options.through ?? []), ...called, ...argv];
  const child = spawn(command, words, {
    cwd: options.root ?? ROOT,
    detached: options.ownGroup ?? false,
    env: { ...Object.fromEntries(inherited), CHANCERY_SHUTDOWN_GRACE: '0', ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: options.deadline ?? 480_000,
    killSignal: 'SIGKILL',
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  // A process may end before it reads.
  child.stdin.on('error', () => {});
  if (options.input !== null) child.stdin.end(options.input ?? '');
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const finished = once(child, 'close').then(([code]): Finished => ({ code, stdout, stderr }));
  return {
    child,
    output: () => stdout,
    errors: () => stderr,
    finished,
    end(signal) {
      child.kill(signal);
      return inTheEnd(
        () => finished,
        () => `the end of ${argv.join(' ')} after ${signal}: ${stdout}${stderr}`,
      );
    },
  };
}

/** On a machine that is late a server of tests refuses nothing. */
const PATIENT = {
  CHANCERY_ADMISSION_PATIENCE: String(PATIENCE),
  CHANCERY_ADMISSION_LATENESS: '0',
  CHANCERY_LOG_SLOW_REQUESTS: '0',
};

/** Starts a server on a free port; resolves once it listens. Rejects with what it wrote when it ends instead. */
export async function startServerProcess(
  argv: readonly string[],
  options: ProcessOptions = {},
): Promise<ServerProcess> {
  const started = spawnChancery(['--port', '0', ...argv], {
    deadline: 1_800_000,
    ...options,
    env: { ...PATIENT, ...options.env },
  });
  const { stdout } = started.child;
  if (!stdout) throw new Error('the server has no standard output');
  const listening = new Promise<string>((resolve) => {
    createInterface({ input: stdout }).on('line', (line) => {
      const url = /listening on (http:\S+)/.exec(line)?.[1];
      if (url) resolve(url);
    });
  });
  const ended = started.finished.then(({ code, stderr }) => {
    throw new Error(`the server ended with ${code}: ${stderr}`);
  });
  // Only the race looks at this promise; a later end is no failure.
  ended.catch(() => {});
  const url = await inTheEnd(
    () => Promise.race([listening, ended]),
    () => `a server that listens: ${started.output()}${started.errors()}`,
  );
  return { ...started, url };
}

/** Whether a process of this machine has not ended. */
export function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
