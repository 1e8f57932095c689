/** Label values by name. Label names are constants of ours. */
export type Labels = Readonly<Record<string, string>>;

/** A growing number for each set of labels. */
export class Counter {
  readonly name: string;
  readonly help: string;
  readonly #values = new Map<string, number>();

  constructor(name: string, help: string) {
    this.name = name;
    this.help = help;
  }

  add(labels: Labels = {}, by = 1): void {
    this.addTo(labelText(labels), by);
  }

  /** `key` is the text of the labels; see `labelText`. Make it once where events are frequent. */
  addTo(key: string, by = 1): void {
    const before = this.#values.get(key);
    // Label values come from short lists; this limit guards against mistakes.
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

/** For each set of labels, the number of values below each bound, in seconds. */
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

  /** Shows a set of labels before its first value. @returns undefined above the limit of sets */
  open(key: string): Distribution | undefined {
    let values = this.#values.get(key);
    if (!values && this.#values.size < SERIES) {
      values = { counts: Array.from({ length: this.#bounds.length + 1 }, () => 0), sum: 0 };
      this.#values.set(key, values);
    }
    return values;
  }

  /** `key` is the text of the labels; see `labelText`. Make it once where values are frequent. */
  add(key: string, seconds: number): void {
    const values = this.open(key);
    if (!values) return;
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

/** Values at one moment. */
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

/** Labels in the exposition format, without the braces. */
export function labelText(labels: Labels): string {
  let text = '';
  // Builds no intermediate lists, because it runs for each request and each delivery attempt.
  for (const name in labels) text += `${text === '' ? '' : ','}${name}="${escaped(labels[name] ?? '')}"`;
  return text;
}

function escaped(value: string): string {
  return /[\\"\n]/.test(value) ? value.replace(/[\\"\n]/g, (found) => ESCAPES[found] ?? found) : value;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

/** The most sets of labels of one metric. */
const SERIES = 200;
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

function head(name: string, help: string, type: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function braced(key: string): string {
  return key === '' ? '' : `{${key}}`;
}
