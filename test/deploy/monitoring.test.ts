/** The alert rules and the dashboard, against the metrics of a server and by Prometheus's own tool. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parse } from 'yaml';
import type { Replicas } from '../../src/db/database.ts';
import { recordRun } from '../../src/site/backup-runs.ts';
import { ROOT, runProgram } from '../support/package.ts';
import { startTestSite, type TestSite } from '../support/site.ts';

const RULES = join(ROOT, 'deploy/prometheus');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const noPromtool = spawnSync('promtool', ['--version']).status !== 0 && 'there is no promtool';

describe('promtool', { skip: noPromtool }, () => {
  test('accepts the alert rules', () =>
    void runProgram('promtool', ['check', 'rules', 'alerts.yaml'], RULES));

  test('sees each alert fire when it should, and none otherwise', () =>
    void runProgram('promtool', ['test', 'rules', 'alerts.test.yaml'], RULES));
});

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly expr: string }[];
}

const rules = (parse(read('deploy/prometheus/alerts.yaml')) as Rules).groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(read('deploy/grafana/chancery.json')) as { panels: readonly Panel[] };

/** One that is used. test/fault/replicas.test.ts has real ones. */
const REPLICAS: Pick<Replicas, 'reads' | 'figures'> = {
  reads: { replica: 1, primary: 1 },
  figures: async () => [{ host: 'db2:5432', problem: null, behind: 0 }],
};

test('the tests of the rules let every alert fire', () => {
  const tested = read('deploy/prometheus/alerts.test.yaml');
  const forgotten = rules.filter(({ alert }) => !tested.includes(`alertname="${alert}"`));
  assert.deepEqual(forgotten, []);
});

test('panels of the dashboard have ids of their own, and do not overlap', () => {
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
  );
  assert.equal(new Set(cells).size, cells.length);
});

describe('the metrics of a server', () => {
  let site: TestSite;
  before(async () => {
    site = await startTestSite('sqlite');
    Object.defineProperty(site.site.database, 'replicas', { value: REPLICAS });
    const started = Date.now();
    const run = { status: 'Succeeded', backup: 'one', started, seconds: 1 } as const;
    for (const kind of ['Backup', 'Rehearsal'] as const) {
      await recordRun(site.site, { ...run, kind, moment: started, problems: [] });
    }
  });
  after(() => site?.stop());

  test('include all metrics, labels and kinds of work that alerts and panels name', async () => {
    await site.request('GET', '/api/resource/User');
    await site.request('GET', '/api/resource/User/Administrator');
    await site.request('POST', '/api/resource/Role', { body: { role_name: 'R' } });
    const { text } = await site.request('GET', '/metrics');
    const series = [...text.matchAll(/^([a-z_]+)(?:\{(.*)\})? \S+$/gm)].map(([, name = '', labels = '']) => ({
      name,
      labels: [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label),
    }));
    const labelsOf = new Map(series.map(({ name, labels }) => [name, labels]));
    const expressions = [...rules, ...panels.flatMap(({ targets }) => targets)].map(({ expr }) => expr);
    const named = expressions.flatMap((expr) => [
      ...expr.matchAll(/\b((?:chancery|process|nodejs)_[a-z_]+)/g),
    ]);
    const missing = named.flatMap(([, name = '']) => (labelsOf.has(name) ? [] : [name]));
    assert.deepEqual(missing, []);

    // Prometheus adds job and instance, and several workers add worker.
    const known = new Set([...labelsOf.values()].flat().concat('job', 'instance'));
    const labels = expressions.flatMap((expr) =>
      [...expr.matchAll(/(?:by \(|[{,] ?)(\w+)(?==|\)|, )/g)].map(([, label = '']) => label),
    );
    assert.ok(labels.length > 10);
    assert.deepEqual(
      labels.filter((label) => !known.has(label)),
      [],
    );
  });
});
