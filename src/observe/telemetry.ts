import { hostname } from 'node:os';
import { LIMITS } from '../kernel/limits.ts';
import { within } from '../kernel/wait.ts';
import { SpanMaker } from './tracing.ts';

/** What sends traces and metrics to a collector. */
export interface Telemetry {
  readonly tracing: SpanMaker;
  /**
   * Sends the metrics that `collect` gives, in Prometheus's text format, once a minute from now on.
   * @returns how to send them once more and stop
   */
  sendMetrics(collect: () => Promise<readonly string[]>): () => Promise<void>;
  /** Sends the spans that wait, and stops. */
  stop(): Promise<void>;
}

/** Where telemetry goes, and about which process it is. */
export interface TelemetryOptions {
  readonly endpoint: string;
  readonly percent: number;
  readonly version: string;
  /** The number of this process among several. */
  readonly worker: number | null;
}

/**
 * Starts to send telemetry by OTLP over HTTP. The packages of OpenTelemetry are loaded here and nowhere else, so that a
 * server without telemetry spends no time or memory on them. They read the standard variables too, such as
 * `OTEL_SERVICE_NAME` and `OTEL_EXPORTER_OTLP_HEADERS`.
 */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const [api, traces, hooks, resources, exporter, { startMetrics }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('./otlp-metrics.ts'),
  ]);
  const { endpoint, percent, version, worker } = options;
  const resource = resources
    .defaultResource()
    .merge(
      resources.resourceFromAttributes({
        'service.name': 'chancery',
        'service.version': version,
        'service.instance.id': `${hostname()}-${process.pid}`,
        ...(worker === null ? {} : { 'chancery.worker': worker }),
      }),
    )
    .merge(
      resources.detectResources({ detectors: [resources.envDetector, resources.serviceNameEnvDetector] }),
    );
  const provider = new traces.TracerProvider({
    resource,
    sampler: new traces.ParentBasedSampler({ root: new traces.TraceIdRatioBasedSampler(percent / 100) }),
    spanProcessors: [
      new traces.BatchSpanProcessor({
        exporter: new exporter.OTLPTraceExporter({ url: `${endpoint}/v1/traces` }),
      }),
    ],
  });
  // Apps that use the API get the same provider and the same active span.
  const isFirst = api.context.setGlobalContextManager(new hooks.AsyncLocalStorageContextManager().enable());
  if (isFirst) api.trace.setGlobalTracerProvider(provider);

  return {
    tracing: new SpanMaker(api, provider.getTracer('chancery', version)),
    sendMetrics(collect) {
      const stop = startMetrics(`${endpoint}/v1/metrics`, resource, collect);
      return () => flushed(stop());
    },
    async stop() {
      await flushed(provider.shutdown());
      if (!isFirst) return;
      api.context.disable();
      api.trace.disable();
    },
  };
}

// A collector that does not answer must not hold up a stop.
async function flushed(sending: Promise<void>): Promise<void> {
  await within(
    LIMITS.telemetryFlush,
    sending.catch(() => {}),
  );
}
