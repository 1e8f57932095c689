/** The types of view of a list besides the table and the report: board, calendar and gallery. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { becomes } from './support/becomes.ts';
import { finger } from './support/finger.ts';
import { describeStory, type Story } from './support/story.ts';
import { USERS } from './support/story-site.ts';
import { following, inCity, VISIT, visits } from './support/visits.ts';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

const lane = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const cardsOf = (page: Page, name: string) =>
  lane(page, name).getByRole('listitem').getByRole('link').allTextContents();
const said = (page: Page, text: string | RegExp) =>
  page.getByRole('region', { name: 'Messages' }).getByText(text);
const field = async ({ site }: Story, name: string, fieldname: string) =>
  (await site.ask('GET', `/api/resource/Visit/${encodeURIComponent(name)}`))[fieldname];
async function drag(page: Page, from: Locator, to: Locator, at = { x: 0.5, y: 0.6 }): Promise<void> {
  const [start, end] = [await from.boundingBox(), await to.boundingBox()];
  assert.ok(start && end);
  await page.mouse.move(start.x + start.width / 2, start.y + start.height / 2);
  await page.mouse.down();
  await page.mouse.move(start.x + start.width / 2 + 20, start.y + start.height / 2 + 8, { steps: 3 });
  await page.mouse.move(end.x + end.width * at.x, end.y + end.height * at.y, { steps: 5 });
  await page.locator('[data-over]').waitFor();
  await page.mouse.up();
}

describeStory('views of a list', (story) => {
  before(() => story.site.make('DocType', VISIT));

  test('a card is dragged to another column, and others see it', async () => {
    await visits(story, 'Bergen', 3);
    await story.on({}, async ({ page, open, axe }) => {
      const followed = following(page);
      await open(inCity('Bergen', 'board'));
      await followed;
      await lane(page, 'Planned').getByRole('link', { name: 'Bergen 1', exact: true }).waitFor();
      await axe();
      await drag(
        page,
        lane(page, 'Planned').getByRole('link', { name: 'Bergen 1', exact: true }),
        lane(page, 'Done'),
      );
      await becomes(() => cardsOf(page, 'Done'), ['Bergen 1']);
      await becomes(() => field(story, 'Bergen 1', 'status'), 'Done');
      await becomes(async () => (await cardsOf(page, 'Planned')).sort(), ['Bergen 2', 'Bergen 3']);
      // Somebody else moves another one.
      await story.site.ask('PUT', '/api/resource/Visit/Bergen 2', { status: 'Done' });
      await becomes(async () => (await cardsOf(page, 'Done')).sort(), ['Bergen 1', 'Bergen 2']);
    });
  });

  test('a card goes back when the server refuses, and the reason is told', async () => {
    await visits(story, 'Hamar', 1);
    // Clerks may change their own visits only, which the server knows for each of them.
    await story.on({ user: USERS.clerk }, async ({ page, open, expect }) => {
      expect(/status of 403/);
      await open(inCity('Hamar', 'board'));
      const card = lane(page, 'Planned').getByRole('link', { name: 'Hamar 1' });
      await card.waitFor();
      await drag(page, card, lane(page, 'Done'));
      await said(page, 'Hamar 1 was not moved').waitFor();
      await card.waitFor();
      await becomes(() => cardsOf(page, 'Done'), []);
      assert.equal(await field(story, 'Hamar 1', 'status'), 'Planned');
    });
  });

  test('cards are moved by keyboard, by their button, and by a finger', async () => {
    await visits(story, 'Molde', 3);
    await story.on({}, async ({ page, open, axe }) => {
      await open(inCity('Molde', 'board', '&order=subject asc'));
      const card = (name: string) => page.getByRole('link', { name, exact: true });
      await card('Molde 1').focus();
      await page.keyboard.press('ArrowDown');
      await becomes(() => card('Molde 2').evaluate((element) => element === document.activeElement), true);
      await page.keyboard.press('Space');
      await page.keyboard.press('ArrowRight');
      await page.locator('[data-target]').getByRole('heading', { name: 'Done' }).waitFor();
      await page.keyboard.press('Enter');
      await becomes(() => cardsOf(page, 'Done'), ['Molde 2']);
      await becomes(() => field(story, 'Molde 2', 'status'), 'Done');

      await card('Molde 3').hover();
      await page.getByRole('button', { name: 'Move Molde 3' }).click();
      const menu = page.getByRole('menu', { name: 'Move Molde 3' });
      await menu.getByRole('menuitemcheckbox', { name: 'Planned', checked: true }).waitFor();
      await axe();
      await menu.getByRole('menuitemcheckbox', { name: 'Done' }).click();
      await becomes(() => cardsOf(page, 'Done'), ['Molde 2', 'Molde 3']);

      const [from, to] = [await card('Molde 1').boundingBox(), await lane(page, 'Done').boundingBox()];
      assert.ok(from && to);
      const touch = await finger(page);
      await touch.press(from.x + 20, from.y + 8);
      await page.locator('[data-dragging]').waitFor();
      await touch.move(to.x + 60, to.y + 200);
      await lane(page, 'Done').and(page.locator('[data-over]')).waitFor();
      await touch.lift();
      await becomes(() => cardsOf(page, 'Done'), ['Molde 1', 'Molde 2', 'Molde 3']);
      await becomes(() => field(story, 'Molde 1', 'status'), 'Done');
    });
  });

  test('a card shows all its fields, however long their values are', async () => {
    const city = 'Llanfairpwllgwyngyll upon the river';
    await visits(story, city, 1, () => ({
      fee: 12,
      deadline: '2026-01-15',
      starts_on: '2026-01-15 10:00:00',
    }));
    const cards = ['city', 'fee', 'deadline', 'starts_on', 'owner'];
    await story.on({}, async ({ page, open }) => {
      await open(inCity(city, 'board', `&settings=${encodeURIComponent(JSON.stringify({ cards }))}`));
      const card = page.locator('[data-card]');
      await card.getByText('15 Jan 2026').waitFor();
      const isWhole = await card.evaluate((element) => {
        const box = element.getBoundingClientRect();
        const [, values, foot] = element.children;
        if (!values || !foot) return [];
        const end = Math.min(box.bottom, foot.getBoundingClientRect().top);
        return [...(values.firstElementChild?.children ?? [])].map(
          (one) => one.getBoundingClientRect().bottom <= end + 0.5,
        );
      });
      assert.deepEqual(isWhole, [true, true, true, true, true]);
    });
  });

  test('submitted records stay in their column, and so does everything for readers', async () => {
    const { site } = story;
    await site.make('Buyer', { buyer_name: 'Ann', company: 'Ann & Co' });
    const items = [{ item: 'Lamp', qty: 1, rate: 5 }];
    await site.make('Bill', { title: 'A draft', buyer: 'Ann', items });
    await site.make('Bill', { title: 'A submitted one', buyer: 'Ann', items, docstatus: 1 });
    await site.make('Buyer', { buyer_name: 'Bea', company: 'Bea & Co' });
    await site.make('Bill', { title: 'Another draft', buyer: 'Bea', items });
    const settings = encodeURIComponent(JSON.stringify({ field: 'buyer' }));
    await story.on({}, async ({ page, open }) => {
      await open(`/app/d/Bill?as=board&settings=${settings}`);
      await lane(page, 'Ann & Co').getByRole('link', { name: 'A draft' }).waitFor();
      await page.locator('[data-card][data-movable]').filter({ hasText: 'A draft' }).waitFor();
      assert.equal(await page.locator('[data-movable]').filter({ hasText: 'A submitted one' }).count(), 0);
      // A column of a Link has the title of its record; a card that comes into it links to this record.
      await drag(page, lane(page, 'Ann & Co').getByRole('link', { name: 'A draft' }), lane(page, 'Bea & Co'));
      await lane(page, 'Bea & Co').getByRole('link', { name: 'A draft' }).waitFor();
      const filters = encodeURIComponent(JSON.stringify({ title: 'A draft' }));
      await becomes(
        async () =>
          (await site.ask('GET', `/api/resource/Bill?fields=["buyer"]&filters=${filters}`))[0].buyer,
        'Bea',
      );
    });
    await story.on({ user: USERS.reader }, async ({ page, open }) => {
      await open('/app/d/Bill?as=board');
      await lane(page, 'Open').getByRole('link', { name: 'A draft' }).waitFor();
      await page.getByText('You cannot change this field, so cards stay where they are').waitFor();
      assert.equal(await page.locator('[data-movable]').count(), 0);
    });
  });

  test('a calendar shows a range in the user’s time, and a drag changes it', async () => {
    await visits(story, 'Kyoto', 1, () => ({
      starts_on: '2026-03-10 20:00:00',
      ends_on: '2026-03-10 21:30:00',
    }));
    await story.on({ timeZone: 'Asia/Tokyo' }, async ({ page, open, axe }) => {
      await open(inCity('Kyoto', 'calendar', '&on=2026-03-15'));
      const visit = page.getByRole('link', { name: /Kyoto 1 , 11 Mar 2026 05:00/ });
      await visit.waitFor();
      await axe();
      await drag(page, visit, page.locator('[data-day="2026-03-19"]'));
      await becomes(() => field(story, 'Kyoto 1', 'starts_on'), '2026-03-18 20:00:00');
      assert.equal(await field(story, 'Kyoto 1', 'ends_on'), '2026-03-18 21:30:00');
      const moved = page.getByRole('link', { name: /Kyoto 1 , 19 Mar 2026/ });
      await moved.focus();
      await page.keyboard.press('Shift+ArrowRight');
      await becomes(() => field(story, 'Kyoto 1', 'starts_on'), '2026-03-19 20:00:00');

      await page.getByText('Week', { exact: true }).click();
      await page.getByRole('button', { name: 'Forward' }).click();
      const block = page.locator('[data-kind="block"]').filter({ hasText: 'Kyoto 1' });
      await block.waitFor();
      await axe();
      await block.focus();
      await page.keyboard.press('Control+Shift+ArrowDown');
      await becomes(() => field(story, 'Kyoto 1', 'ends_on'), '2026-03-19 21:45:00');
      const handle = block.locator('[data-handle]');
      const box = await handle.boundingBox();
      assert.ok(box);
      await page.mouse.move(box.x + box.width / 2, box.y + 4);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width / 2, box.y + 20, { steps: 3 });
      await page.mouse.move(box.x + box.width / 2, box.y + 4 + 48, { steps: 3 });
      await page.locator('[data-over]').waitFor();
      await page.mouse.up();
      await becomes(() => field(story, 'Kyoto 1', 'ends_on'), '2026-03-19 22:45:00');
    });
  });

  test('a click on a day creates a record of that day', async () => {
    await story.on({}, async ({ page, open }) => {
      const settings = encodeURIComponent(JSON.stringify({ start: 'deadline' }));
      await open(`/app/d/Visit?as=calendar&on=2026-07-01&settings=${settings}`);
      await page.locator('[data-day="2026-07-16"]').click({ position: { x: 60, y: 70 } });
      await page.getByRole('heading', { level: 1, name: 'New Visit' }).waitFor();
      assert.equal(new URL(page.url()).searchParams.get('deadline')?.replaceAll('"', ''), '2026-07-16');
    });
  });

  test('a phone starts with the agenda, and every view fits it', async () => {
    await visits(story, 'Lima', 2, (at) => ({ starts_on: `2026-05-0${at} 09:00:00`, fee: at }));
    await story.on({ width: 320, height: 640 }, async ({ page, open, axe }) => {
      await open(inCity('Lima', 'calendar', '&on=2026-05-20'));
      await page.locator('[data-kind="line"]').filter({ hasText: 'Lima 2' }).waitFor();
      await axe();
      for (const [as, there] of [
        ['report', page.getByRole('table')],
        ['board', lane(page, 'Planned').getByRole('link', { name: 'Lima 1' })],
        ['gallery', page.getByRole('link', { name: 'Lima 1' })],
        ['calendar', page.locator('[data-kind="line"]').first()],
      ] as const) {
        await open(inCity('Lima', as, '&on=2026-05-20'));
        await there.waitFor();
        await axe();
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(overflow <= 0, `${as} is ${overflow} pixels too wide`);
      }
    });
  });

  test('an agenda begins with the day that it is opened for', async () => {
    const dayOf = (at: number) => `2026-05-${String(at).padStart(2, '0')}`;
    await visits(story, 'Cusco', 28, (at) => ({ starts_on: `${dayOf(at)} 09:00:00`, fee: at }));
    await story.on({ width: 390, height: 844 }, async ({ page, open }) => {
      await open(inCity('Cusco', 'calendar', `&on=${dayOf(15)}`));
      await becomes(
        () =>
          page.locator('ol:has(> [data-day])').evaluate((list) => {
            const top = list.getBoundingClientRect().top;
            const days = [...list.querySelectorAll<HTMLElement>('[data-day]')];
            return days.find((day) => day.getBoundingClientRect().bottom > top + 4)?.dataset['day'];
          }),
        dayOf(15),
      );
    });
  });

  test('a gallery shows thumbnails, and arrows go from tile to tile', async () => {
    const { site } = story;
    await visits(story, 'Nara', 2);
    const file = await site.make('File', {
      file_name: 'nara.png',
      content: PIXEL,
      decode: 1,
      is_private: 1,
      attached_to_doctype: 'Visit',
      attached_to_name: 'Nara 1',
    });
    await site.ask('PUT', '/api/resource/Visit/Nara 1', { photo: file.file_url });
    await story.on({}, async ({ page, open, axe }) => {
      await open(inCity('Nara', 'gallery', '&order=subject asc'));
      const first = page.getByRole('link', { name: 'Nara 1' });
      await first.waitFor();
      await becomes(
        () => first.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth > 0),
        true,
      );
      await axe();
      await first.focus();
      await page.keyboard.press('ArrowRight');
      await becomes(
        () => page.getByRole('link', { name: 'Nara 2' }).evaluate((one) => one === document.activeElement),
        true,
      );
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Nara 2' }).waitFor();
    });
  });

  test('the device remembers the type of view of a doctype, and keys switch it', async () => {
    await visits(story, 'Quito', 1);
    await story.on({}, async ({ page, open }) => {
      await open('/app/d/Visit');
      await page.getByRole('grid', { name: 'Visit' }).waitFor();
      await page.keyboard.press('v');
      await page.keyboard.press('b');
      await lane(page, 'Planned').waitFor();
      await open('/app/d/Visit');
      await lane(page, 'Planned').waitFor();
      await page.keyboard.press('v');
      await page.keyboard.press('t');
      await page.getByRole('grid', { name: 'Visit' }).waitFor();
      await open('/app/d/Visit');
      await page.getByRole('grid', { name: 'Visit' }).waitFor();
      assert.doesNotMatch(page.url(), /as=/);
    });
  });

  test('nothing found says which filters hide the records, in every view', async () => {
    await story.on({}, async ({ page, open, axe }) => {
      for (const as of ['report', 'board', 'gallery']) {
        await open(inCity('Nowhere', as));
        await page.getByRole('heading', { name: 'No matching records' }).waitFor();
        await axe();
      }
    });
  });
});
