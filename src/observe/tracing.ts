import type { Attributes, Context, Span, SpanContext, SpanKind, Tracer } from '@opentelemetry/api';

/** A span in progress. */
export interface OpenSpan {
  /** The `traceparent` that continues the trace below this span. */
  readonly traceparent: string;
  /** Adds a fact. */
  set(name: string, value: string | number): void;
  /** Ends it; `problem` marks it as failed. */
  end(problem?: string): void;
  /** Runs `work` inside the span: spans that begin meanwhile are its children. */
  within<T>(work: () => T): T;
}

/** The parts of `@opentelemetry/api` that are needed at run time. It is loaded only for tracing. */
export interface TraceApi {
  readonly context: { active(): Context; with<T>(context: Context, work: () => T): T };
  readonly trace: {
    setSpan(context: Context, span: Span): Context;
    setSpanContext(context: Context, span: SpanContext): Context;
  };
  readonly ROOT_CONTEXT: Context;
}

/** SpanKind of `@opentelemetry/api`. */
const KINDS = { internal: 0, server: 1, client: 2 } satisfies Record<string, SpanKind>;
/** https://www.w3.org/TR/trace-context/ */
const PARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;
/** SpanStatusCode.ERROR. */
const ERROR = 2;

/** Makes spans. */
export class SpanMaker {
  readonly #api: TraceApi;
  readonly #tracer: Tracer;

  constructor(api: TraceApi, tracer: Tracer) {
    this.#api = api;
    this.#tracer = tracer;
  }

  /** Begins a span below the active one. */
  begin(name: string, kind: keyof typeof KINDS, attributes: Attributes): OpenSpan {
    return this.#open(name, kind, attributes, this.#api.context.active());
  }

  /** Begins a span that continues the trace of another process; null: a new trace. */
  continue(
    traceparent: string | null,
    name: string,
    kind: keyof typeof KINDS,
    attributes: Attributes,
  ): OpenSpan {
    const { trace, ROOT_CONTEXT } = this.#api;
    const [, traceId, spanId, flags] = PARENT.exec(traceparent ?? '') ?? [];
    const parent =
      traceId && spanId && flags
        ? trace.setSpanContext(ROOT_CONTEXT, {
            traceId,
            spanId,
            traceFlags: Number.parseInt(flags, 16) & 1,
            isRemote: true,
          })
        : ROOT_CONTEXT;
    return this.#open(name, kind, attributes, parent);
  }

  /** Runs `work` in a span below the active one, which ends with it. */
  async during<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
    const span = this.begin(name, 'client', attributes);
    try {
      const result = await span.within(work);
      span.end();
      return result;
    } catch (error) {
      span.end(error instanceof Error ? error.name : 'error');
      throw error;
    }
  }

  /** `work`, to be called by code that belongs to no request or to another, inside the span that is active now. */
  bind<A extends unknown[], T>(work: (...given: A) => T): (...given: A) => T {
    const { context } = this.#api;
    const active = context.active();
    return (...given) => context.with(active, () => work(...given));
  }

  #open(name: string, kind: keyof typeof KINDS, attributes: Attributes, parent: Context): OpenSpan {
    const { context, trace } = this.#api;
    const span = this.#tracer.startSpan(name, { kind: KINDS[kind], attributes }, parent);
    const inside = trace.setSpan(parent, span);
    const { traceId, spanId, traceFlags } = span.spanContext();
    return {
      traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
      set: (fact, value) => void span.setAttribute(fact, value),
      end(problem) {
        if (problem !== undefined) span.setStatus({ code: ERROR, message: problem });
        span.end();
      },
      within: (work) => context.with(inside, work),
    };
  }
}
