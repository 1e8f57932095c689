import { spawn } from 'node:child_process';
import { needsLibrary, refuse } from './runtime.mjs';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** How the loader of Linux ends a program whose libraries are missing, after it named one. Chancery never ends so. */
const UNLOADABLE = 127;

/**
 * Runs a script on another Node, with the flags and arguments of this process, and ends as it ends. Signals to this process are
 * signals to that one.
 */
export function runOn(node, script) {
  const child = spawn(node, [...process.execArgv, script, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, CHANCERY_PARENT: String(process.pid) },
  });
  const passOn = (signal) => child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, passOn);
  child.on('error', (error) => refuse(`${node} cannot be run: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (code === UNLOADABLE) refuse(needsLibrary(node));
    if (signal === null) process.exit(code);
    for (const one of SIGNALS) process.off(one, passOn);
    process.kill(process.pid, signal);
  });
}
