import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PACKAGE } from '../kernel/code-place.ts';
import { type Random, systemRandom } from '../kernel/random.ts';
import { StartError } from '../site/start-error.ts';
import { type Command, type Invocation, runAction } from './command.ts';
import { PLACES, SERVICE, type ServiceProgram, serviceUnit } from './service-unit.ts';

/** Exists while systemd runs the machine: `sd_booted(3)`. */
const BOOTED = '/run/systemd/system';

/** The unit hides these from the service: `ProtectHome`, `PrivateTmp`. */
const HIDDEN = ['/home', '/root', '/run/user', '/tmp', '/var/tmp'];

export const serviceCommand: Command = {
  help: 'install the server as a systemd service with a user of its own; --print shows the unit and changes nothing',
  usage: ['install [--print]'],
  scope: 'none',
  run: (invocation) => runAction({ install }, invocation),
};

async function install({ flags, print }: Invocation): Promise<number> {
  const program = { node: realpathSync(process.execPath), script: scriptPath() };
  for (const path of Object.values(program)) requirePlain(path);
  if (flags['print'] === true) {
    print(serviceUnit(program).trimEnd());
    return 0;
  }
  requireSystemd();
  for (const path of Object.values(program)) requireVisible(path);
  makeUser();
  makeDirectories();
  const isFirst = writeEnvironment(systemRandom());
  writeFileSync(PLACES.unit, serviceUnit(program), { mode: 0o644 });
  requireSuccess('systemctl', ['daemon-reload']);
  requireSuccess('systemctl', ['enable', SERVICE]);
  for (const line of nextSteps(program, isFirst)) print(line);
  return 0;
}

function scriptPath(): string {
  return realpathSync(fileURLToPath(new URL('bin/chancery.mjs', PACKAGE)));
}

// systemd expands % and $, splits at spaces, and runs no executable with quotes in its path.
function requirePlain(path: string): void {
  if (!/^[\w./@+-]+$/.test(path))
    throw new StartError(`systemd cannot run ${path}: move it to a path of letters, digits, and ./@+-_`);
}

function requireSystemd(): void {
  if (!existsSync(BOOTED)) {
    throw new StartError(
      `systemd does not run this machine: there is no ${BOOTED}. In a container, run "chancery serve". ` +
        '"chancery service install --print" shows the unit.',
    );
  }
  if (process.getuid?.() !== 0)
    throw new StartError('Only root may install a service: run this command with sudo.');
}

/** Refuses a file that the user of the service could not read. */
function requireVisible(path: string): void {
  const remedy = 'Install Node and Chancery where every user can read them, such as /opt/chancery.';
  const hidden = HIDDEN.find((folder) => path.startsWith(`${folder}/`));
  if (hidden !== undefined)
    throw new StartError(`The service could not read ${path}: its unit hides ${hidden}. ${remedy}`);
  for (let folder = dirname(path); folder !== '/'; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0)
      throw new StartError(
        `The service could not read ${path}: ${folder} is closed to other users. ${remedy}`,
      );
  }
}

function makeUser(): void {
  if (spawnSync('id', ['-u', SERVICE]).status === 0) return;
  const flags = ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin'];
  requireSuccess('useradd', [...flags, '--home-dir', PLACES.data, SERVICE]);
}

function makeDirectories(): void {
  const makes: [path: string, mode: number, owner: string][] = [
    [PLACES.configuration, 0o750, `root:${SERVICE}`],
    [PLACES.data, 0o700, `${SERVICE}:${SERVICE}`],
  ];
  for (const [path, mode, owner] of makes) {
    if (existsSync(path)) continue;
    mkdirSync(path);
    requireSuccess('chown', [owner, path]);
    chmodSync(path, mode);
  }
}

/**
 * The credentials of the first start, so that the server prints none into the journal. An existing file stays. @returns
 * whether it was written
 */
function writeEnvironment(random: Random): boolean {
  if (existsSync(PLACES.environment)) return false;
  const secret = () => random.bytes(18).toString('base64url');
  const lines = [
    '# Variables of the service. Only root can read this file.',
    '# Used by the first start; later, change the password and the key in the server.',
    `CHANCERY_ADMIN_PASSWORD=${secret()}`,
    `CHANCERY_ADMIN_API_KEY=${random.hash(15)}:${secret()}`,
  ];
  writeFileSync(PLACES.environment, `${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx' });
  return true;
}

function requireSuccess(program: string, argv: readonly string[]): void {
  const done = spawnSync(program, argv, { encoding: 'utf8' });
  if (done.status === 0) return;
  const said = done.error?.message ?? done.stderr.trim();
  throw new StartError(`"${program} ${argv.join(' ')}" failed: ${said}`);
}

function nextSteps({ script }: ServiceProgram, isFirst: boolean): string[] {
  return [
    `Installed ${PLACES.unit}, which runs ${script}.`,
    ...(isFirst ? [`The password and the API key of Administrator are in ${PLACES.environment}.`] : []),
    `Settings: ${PLACES.environment} or ${PLACES.configuration}/chancery.config.json. Data: ${PLACES.data}.`,
    'Next:',
    `  systemctl restart ${SERVICE}`,
    `  journalctl -u ${SERVICE} -f`,
  ];
}
