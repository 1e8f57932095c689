import { ConfigError, loadConfig } from '../config/load-config.ts';
import { version } from '../config/version.ts';
import { workerNumber } from '../config/worker-number.ts';
import { UnusableDatabase } from '../db/unusable.ts';
import { ServiceError } from '../kernel/errors.ts';
import { nearMiss } from '../kernel/near-miss.ts';
import { StartError } from '../site/start-error.ts';
import { type Command, UsageError } from './command.ts';
import { commandHelp, helpText } from './help.ts';
import { checkCall, flagsOf } from './usage.ts';

// Each is loaded when it is called: the server takes ten times as long to load as a look at the version.
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serveCommand,
  health: async () => (await import('./health.ts')).healthCommand,
  service: async () => (await import('./service.ts')).serviceCommand,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  upgrade: async () => (await import('./upgrade.ts')).upgradeCommand,
  config: async () => (await import('./config.ts')).configCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
  'api-key': async () => (await import('./api-key.ts')).apiKeyCommand,
  user: async () => (await import('./user.ts')).userCommand,
  secrets: async () => (await import('./secrets.ts')).secretsCommand,
  doctypes: async () => (await import('./doctypes.ts')).doctypesCommand,
  export: async () => (await import('./export.ts')).exportCommand,
  files: async () => (await import('./files.ts')).filesCommand,
  backup: async () => (await import('./backup.ts')).backupCommand,
  restore: async () => (await import('./restore.ts')).restoreCommand,
  import: async () => (await import('./import.ts')).importCommand,
  explain: async () => (await import('./explain.ts')).explainCommand,
  types: async () => (await import('./types.ts')).typesCommand,
  'new-app': async () => (await import('./new-app.ts')).newAppCommand,
  version: async () => ({
    help: 'print the version',
    scope: 'none',
    run: async ({ print }) => {
      print(version());
      return 0;
    },
  }),
  help: async () => ({
    help: 'show this help, or the help of one command',
    usage: ['[<command>]'],
    scope: 'none',
    run: async ({ print, words: [name] }) => {
      print(
        name === undefined ? helpText(await allCommands()) : commandHelp(name, await requireCommand(name)),
      );
      return 0;
    },
  }),
};

const FLAG_COMMANDS: Readonly<Record<string, string>> = {
  '--help': 'help',
  '-h': 'help',
  '--version': 'version',
};

/** The output streams of a command: a process or a substitute. */
export interface Output {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** Runs the command line. Resolves to the exit code: 0 success, 1 failure, 2 usage error. */
export async function run(argv: readonly string[], output: Output = process): Promise<number> {
  const asked = argv.find((word) => Object.hasOwn(FLAG_COMMANDS, word));
  const first = argv[0] ?? 'serve';
  // Without a command, the server starts: `chancery --port 9000`.
  const named = asked ? FLAG_COMMANDS[asked] : first.startsWith('-') ? 'serve' : first;
  try {
    const command = await requireCommand(named ?? first);
    // `chancery types --help` means `chancery help types`.
    const rest = asked
      ? argv.slice(0, isCommand(first) ? 1 : 0)
      : first.startsWith('-')
        ? argv
        : argv.slice(1);
    return await call(named ?? first, command, rest, output);
  } catch (error) {
    return explain(error, output);
  }
}

async function call(
  name: string,
  command: Command,
  argv: readonly string[],
  output: Output,
): Promise<number> {
  const { usage = [''], scope = 'site' } = command;
  const loaded = loadConfig({ argv, commandFlags: flagsOf(usage), scope });
  checkCall(name, usage, loaded);
  // The supervisor of a worker has shown them.
  const warnings = workerNumber() === null ? loaded.warnings : [];
  for (const warning of warnings) output.stderr.write(`Warning: ${warning}\n`);
  return command.run({ ...loaded, print: (line) => void output.stdout.write(`${line}\n`) });
}

async function requireCommand(name: string): Promise<Command> {
  const load = isCommand(name) ? COMMANDS[name] : undefined;
  if (load) return load();
  const meant = nearMiss(name, Object.keys(COMMANDS));
  throw new UsageError(
    `${name} is not a command. ${meant ? `Did you mean chancery ${meant}?` : 'See chancery help'}`,
  );
}

function isCommand(name: string): boolean {
  return Object.hasOwn(COMMANDS, name);
}

async function allCommands(): Promise<Readonly<Record<string, Command>>> {
  const loading = Object.entries(COMMANDS).map(async ([name, load]) => [name, await load()] as const);
  return Object.fromEntries(await Promise.all(loading));
}

// Prints one sentence; only a bug prints its stack.
function explain(error: unknown, { stderr }: Output): number {
  if (error instanceof UsageError || error instanceof ConfigError) {
    stderr.write(`${error.message}\n`);
    return 2;
  }
  if (error instanceof StartError || error instanceof ServiceError || error instanceof UnusableDatabase) {
    stderr.write(`${error.message}\n`);
    return 1;
  }
  stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  return 1;
}
