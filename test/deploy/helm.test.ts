/** The chart in deploy/helm: by Helm itself, against the types of Kubernetes, and against the server's own facts. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { PLACES, STOP_SECONDS } from '../../src/cli/service-unit.ts';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { HEALTH, READY } from '../../src/http/service/addresses.ts';
import { ROOT, runProgram, temporaryFolder } from '../support/package.ts';
import { blocksOf } from '../support/page.ts';
import { spawnChancery } from '../support/server-process.ts';

const CHART = join(ROOT, 'deploy/helm/chancery');
const HELM = process.env['HELM_PATH'] ?? 'helm';
const MODELS = join(ROOT, 'node_modules/kubernetes-models');
const noHelm = spawnSync(HELM, ['version']).status !== 0 && 'there is no Helm: see CONTRIBUTING.md';
const noModels = !existsSync(MODELS) && 'there are no kubernetes-models: npm ci';

const folder = temporaryFolder('helm');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const [page] = blocksOf(join(ROOT, 'docs/guide/deploy.md')).filter(({ info }) => info[1] === 'values.yaml');
assert.ok(page);

interface Variable {
  readonly name: string;
  readonly value?: string;
}

interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly Variable[];
  readonly ports?: readonly { readonly containerPort: number }[];
  readonly livenessProbe?: { readonly httpGet: { readonly path: string } };
  readonly startupProbe?: { readonly httpGet: { readonly path: string } };
  readonly readinessProbe?: { readonly httpGet: { readonly path: string } };
  readonly volumeMounts: readonly { readonly mountPath: string }[];
  readonly securityContext: object;
}

interface Pod {
  readonly enableServiceLinks: boolean;
  readonly automountServiceAccountToken: boolean;
  readonly securityContext: { readonly runAsUser: number; readonly runAsNonRoot: boolean };
  readonly terminationGracePeriodSeconds?: number;
  readonly containers: readonly Container[];
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly replicas?: number;
    readonly selector?: object;
    readonly template?: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: Pod;
    };
  };
}

/** Values that set as little as possible. */
const NEEDED = {
  image: { repository: 'registry.example.com/chancery' },
  secret: { name: 'chancery' },
  files: { url: 's3://files/chancery?region=eu-central-1' },
};

const VARIANTS: Readonly<Record<string, object>> = {
  'the values of the page': parse(page.text) as object,
  'the least values': NEEDED,
  'all values': {
    image: { ...NEEDED.image, tag: '1.2' },
    imagePullSecrets: [{ name: 'pull' }],
    secret: {
      name: 'chancery',
      keys: [
        'CHANCERY_DATABASE',
        'CHANCERY_DATABASE_REPLICAS',
        'CHANCERY_SECRET_KEY',
        'CHANCERY_METRICS_TOKEN',
      ],
    },
    files: { existingClaim: 'files' },
    settings: { CHANCERY_TRUST_PROXY: '10.0.0.0/8', CHANCERY_UPLOADS_MAX_BYTES: '104857600' },
    extraEnv: [{ name: 'AWS_ACCESS_KEY_ID', valueFrom: { secretKeyRef: { name: 's3', key: 'id' } } }],
    serve: { autoscaling: { enabled: true } },
    work: { replicas: 2 },
    networkPolicy: {
      from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } }],
      egress: [
        { to: [{ podSelector: { matchLabels: { app: 'postgres' } } }], ports: [{ port: 5432 }] },
        { to: [{ ipBlock: { cidr: '10.0.0.9/32' } }] },
      ],
    },
    ingress: {
      enabled: true,
      className: 'traefik',
      host: 'chancery.example.com',
      tlsSecret: 'tls',
      annotations: { 'cert-manager.io/cluster-issuer': 'letsencrypt' },
    },
    podAnnotations: { 'example.com/team': 'docs' },
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'docs', operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
    extraVolumes: [{ name: 'ca', configMap: { name: 'ca' } }],
    extraVolumeMounts: [{ name: 'ca', mountPath: '/etc/ca', readOnly: true }],
  },
};

function valuesFile(values: object): string {
  const path = join(folder, 'values.json');
  writeFileSync(path, JSON.stringify(values));
  return path;
}

const made = new Map<object, readonly Manifest[]>();

/** Read as version 1.1 of YAML, like Helm and Kubernetes do: 0440 is octal there. */
function rendered(values: object): readonly Manifest[] {
  const known = made.get(values);
  if (known) return known;
  const text = runProgram(HELM, ['template', 'site', CHART, '--values', valuesFile(values)], ROOT);
  const manifests = parseAllDocuments(text, { version: '1.1' }).map(
    (document) => document.toJS() as Manifest,
  );
  made.set(values, manifests);
  return manifests;
}

const podsOf = (manifests: readonly Manifest[]) => manifests.flatMap(({ spec }) => spec.template?.spec ?? []);
const deploymentsOf = (manifests: readonly Manifest[]) =>
  manifests.filter(({ kind }) => kind === 'Deployment');
const variablesOf = ({ containers: [container] }: Pod) =>
  Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value ?? '']));

test('the version of the chart is that of the package', () => {
  const { appVersion } = parse(read('deploy/helm/chancery/Chart.yaml')) as { appVersion: string };
  assert.equal(appVersion, (JSON.parse(read('package.json')) as { version: string }).version);
});

describe('the chart', { skip: noHelm }, () => {
  for (const [name, values] of Object.entries(VARIANTS))
    test(`passes helm lint with ${name}`, () => {
      runProgram(HELM, ['lint', '--strict', CHART, '--values', valuesFile(values)], ROOT);
    });

  test('makes objects that Kubernetes knows, without unknown fields', { skip: noModels }, () => {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
    const sources = Object.values(VARIANTS)
      .flatMap(rendered)
      .map(
        (manifest, index) =>
          `import type { I${manifest.kind} as Type${index} } from 'kubernetes-models/${manifest.apiVersion}/${manifest.kind}';\n` +
          `export const object${index}: Type${index} = ${JSON.stringify(manifest, null, 1)};\n`,
      );
    assert.ok(sources.length > 15);
    writeFileSync(join(folder, 'objects.ts'), sources.join(''));
    const flags = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', ''];
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    runProgram(process.execPath, [compiler, ...flags, 'objects.ts'], folder);
  });

  test('runs pods that read only, as the user of the image, with time to stop', () => {
    const user = /^USER (\d+):\d+$/m.exec(read('Dockerfile'))?.[1];
    for (const pod of Object.values(VARIANTS).flatMap((values) => podsOf(rendered(values)))) {
      assert.equal(String(pod.securityContext.runAsUser), user);
      assert.equal(pod.securityContext.runAsNonRoot, true);
      assert.equal(pod.automountServiceAccountToken, false);
      // Otherwise Kubernetes sets CHANCERY_PORT to the address of a service of this name.
      assert.equal(pod.enableServiceLinks, false);
      const [container] = pod.containers;
      assert.deepEqual(container?.securityContext, {
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
      const mounts = container?.volumeMounts.map(({ mountPath }) => mountPath) ?? [];
      for (const path of [PLACES.data, '/tmp', '/run/secrets/chancery'])
        assert.ok(mounts.includes(path), path);
      if (container?.args[0] !== 'serve') continue;
      const grace = Number(variablesOf(pod)['CHANCERY_SHUTDOWN_GRACE']) / 1_000;
      const needed = STOP_SECONDS - DEFAULT_CONFIG.shutdown.grace / 1_000 + grace;
      assert.ok(Number(pod.terminationGracePeriodSeconds) >= needed, `${needed}`);
      assert.equal(container.ports?.[0]?.containerPort, DEFAULT_CONFIG.port);
      assert.equal(container.livenessProbe?.httpGet.path, HEALTH.path);
      assert.equal(container.startupProbe?.httpGet.path, HEALTH.path);
      assert.equal(container.readinessProbe?.httpGet.path, READY.path);
    }
  });

  test('divides the roles, and sends requests only to those that answer', () => {
    const roles = (values: object) =>
      Object.fromEntries(
        deploymentsOf(rendered(values)).map(({ metadata, spec }) => [
          metadata.name,
          spec.template && variablesOf(spec.template.spec)['CHANCERY_ROLE'],
        ]),
      );
    const divided = { ...NEEDED, work: { replicas: 2 } };
    assert.deepEqual(roles(NEEDED), { 'site-chancery-serve': 'all' });
    assert.deepEqual(roles(divided), { 'site-chancery-serve': 'serve', 'site-chancery-work': 'work' });
    const manifests = rendered(divided);
    const service = manifests.find(({ kind }) => kind === 'Service')?.spec.selector;
    const served = manifests.filter(({ spec }) => {
      const labels = spec.template?.metadata.labels ?? {};
      return spec.template && Object.entries(service ?? {}).every(([key, value]) => labels[key] === value);
    });
    assert.deepEqual(
      served.map(({ metadata }) => metadata.name),
      ['site-chancery-serve'],
    );
  });

  test('migrates before anything else changes', () => {
    const hook = rendered(NEEDED).find(({ kind }) => kind === 'Job');
    assert.equal(hook?.metadata.annotations?.['helm.sh/hook'], 'pre-install,pre-upgrade');
    assert.deepEqual(hook?.spec.template?.spec.containers[0]?.args, ['migrate']);
  });

  test('leaves the number of servers to the autoscaler', () => {
    const replicas = (values: object) => deploymentsOf(rendered(values)).map(({ spec }) => spec.replicas);
    assert.deepEqual(replicas(NEEDED), [3]);
    assert.deepEqual(replicas({ ...NEEDED, serve: { autoscaling: { enabled: true } } }), [undefined]);
  });

  test('sets variables that the server accepts, with secrets from the mounted files', async () => {
    const secrets = join(folder, 'secrets');
    mkdirSync(secrets);
    const values: Readonly<Record<string, string>> = {
      CHANCERY_DATABASE: 'postgres://chancery:sesame@db/chancery\n',
      CHANCERY_DATABASE_REPLICAS:
        'postgres://chancery:sesame@db2/chancery,postgres://chancery:sesame@db3/chancery\n',
      CHANCERY_SECRET_KEY: `${Buffer.alloc(32, 7).toString('base64')}\n`,
      CHANCERY_ADMIN_PASSWORD: 'a long password of tests',
      CHANCERY_ADMIN_API_KEY: 'administrator:secret-0123456789',
      CHANCERY_METRICS_TOKEN: 'a-long-random-token',
    };
    for (const [name, value] of Object.entries(values)) writeFileSync(join(secrets, name), value);
    let replicated = 0;
    for (const [name, variant] of Object.entries(VARIANTS)) {
      const [pod] = podsOf(deploymentsOf(rendered(variant)));
      assert.ok(pod);
      const env = Object.fromEntries(
        Object.entries(variablesOf(pod)).map(([key, value]) => [
          key,
          value.replace('/run/secrets/chancery', secrets),
        ]),
      );
      const { code, stdout, stderr } = await spawnChancery(['config', '--print'], { env }).finished;
      assert.equal(code, 0, `${name}: ${stderr}`);
      assert.match(stdout, /"database": "postgres:\/\/chancery:[^s]*@db\/chancery"/);
      const keys = Object.keys(env).filter((key) => key === 'CHANCERY_DATABASE_REPLICAS_FILE');
      assert.equal(stdout.match(/@db[23]\/chancery"/g)?.length ?? 0, 2 * keys.length);
      replicated += keys.length;
    }
    assert.equal(replicated, 1);
  });

  const refused: readonly [name: string, values: object, said: RegExp][] = [
    ['no image', { ...NEEDED, image: {} }, /image\.repository: name the image/],
    ['no Secret', { ...NEEDED, secret: {} }, /secret\.name: name the Secret/],
    ['no place for files', { ...NEEDED, files: {} }, /files: set either url or existingClaim/],
    [
      'two places for files',
      { ...NEEDED, files: { url: 's3://a', existingClaim: 'b' } },
      /files: set either/,
    ],
    ['no secret key', { ...NEEDED, secret: { name: 's', keys: ['CHANCERY_DATABASE'] } }, /secret.keys/],
    ['a number', { ...NEEDED, settings: { CHANCERY_WORKERS: 2 } }, /CHANCERY_WORKERS/],
    ['a setting of the chart', { ...NEEDED, settings: { CHANCERY_ROLE: 'work' } }, /CHANCERY_ROLE/],
    [
      'a secret twice',
      { ...NEEDED, settings: { CHANCERY_DATABASE: 'postgres://db/c' } },
      /secret\.keys has it/,
    ],
    ['an unknown value', { ...NEEDED, replicas: 3 }, /replicas/],
    [
      'an ingress without host',
      { ...NEEDED, ingress: { enabled: true } },
      /ingress\.host: name the site's host/,
    ],
  ];
  for (const [name, values, said] of refused)
    test(`refuses ${name}`, () => {
      const argv = ['template', 'site', CHART, '--values', valuesFile(values)];
      const { status, stderr } = spawnSync(HELM, argv, { encoding: 'utf8' });
      assert.notEqual(status, 0);
      assert.match(stderr, said);
    });
});
