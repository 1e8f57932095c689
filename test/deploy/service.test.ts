/** `chancery service install` and its unit, checked by systemd's own tools and in a mount namespace. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { PLACES, SERVICE, serviceUnit } from '../../src/cli/service-unit.ts';
import { ROOT, runProgram, temporaryFolder } from '../support/package.ts';
import { spawnChancery } from '../support/server-process.ts';

const folder = temporaryFolder('service');
const noSystemd = spawnSync('systemd-analyze', ['--version']).status !== 0 && 'there is no systemd-analyze';
const isRoot = process.getuid?.() === 0;
const noMounts = !(isRoot && spawnSync('unshare', ['--mount', 'true']).status === 0) && 'needs root';

describe('the unit', () => {
  test('systemd understands it, and rates its exposure 2.0 or better', { skip: noSystemd }, () => {
    const unit = join(folder, `${SERVICE}.service`);
    writeFileSync(unit, serviceUnit({ node: process.execPath, script: join(ROOT, 'bin/chancery.mjs') }));
    const verified = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
    assert.doesNotMatch(verified.stderr, /chancery/);
    // --threshold is in tenths; a worse unit ends with 1.
    runProgram('systemd-analyze', ['security', '--offline=true', '--threshold=20', unit], folder);
  });

  test('--print shows the unit and changes nothing', async () => {
    const { code, stdout } = await spawnChancery(['service', 'install', '--print']).finished;
    assert.equal(code, 0);
    const script = join(ROOT, 'bin/chancery.mjs');
    assert.equal(stdout, serviceUnit({ node: process.execPath, script }));
  });
});

/** Stands for a machine that systemd runs: the commands of it that change the running system are recorded. */
const MACHINE = `
set -e
mount -t tmpfs tmpfs /run
mkdir /run/etc /run/work /run/lib /run/opt /run/bin $BOOTED
mount -t overlay overlay -o lowerdir=/etc,upperdir=/run/etc,workdir=/run/work /etc
mount --bind /run/lib /var/lib
mount --bind /run/opt /opt
printf '#!/bin/sh\\necho "$@" >> /run/systemctl\\n' > /run/bin/systemctl
chmod 755 /run/bin/systemctl
export PATH=/run/bin:$PATH
mkdir /opt/chancery
touch /opt/node /opt/chancery/package.json
mount --bind $NODE /opt/node
mount --bind package.json /opt/chancery/package.json
for name in bin src node_modules; do
  mkdir /opt/chancery/$name
  mount --bind $name /opt/chancery/$name
done
cd /
`;

/** Runs shell commands on such a machine; `chancery` is a program installed for everybody. */
function onMachine(commands: string, { booted = '-p /run/systemd/system' } = {}) {
  const script = `${MACHINE.replace('$BOOTED', booted)}
chancery() { /opt/node /opt/chancery/bin/chancery.mjs "$@"; }
set +e
${commands}`;
  const done = spawnSync('unshare', ['--mount', 'bash', '-c', script], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, NODE: process.execPath },
  });
  assert.ifError(done.error);
  return done;
}

describe('installing the service', { skip: noMounts }, () => {
  test('writes the unit, the user, the directories and the first credentials', () => {
    const { stdout, stderr } = onMachine(`
chancery service install || exit 1
cat ${PLACES.unit}
echo ---
id -un ${SERVICE}; id -gn ${SERVICE}
stat -c '%n %a %U:%G' ${PLACES.unit} ${PLACES.configuration} ${PLACES.environment} ${PLACES.data}
cat /run/systemctl
echo ---
cat ${PLACES.environment}`);
    const [first = '', facts = '', environment = ''] = stdout.split('---\n');
    assert.equal(stderr, '');
    assert.ok(
      first.endsWith(serviceUnit({ node: '/opt/node', script: '/opt/chancery/bin/chancery.mjs' })),
      first,
    );
    assert.deepEqual(facts.trimEnd().split('\n'), [
      SERVICE,
      SERVICE,
      `${PLACES.unit} 644 root:root`,
      `${PLACES.configuration} 750 root:${SERVICE}`,
      `${PLACES.environment} 600 root:root`,
      `${PLACES.data} 700 ${SERVICE}:${SERVICE}`,
      'daemon-reload',
      `enable ${SERVICE}`,
    ]);
    assert.match(environment, /^CHANCERY_ADMIN_PASSWORD=[\w-]{24}$/m);
    assert.match(environment, /^CHANCERY_ADMIN_API_KEY=\w{15}:[\w-]{24}$/m);
  });

  test('a second installation renews the unit and keeps the settings', () => {
    const { stdout, stderr } = onMachine(`
chancery service install > /dev/null || exit 1
echo CHANCERY_PORT=9000 > ${PLACES.environment}
echo edited > ${PLACES.unit}
chancery service install
cat ${PLACES.environment}
grep -c ExecStart= ${PLACES.unit}`);
    assert.equal(stderr, '');
    assert.doesNotMatch(stdout, /password/);
    assert.match(stdout, /\nCHANCERY_PORT=9000\n1\n$/);
  });

  const refusals: readonly [name: string, commands: string, booted: string, said: RegExp][] = [
    [
      'where systemd does not run',
      'chancery service install',
      '/run/other',
      /there is no \/run\/systemd\/system/,
    ],
    [
      'to users other than root',
      'setpriv --reuid=65534 --clear-groups /opt/node /opt/chancery/bin/chancery.mjs service install',
      '-p /run/systemd/system',
      /Only root may install a service/,
    ],
    [
      'of a program that the unit hides',
      'mkdir /run/user && cp -r --parents /opt/chancery/bin /opt/chancery/src /opt/chancery/package.json /run/user && ln -s /opt/chancery/node_modules /run/user/opt/chancery/ && /opt/node /run/user/opt/chancery/bin/chancery.mjs service install',
      '-p /run/systemd/system',
      /its unit hides \/run\/user\. Install Node and Chancery where every user can read them/,
    ],
    [
      'of a program that only root can read',
      'chmod 700 /opt/chancery; chancery service install',
      '-p /run/systemd/system',
      /\/opt\/chancery is closed to other users/,
    ],
    [
      'of a program in a path that systemd would read differently',
      'mkdir "/opt/a b" && cp -r /opt/chancery/bin /opt/chancery/src /opt/chancery/package.json "/opt/a b" && ln -s /opt/chancery/node_modules "/opt/a b/" && /opt/node "/opt/a b/bin/chancery.mjs" service install',
      '-p /run/systemd/system',
      /systemd cannot run \/opt\/a b\/bin\/chancery\.mjs: move it/,
    ],
    [
      'when a step fails',
      'printf "#!/bin/sh\\necho no bus >&2; exit 1" > /run/bin/systemctl; chancery service install',
      '-p /run/systemd/system',
      /"systemctl daemon-reload" failed: no bus/,
    ],
  ];
  for (const [name, commands, booted, said] of refusals)
    test(`is refused ${name}`, () => {
      const { status, stderr } = onMachine(commands, { booted });
      assert.equal(status, 1);
      assert.match(stderr, said);
    });
});
