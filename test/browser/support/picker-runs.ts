import type { Locator, Page } from 'playwright-core';
import { until } from '../../support/until.ts';
import { control } from './form-page.ts';
import type { StorySite } from './story-site.ts';

/** What is typed for each company. Some begin alike, so that a stale list holds a neighbour of the wanted one. */
const TYPED: Readonly<Record<string, string>> = {
  'Maple Bakery': 'maple',
  'Pebble Works': 'pebble',
  'Pearl Optics': 'pear',
  'Harbour Logistics': 'harb',
  'Harvest Hall': 'harv',
  'Willow & Daughters': 'willow',
};
const COMPANIES = Object.keys(TYPED);

/** One choice by a fast typist. */
export interface Pick {
  readonly company: string;
  readonly into: 'link' | 'dynamic_link' | 'cell';
  /** Milliseconds between two keys. */
  readonly pace: number;
  readonly end: 'Enter' | 'Tab' | 'ArrowDown Enter';
  /** A click opens the list before the first key; Tab does not. */
  readonly isOpened: boolean;
}

/** Choices by chance: the same for the same seed. */
export function plannedPicks(count: number, seed: number): readonly Pick[] {
  let state = seed;
  const chance = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const one = <T>(all: readonly T[]): T => all[chance(all.length)] as T;
  return Array.from({ length: count }, () => ({
    company: one(COMPANIES),
    into: one(['link', 'dynamic_link', 'cell'] as const),
    pace: 20 + chance(101),
    end: one(['Enter', 'Tab', 'ArrowDown Enter'] as const),
    isOpened: chance(2) === 0,
  }));
}

/** Makes the buyers of these companies. */
export async function makeCompanies({ make }: StorySite): Promise<void> {
  for (const [at, company] of COMPANIES.entries()) await make('Buyer', { buyer_name: `no-${at}`, company });
}

/** Chooses in a new form. Returns the company that the form then shows; '' without a choice. */
export async function pickOnce(page: Page, { company, into, pace, end, isOpened }: Pick): Promise<string> {
  const typed = TYPED[company] ?? company;
  await page.goto('/app/new/Everything');
  const holder = page.locator(`[data-path="${into === 'cell' ? 'table' : into}"]`);
  const input = into === 'cell' ? await openCell(page, holder) : control(page, into);
  await (isOpened ? input.click() : input.focus());
  await page.keyboard.type(typed, { delay: pace });
  for (const key of end.split(' ')) await page.keyboard.press(key, { delay: 0 });
  const cell = holder.locator('[data-row="0"] [data-column="1"]');
  const shown = async () => (await (into === 'cell' ? cell.innerText() : input.inputValue())).trim();
  const isRefused = async () => (await holder.locator('[aria-invalid="true"]').count()) > 0;
  // The typed text stays until a document is chosen or the text is marked.
  await until(
    async () => (await isRefused()) || (await isDone(page, await shown(), typed)),
    Boolean,
    'a choice',
  );
  return (await isRefused()) ? '' : shown();
}

async function isDone(page: Page, shown: string, typed: string): Promise<boolean> {
  return shown !== '' && shown !== typed && (await page.getByRole('listbox').count()) === 0;
}

/** Adds a row and edits the second cell of it, which is a link. */
async function openCell(page: Page, holder: Locator): Promise<Locator> {
  const grid = holder.getByRole('grid');
  await grid.focus();
  await page.keyboard.press('Enter');
  await holder.locator('[data-row="0"]').waitFor();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('F2');
  const input = holder.getByRole('combobox');
  await input.waitFor();
  return input;
}
