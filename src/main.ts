import { run } from './cli/cli.ts';

// Whoever reads the first lines only (`chancery help | head`) closes the pipe; that is no failure.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

// No process.exit: what was printed must get out first.
process.exitCode = await run(process.argv.slice(2));
