/** Traces and metrics by OTLP, at a receiver of the protocol: HTTP with JSON. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { temporaryFolder } from '../support/package.ts';
import { ENGINES } from '../support/postgres.ts';
import { WebhookReceiver } from '../support/receiver.ts';
import { spawnChancery } from '../support/server-process.ts';
import { startTestSite, type TestSite } from '../support/site.ts';

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number;
}

interface Attributes {
  readonly attributes?: readonly { readonly key: string; readonly value: Value }[];
}

interface OtlpSpan extends Attributes {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

interface OtlpMetric {
  readonly name: string;
  readonly sum?: { readonly isMonotonic: boolean };
  readonly gauge?: object;
  readonly histogram?: {
    readonly dataPoints: readonly {
      readonly count: number;
      readonly bucketCounts: readonly number[];
      readonly explicitBounds: readonly number[];
    }[];
  };
}

const of = ({ attributes = [] }: Attributes, key: string) => {
  const value = attributes.find((one) => one.key === key)?.value;
  return value?.stringValue ?? value?.intValue;
};

/** A collector that keeps what it gets. */
async function startCollector() {
  const spans: OtlpSpan[] = [];
  const metrics: OtlpMetric[] = [];
  const resources: Attributes[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      assert.equal(request.headers['content-type'], 'application/json');
      const body = JSON.parse(text);
      for (const { resource, scopeSpans } of body.resourceSpans ?? []) {
        resources.push(resource);
        for (const scope of scopeSpans) spans.push(...scope.spans);
      }
      for (const { scopeMetrics } of body.resourceMetrics ?? [])
        for (const scope of scopeMetrics) metrics.push(...scope.metrics);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return { spans, metrics, resources, url: `http://127.0.0.1:${port}`, stop: () => server.close() };
}

const CALLER = { trace: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' };

for (const engine of ENGINES)
  describe(`telemetry on ${engine}`, () => {
    let collector: Awaited<ReturnType<typeof startCollector>>;
    let receiver: WebhookReceiver;
    let site: TestSite;

    // Stopping sends what waits.
    before(async () => {
      collector = await startCollector();
      receiver = await WebhookReceiver.start();
      site = await startTestSite(engine, {
        worker: true,
        config: { telemetry: { ...DEFAULT_CONFIG.telemetry, endpoint: collector.url } },
      });
      const webhook = {
        webhook_doctype: 'Role',
        webhook_docevent: 'after_insert',
        request_url: receiver.url,
      };
      const made = await site.request('POST', '/api/resource/Webhook', { body: webhook });
      assert.equal(made.status, 200, made.text);
      await site.request('GET', '/health');
      const reply = await site.request('POST', '/api/resource/Role', {
        body: { role_name: 'Traced' },
        headers: { traceparent: `00-${CALLER.trace}-${CALLER.span}-01`, 'x-request-id': 'my-request' },
      });
      assert.equal(reply.status, 200, reply.text);
      await receiver.count(1);
      await site.stop();
    });
    after(async () => {
      await receiver?.close();
      collector?.stop();
    });

    const inTrace = () => collector.spans.filter(({ traceId }) => traceId === CALLER.trace);
    const named = (name: string) => {
      const found = inTrace().find((span) => span.name === name);
      assert.ok(found, `${name} in ${inTrace().map((span) => span.name)}`);
      return found;
    };

    test('a trace leads from the caller through SQL to the receiver of the webhook', () => {
      const request = named('POST /api/resource/:doctype');
      assert.equal(request.parentSpanId, CALLER.span);
      assert.equal(request.kind, 2);
      assert.equal(of(request, 'http.response.status_code'), 200);
      assert.equal(of(request, 'chancery.request_id'), 'my-request');
      const transaction = named('transaction');
      assert.equal(transaction.parentSpanId, request.spanId);
      const insert = named('insert Role');
      assert.equal(insert.parentSpanId, transaction.spanId);
      assert.match(String(of(insert, 'db.query.text')), /^insert into "Role"/);
      assert.doesNotMatch(JSON.stringify(inTrace()), /Traced/);
      const attempt = named('POST webhook');
      assert.equal(attempt.parentSpanId, request.spanId);
      const sent = String(receiver.received[0]?.headers['traceparent']);
      assert.equal(sent, `00-${CALLER.trace}-${attempt.spanId}-01`);
    });

    test('every span has ended, and probes have none', () => {
      for (const span of collector.spans)
        assert.ok(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano), span.name);
      assert.deepEqual(
        collector.spans.filter(({ name }) => name.includes('/health')),
        [],
      );
    });

    test('the resource names the service and the process', () => {
      const [resource] = collector.resources;
      assert.ok(resource);
      assert.equal(of(resource, 'service.name'), 'chancery');
      assert.ok(of(resource, 'service.instance.id'));
    });

    test('metrics have the types and the buckets of /metrics', () => {
      const metric = (name: string) => collector.metrics.find((one) => one.name === name);
      assert.equal(metric('chancery_http_requests_total')?.sum?.isMonotonic, true);
      assert.ok(metric('chancery_database_up')?.gauge);
      const [point] = metric('chancery_http_request_seconds')?.histogram?.dataPoints ?? [];
      assert.ok(point);
      assert.equal(point.bucketCounts.length, point.explicitBounds.length + 1);
      assert.equal(
        point.bucketCounts.map(Number).reduce((sum, count) => sum + count, 0),
        Number(point.count),
      );
    });
  });

test('a collector that is gone holds up neither requests nor a stop', async () => {
  const telemetry = { ...DEFAULT_CONFIG.telemetry, endpoint: 'http://127.0.0.1:1' };
  const site = await startTestSite('sqlite', { config: { telemetry } });
  assert.equal((await site.request('GET', '/api/resource/User')).status, 200);
  await site.stop();
});

test('an address that is none is refused', async () => {
  const env = { CHANCERY_TELEMETRY_ENDPOINT: 'localhost:4318' };
  const { code, stderr } = await spawnChancery(['--data', join(temporaryFolder('otlp'), 'data')], { env })
    .finished;
  assert.equal(code, 2);
  assert.match(stderr, /CHANCERY_TELEMETRY_ENDPOINT must be an address/);
});
