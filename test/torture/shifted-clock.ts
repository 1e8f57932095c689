/**
 * Loaded into a process of the sender before all else (`--import`): shifts its wall clock by the milliseconds
 * in the file that TORTURE_CLOCK names. `performance.now` stays, as the monotonic clock does when somebody
 * sets the time.
 */
import { readFileSync } from 'node:fs';

const RealDate = Date;
const file = process.env['TORTURE_CLOCK'] ?? '';
const LOOK_AGAIN = 20;
const realNow = RealDate.now;
let shift = read();
let readAt = realNow();

function read(): number {
  return Number(readFileSync(file, 'utf8')) || 0;
}

function now(): number {
  const real = realNow();
  if (real - readAt > LOOK_AGAIN) {
    shift = read();
    readAt = real;
  }
  return real + shift;
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: unknown[], newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RealDate(now()).toString(),
});
RealDate.now = now;
// A process that starts takes its time from the clock as it is then.
const origin = performance.timeOrigin + shift;
Object.defineProperty(performance, 'timeOrigin', { get: () => origin });
