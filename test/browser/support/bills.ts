/** A list that is too long to be loaded at once, and what its stories look at. */
import { before } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { describeStory, type Story } from './story.ts';

/** Copies of the first bill. */
export const COPIES = 100_000;
export const gridOf = (page: Page) => page.getByRole('grid', { name: 'Bill' });
export const rowAt = (page: Page, row: number) => page.locator(`[role="row"][aria-rowindex="${row + 1}"]`);
export const title = (page: Page) => page.locator('header:has(h1)');

/** `describeStory` with a list of 100,001 bills. */
export function describeBills(name: string, tell: (story: Story) => void): void {
  describeStory(name, (story) => {
    before(async () => {
      const { site } = story;
      for (const buyer of ['Ada', 'Bo', 'Cy', 'Di'])
        await site.make('Buyer', { buyer_name: buyer, company: `${buyer} Ltd`, city: 'Rome' });
      const items = [{ item: 'Lamp', qty: 2, rate: 5 }];
      const bill = await site.make('Bill', { title: 'First', buyer: 'Ada', items });
      site.copies('Bill', bill.name, COPIES, {
        name: `printf('BILL-9%06d', i)`,
        title: `'Bill number ' || i`,
        status: `case i % 3 when 0 then 'Open' when 1 then 'Paid' else 'Disputed' end`,
        buyer: `case i % 4 when 0 then 'Ada' when 1 then 'Bo' when 2 then 'Cy' else 'Di' end`,
        posting_date: `date('2026-01-01', '+' || (i % 300) || ' days')`,
        total: `i * 1.25`,
      });
    });
    tell(story);
  });
}

/** The filter builder after it has taken the focus, which it does by a timer. */
export async function openBuilder(page: Page): Promise<Locator> {
  const builder = page.getByRole('dialog', { name: /^Filter/ });
  await builder.locator(':focus').waitFor();
  return builder;
}
