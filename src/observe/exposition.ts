/** Label values by name; names are ours. */
export type Labels = Readonly<Record<string, string>>;

/** A number that only grows, for each set of labels. */
export class Counter {
  readonly name: string;
  readonly help: string;
  readonly #values = new Map<string, number>();

  constructor(name: string, help: string) {
    this.name = name;
    this.help = help;
  }

  add(labels: Labels = {}, by = 1): void {
    const key = labelText(labels);
    const before = this.#values.get(key);
    // Whatever becomes a label comes from a short list; this is for the day when it does not.
    if (before === undefined && this.#values.size >= SERIES) return;
    this.#values.set(key, (before ?? 0) + by);
  }

  lines(): string[] {
    const lines = head(this.name, this.help, 'counter');
    for (const [key, value] of this.#values) lines.push(`${this.name}${braced(key)} ${value}`);
    return lines;
  }
}

interface Distribution {
  readonly counts: number[];
  sum: number;
}

/** How often values fell below each bound, in seconds, for each set of labels. */
export class Histogram {
  readonly name: string;
  readonly help: string;
  readonly #bounds: readonly number[];
  readonly #values = new Map<string, Distribution>();

  constructor(name: string, help: string, bounds: readonly number[] = SECONDS) {
    this.name = name;
    this.help = help;
    this.#bounds = bounds;
  }

  /** `key` is the text of the labels, see `labelText`: made once where values come often. */
  add(key: string, seconds: number): void {
    let values = this.#values.get(key);
    if (!values) {
      if (this.#values.size >= SERIES) return;
      values = { counts: Array.from({ length: this.#bounds.length + 1 }, () => 0), sum: 0 };
      this.#values.set(key, values);
    }
    let place = 0;
    while (place < this.#bounds.length && seconds > (this.#bounds[place] ?? 0)) place += 1;
    values.counts[place] = (values.counts[place] ?? 0) + 1;
    values.sum += seconds;
  }

  lines(): string[] {
    const lines = head(this.name, this.help, 'histogram');
    for (const [key, { counts, sum }] of this.#values) {
      let below = 0;
      for (const [place, count] of counts.entries()) {
        below += count;
        const bound = `le="${this.#bounds[place] ?? '+Inf'}"`;
        lines.push(`${this.name}_bucket${braced(key === '' ? bound : `${key},${bound}`)} ${below}`);
      }
      lines.push(`${this.name}_sum${braced(key)} ${sum}`, `${this.name}_count${braced(key)} ${below}`);
    }
    return lines;
  }
}

/** Values of one moment. */
export function gaugeLines(
  name: string,
  help: string,
  values: readonly (readonly [labels: Labels, value: number])[],
  type: 'gauge' | 'counter' = 'gauge',
): string[] {
  return [
    ...head(name, help, type),
    ...values.map(([labels, value]) => `${name}${braced(labelText(labels))} ${value}`),
  ];
}

/** Labels as the format has them, without the braces. */
export function labelText(labels: Labels): string {
  let text = '';
  // Without lists in between: it is made for each request and each attempt of a delivery.
  for (const name in labels) text += `${text === '' ? '' : ','}${name}="${escaped(labels[name] ?? '')}"`;
  return text;
}

function escaped(value: string): string {
  return /[\\"\n]/.test(value) ? value.replace(/[\\"\n]/g, (found) => ESCAPES[found] ?? found) : value;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

/** Sets of labels of one metric, at most. */
const SERIES = 200;
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

function head(name: string, help: string, type: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function braced(key: string): string {
  return key === '' ? '' : `{${key}}`;
}
