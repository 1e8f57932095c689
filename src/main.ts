import { run } from './cli/cli.ts';

// Whoever reads the first lines only (`chancery help | head`) closes the pipe; that is no failure. Neither is
// a terminal that goes away: the server has SIGHUP to end in good order.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
  });
}

// No process.exit: what was printed must get out first.
process.exitCode = await run(process.argv.slice(2));
