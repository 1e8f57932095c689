import { ConfigError, loadConfig } from '../config/load-config.ts';
import { version } from '../config/version.ts';
import { UnusableDatabase } from '../db/unusable.ts';
import { ServiceError } from '../kernel/errors.ts';
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
    run: async ({ print }) => {
      print(version());
      return 0;
    },
  },
  help: {
    help: 'print this, or how one command is called',
    usage: ['[<command>]'],
    run: async ({ print, words: [name] }) => {
      const command = name === undefined ? undefined : findCommand(name);
      if (name !== undefined && !command) throw new UsageError(`${name} is not a command; see chancery help`);
      print(name !== undefined && command ? commandHelp(name, command) : helpText(COMMANDS));
      return 0;
    },
  },
};

const FLAG_COMMANDS: Readonly<Record<string, string>> = {
  '--help': 'help',
  '-h': 'help',
  '--version': 'version',
};

/** Runs the command line; resolves to the exit code: 0 done, 1 failed, 2 called wrongly. */
export async function run(argv: readonly string[]): Promise<number> {
  const asked = argv.find((word) => word in FLAG_COMMANDS);
  const first = argv[0] ?? 'serve';
  // Without a command the server starts: `chancery --port 9000`.
  const named = asked ? FLAG_COMMANDS[asked] : first.startsWith('-') ? 'serve' : first;
  const command = named === undefined ? undefined : findCommand(named);
  try {
    if (!command) throw new UsageError(`${first} is not a command; see chancery help`);
    // `chancery types --help` is `chancery help types`.
    const rest = asked
      ? argv.slice(0, findCommand(first) ? 1 : 0)
      : first.startsWith('-')
        ? argv
        : argv.slice(1);
    const loaded = loadConfig({ argv: rest, ...(command.flags ? { commandFlags: command.flags } : {}) });
    for (const warning of loaded.warnings) process.stderr.write(`Warning: ${warning}\n`);
    return await command.run({ ...loaded, print: (line) => void process.stdout.write(`${line}\n`) });
  } catch (error) {
    return explain(error);
  }
}

function findCommand(name: string): Command | undefined {
  return Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
}

// A person gets a sentence; only a bug shows its stack.
function explain(error: unknown): number {
  if (error instanceof UsageError || error instanceof ConfigError) {
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
  if (error instanceof StartError || error instanceof ServiceError || error instanceof UnusableDatabase) {
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  return 1;
}
