import { gzipSync } from 'node:zlib';
import type { Page, Response } from 'playwright-core';

/** What a page has asked for. */
export interface Downloads {
  readonly requests: number;
  /** Of all bodies, each compressed by gzip. */
  readonly bytes: number;
  readonly urls: readonly string[];
}

/** Counts what a page downloads from now on. The function that it returns waits until the network is idle. */
export function countDownloads(page: Page): () => Promise<Downloads> {
  const answers: Response[] = [];
  page.on('response', (response) => answers.push(response));
  return async () => {
    await page.waitForLoadState('networkidle');
    const urls = answers.map((answer) => answer.url());
    // The stream of changes never ends.
    const ended = answers.filter((answer) => !answer.url().includes('/api/events'));
    const bodies = await Promise.all(ended.map((answer) => answer.body()));
    const bytes = bodies.reduce((sum, body) => sum + gzipSync(body).length, 0);
    return { requests: answers.length, bytes, urls };
  };
}
