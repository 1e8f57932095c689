import { run } from './cli/cli.ts';

// No process.exit: what was printed must get out first.
process.exitCode = await run(process.argv.slice(2));
