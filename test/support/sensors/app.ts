import type { Fields } from '../../../src/kernel/value.ts';
import { type App, defineApp } from '../../../src/site/app.ts';

export interface Sensors {
  readonly app: App;
  /** What the virtual doctype Sensor shows, by name: whatever a test puts here. */
  readonly stored: Map<string, Fields>;
  /** Pages of Gauge that were asked for: `[start, limit, filtered field…]`. */
  readonly asked: unknown[][];
}

/** An app with doctypes that have no table: Sensor from a map, Gauge a thousand numbers made page by page. */
export function sensors(): Sensors {
  const stored = new Map<string, Fields>();
  const asked: unknown[][] = [];
  const app = defineApp({
    name: 'sensors',
    doctypes: new URL('./doctypes/', import.meta.url),
    controllers: {
      Sensor: {
        list: () => [...stored.values()],
        read: (_ctx, name) => stored.get(name) ?? null,
        create(_ctx, doc) {
          // As a store that gives names and times itself.
          const name = doc.name.toLowerCase();
          stored.set(name, { ...doc, name });
          return { name };
        },
        update(_ctx, doc) {
          stored.set(doc.name, { ...doc });
          return undefined;
        },
        delete(_ctx, doc) {
          stored.delete(doc.name);
        },
      },
      Gauge: {
        list(_ctx, { start, limit, filters }) {
          asked.push([start, limit, ...filters.map(({ path }) => path.column.fieldname)]);
          const rows = Array.from({ length: limit ?? 1_000 }, (_, index) => ({
            name: `g${start + index}`,
            label: `Gauge ${start + index}`,
          }));
          return { rows, count: 1_000 };
        },
        read: (_ctx, name) => (/^g\d{1,3}$/.test(name) ? { label: `Gauge ${name.slice(1)}` } : null),
      },
    },
  });
  return { app, stored, asked };
}
