import type { TestEvent } from 'node:test/reporters';

/** A reporter that names the files in which something failed, a line each. */
export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files = new Set<string>();
  for await (const { type, data } of events) {
    if (type === 'test:fail') files.add(data.file ?? data.name);
  }
  for (const file of files) yield `${file}\n`;
}
