/** The metrics of one worker in the exposition format. */
export interface WorkerLines {
  readonly worker: number;
  readonly lines: readonly string[];
}

/** Joins the metrics of several workers, each with the label `worker`. The lines of one metric stay together. */
export function mergeExpositions(workers: readonly WorkerLines[]): string[] {
  const metrics = new Map<string, string[]>();
  for (const { worker, lines } of [...workers].sort((one, other) => one.worker - other.worker)) {
    let samples: string[] = [];
    for (const line of lines) {
      if (line.startsWith('# HELP ')) {
        samples = metrics.get(line) ?? [];
        metrics.set(line, samples);
      } else if (!line.startsWith('# ')) samples.push(labelled(line, worker));
      else if (samples.length === 0) samples.push(line);
    }
  }
  return [...metrics].flatMap(([help, samples]) => [help, ...samples]);
}

// A sample is `name value` or `name{labels} value`.
function labelled(sample: string, worker: number): string {
  const [, name = '', labels, value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(sample) ?? [];
  return `${name}{worker="${worker}"${labels ? `,${labels}` : ''}} ${value}`;
}
