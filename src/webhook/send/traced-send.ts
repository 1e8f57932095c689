import { isRecord } from '../../kernel/value.ts';
import type { SpanMaker } from '../../observe/tracing.ts';
import type { Sender } from './deliver.ts';
import type { Delivery } from './delivery.ts';
import type { DeliveryRequest, Outcome } from './delivery-request.ts';
import { parseTrace } from './trace.ts';

/** Makes an attempt in a span below the request that caused the delivery. The receiver's spans are below this one. */
export async function sendTraced(
  tracing: SpanMaker,
  sender: Sender,
  delivery: Delivery,
  request: DeliveryRequest,
): Promise<Outcome> {
  const { method, url, headers } = request;
  const stored: unknown = JSON.parse(delivery.headers);
  const cause = isRecord(stored) ? parseTrace(stored['traceparent']) : null;
  const span = tracing.continue(cause, `${method} webhook`, 'client', {
    'http.request.method': method,
    // The path may be a secret, as in the URLs of Slack.
    'server.address': new URL(url).host,
    'chancery.delivery': delivery.name,
    'chancery.attempt': delivery.attempts + 1,
    'chancery.event': `${delivery.doctypeName}.${delivery.event}`,
  });
  const outcome = await span.within(() =>
    sender.send({ ...request, headers: { ...headers, traceparent: span.traceparent } }),
  );
  if (outcome.status > 0) span.set('http.response.status_code', outcome.status);
  span.end(outcome.error?.kind);
  return outcome;
}
