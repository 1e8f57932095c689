import { ConfigError, loadConfig } from '../config/load-config.ts';
import { version } from '../config/version.ts';
import { UnusableDatabase } from '../db/unusable.ts';
import { ServiceError } from '../kernel/errors.ts';
import { nearMiss } from '../kernel/near-miss.ts';
import { StartError } from '../site/start-error.ts';
import { apiKeyCommand } from './api-key.ts';
import { type Command, UsageError } from './command.ts';
import { configCommand } from './config.ts';
import { doctorCommand } from './doctor.ts';
import { explainCommand } from './explain.ts';
import { filesCommand } from './files.ts';
import { commandHelp, helpText } from './help.ts';
import { migrateCommand } from './migrate.ts';
import { newAppCommand } from './new-app.ts';
import { secretsCommand } from './secrets.ts';
import { serveCommand } from './serve.ts';
import { typesCommand } from './types.ts';
import { checkCall, flagsOf } from './usage.ts';
import { userCommand } from './user.ts';

const COMMANDS: Readonly<Record<string, Command>> = {
  serve: serveCommand,
  migrate: migrateCommand,
  config: configCommand,
  doctor: doctorCommand,
  'api-key': apiKeyCommand,
  user: userCommand,
  secrets: secretsCommand,
  files: filesCommand,
  explain: explainCommand,
  types: typesCommand,
  'new-app': newAppCommand,
  version: {
    help: 'print the version',
    scope: 'none',
    run: async ({ print }) => {
      print(version());
      return 0;
    },
  },
  help: {
    help: 'show this help, or that of one command',
    usage: ['[<command>]'],
    scope: 'none',
    run: async ({ print, words: [name] }) => {
      print(name === undefined ? helpText(COMMANDS) : commandHelp(name, requireCommand(name)));
      return 0;
    },
  },
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
    const command = requireCommand(named ?? first);
    // `chancery types --help` means `chancery help types`.
    const rest = asked
      ? argv.slice(0, findCommand(first) ? 1 : 0)
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
  for (const warning of loaded.warnings) output.stderr.write(`Warning: ${warning}\n`);
  return command.run({ ...loaded, print: (line) => void output.stdout.write(`${line}\n`) });
}

function requireCommand(name: string): Command {
  const command = findCommand(name);
  if (command) return command;
  const meant = nearMiss(name, Object.keys(COMMANDS));
  throw new UsageError(
    `${name} is not a command. ${meant ? `Did you mean chancery ${meant}?` : 'See chancery help'}`,
  );
}

function findCommand(name: string): Command | undefined {
  return Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
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
