/** How often a process looks whether its parent is still there, milliseconds. */
const LOOK = 250;

/** A script of npm, or a call of npx, that ends with a call of chancery and leaves nothing running behind it. */
const CALL = /(^|[\s/\\'"])chancery(\.mjs)?['"]?(\s[^&;|]*)?$/;

/**
 * Sends this process SIGTERM when the process that started it has ended. npm runs chancery in a shell. Of SIGTERM it tells
 * only the shell, which ends and tells nobody. A process that something else started may outlive it.
 */
export function followParent() {
  const { CHANCERY_PARENT: starter, npm_lifecycle_script: script = '' } = process.env;
  delete process.env.CHANCERY_PARENT;
  if (starter === undefined && !CALL.test(script)) return;
  const parent = starter === undefined ? process.ppid : Number(starter);
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK);
  watch.unref();
}
