import type { TestEvent } from 'node:test/reporters';

/**
 * A reporter that names the test files in which something failed, a line each. What fails says where it is written, which may be a file that
 * tests share: then the summary of the test file tells. One that could not be run to its end has no summary, and is itself what failed.
 */
export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files = new Set<string>();
  for await (const { type, data } of events) {
    const hasFailed = type === 'test:fail' || (type === 'test:summary' && !data.success);
    if (hasFailed && data.file?.endsWith('.test.ts')) files.add(data.file);
  }
  for (const file of files) yield `${file}\n`;
}
