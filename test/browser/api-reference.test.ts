/** A developer finds a call, tries it, and takes it into a program. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { becomes } from './support/becomes.ts';
import { describeStory } from './support/story.ts';
import { USERS } from './support/story-site.ts';

const WHO = { user: USERS.manager, width: 1440, height: 900 };
const run = promisify(execFile);

/** How a shown program runs; the arguments before its text. */
const PROGRAMS = {
  curl: ['sh', '-c'],
  JavaScript: [process.execPath, '--input-type=module', '-e'],
  Python: ['python3', '-c'],
} as const;

async function isHere(program: string): Promise<boolean> {
  return run(program, ['--version']).then(
    () => true,
    () => false,
  );
}

describeStory('API reference', (story) => {
  before(async () => {
    const { make } = story.site;
    await make('Buyer', { buyer_name: 'maple', company: 'Maple Bakery' });
    await make('Bill', { title: 'Paper', buyer: 'maple', items: [{ item: 'Paper' }] });
  });

  for (const [language, [program, ...args]] of Object.entries(PROGRAMS)) {
    test(`the ${language} of a list and of a creation runs as it is shown`, async (context) => {
      if (!(await isHere(language === 'curl' ? 'curl' : program))) return context.skip(`no ${program} here`);
      await story.on(WHO, async ({ page, open }) => {
        const shown = async () => {
          await page
            .getByRole('radiogroup', { name: 'Language' })
            .getByText(language, { exact: true })
            .click();
          const text = await page.getByRole('region', { name: 'Code', exact: true }).innerText();
          const { stdout } = await run(program, [
            ...args,
            text.replace('<api_key>:<api_secret>', story.site.key),
          ]);
          return stdout;
        };
        await open('/app/api/Bill');
        await page.getByLabel('filters', { exact: true }).fill(`[["title","like","%Paper%"]]`);
        assert.match(await shown(), /BILL-00001/);
        await page.getByRole('navigation', { name: 'Calls' }).getByRole('button', { name: 'Create' }).click();
        const title = `It's "${language}" \\ ü`;
        await page
          .getByLabel('Body (JSON)')
          .fill(JSON.stringify({ title, buyer: 'maple', items: [{ item: 'Ink', done: 1 }] }));
        await shown();
        const filters = JSON.stringify([['title', '=', title]]);
        const made = await story.site.ask('GET', `/api/resource/Bill?filters=${encodeURIComponent(filters)}`);
        assert.equal(made.length, 1);
      });
    });
  }

  test('find a doctype, try a call with the session and with a key', () =>
    story.on(WHO, async ({ page, open, axe, expect }) => {
      await open('/app/api');
      await page.getByRole('searchbox', { name: 'Search doctypes and methods' }).fill('bill');
      await page.getByRole('link', { name: 'Bill', exact: true }).last().click();
      const call = (name: string) =>
        page.getByRole('navigation', { name: 'Calls' }).getByRole('button', { name }).click();
      const send = () => page.getByRole('button', { name: 'Send request' }).click();
      const status = (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
      await call('Read');
      await page.getByRole('textbox', { name: 'name', exact: true }).fill('BILL-00001');
      await page.getByRole('option', { name: /BILL-00001/ }).click();
      await send();
      await status('200 OK');
      await page
        .getByRole('region', { name: 'Body of the response' })
        .getByText('"title": "Paper"')
        .waitFor();
      await axe();
      await call('Update');
      await page.getByRole('textbox', { name: 'name', exact: true }).fill('BILL-00001');
      await page.getByRole('option', { name: /BILL-00001/ }).click();
      await page.getByLabel('Body (JSON)').fill('{"due_days": 7}');
      await page.getByRole('radiogroup', { name: 'Send as' }).getByText('With an API key').click();
      const [key = '', secret = ''] = story.site.key.split(':');
      await page.getByLabel('Key', { exact: true }).fill(key);
      await page.getByLabel('Secret', { exact: true }).fill('wrong');
      expect(/status of 401/);
      await send();
      await status('401');
      await page.getByLabel('Secret', { exact: true }).fill(secret);
      await send();
      await status('200 OK');
      assert.equal((await story.site.ask('GET', '/api/resource/Bill/BILL-00001')).due_days, 7);
      assert.equal(
        (await page.locator('main').innerText()).includes(secret),
        false,
        'no text shows the secret',
      );
    }));

  test('the calls to attach and to submit work as they begin', () =>
    story.on(WHO, async ({ page, open }) => {
      const values = encodeURIComponent(JSON.stringify({ name: 'BILL-00001' }));
      const send = async () => {
        await page.getByRole('button', { name: 'Send request' }).click();
        await page.getByRole('status').filter({ hasText: '200 OK' }).waitFor();
      };
      await open('/app/api/Bill?call=attach');
      const body = page.getByLabel('Body (JSON)');
      await body.fill((await body.inputValue()).replace('<name of a Bill>', 'BILL-00001'));
      await send();
      await open(`/app/api/Bill?call=submit&values=${values}`);
      await send();
      assert.equal((await story.site.ask('GET', '/api/resource/Bill/BILL-00001')).docstatus, 1);
      const filters = JSON.stringify([['attached_to_name', '=', 'BILL-00001']]);
      const files = await story.site.ask(
        'GET',
        `/api/resource/File?fields=["is_private"]&filters=${encodeURIComponent(filters)}`,
      );
      assert.deepEqual(files, [{ is_private: 1 }]);
    }));

  test('calls without the right are locked', () =>
    story.on({ ...WHO, user: USERS.reader }, async ({ page, open }) => {
      await open('/app/api/Bill');
      await page.getByText('You can: List, Read', { exact: true }).waitFor();
      await page.getByRole('button', { name: /Delete.*No right/ }).click();
      await page.getByText('Your roles do not allow this call. Ask a System Manager.').waitFor();
      await page.getByRole('link', { name: 'Why can’t I do this?' }).click();
      await page.getByText(`No. ${USERS.reader} can’t delete Bill records.`).waitFor();
    }));

  test('a webhook event shows the payload of a real record', () =>
    story.on(WHO, async ({ page, open }) => {
      await open('/app/api/Bill?tab=events');
      const body = page.getByRole('region', { name: 'Body', exact: true });
      await body.getByText('"buyer": "maple"').waitFor();
      await page.getByRole('link', { name: 'Create a webhook for this event' }).click();
      await page.getByRole('heading', { name: 'New webhook' }).waitFor();
    }));

  test('a list and a record lead to their calls', () =>
    story.on(WHO, async ({ page, open }) => {
      const copy = async (menu: string) => {
        await page.getByRole('button', { name: menu, exact: true }).click();
        await page.getByRole('menuitem', { name: 'Copy as API call' }).click();
        await page.getByRole('button', { name: 'Open in the API reference' }).click();
      };
      const filters = JSON.stringify([['status', '=', 'Open']]);
      await open(`/app/d/Bill?filters=${encodeURIComponent(filters)}`);
      await page.locator('[role="row"][aria-rowindex="2"]').waitFor();
      await copy('More');
      await becomes(() => page.getByLabel('filters', { exact: true }).inputValue(), filters);
      await open('/app/d/Bill/BILL-00001');
      await copy('More actions');
      await becomes(
        () => page.getByRole('textbox', { name: 'name', exact: true }).inputValue(),
        'BILL-00001',
      );
    }));

  test('system doctypes have a list of their own, and code in descriptions is set as code', () =>
    story.on(WHO, async ({ page, open }) => {
      await open('/app/api');
      const group = (name: string) => page.getByRole('region', { name, exact: true });
      await group('Application doctypes').getByRole('link', { name: 'Bill', exact: true }).waitFor();
      await group('System doctypes').getByRole('link', { name: 'Custom Field', exact: true }).waitFor();
      assert.equal(await group('Application doctypes').getByRole('link', { name: 'Webhook' }).count(), 0);
      const method = page.getByRole('listitem').filter({ hasText: 'chancery.amend_document' });
      await method.locator('code', { hasText: /^doc$/ }).waitFor();
    }));

  test('on a phone, a field has no labels without values', () =>
    story.on({ ...WHO, width: 390, height: 844 }, async ({ page, open }) => {
      await open('/app/api/Bill?tab=fields');
      const cells = page.locator('main td').filter({ visible: true });
      await cells.first().waitFor();
      await becomes(() => cells.filter({ hasNotText: /\S/ }).count(), 0);
    }));

  test('a method is called by GET or POST', () =>
    story.on(WHO, async ({ page, open }) => {
      await open('/app/api?method=frappe.client.get_count');
      await page.getByRole('radiogroup', { name: 'HTTP method' }).getByText('POST').click();
      await page.getByLabel('Body (JSON)').fill('{"doctype": "Buyer"}');
      await page.getByRole('button', { name: 'Send request' }).click();
      await page.getByRole('region', { name: 'Body of the response' }).getByText('"message": 1').waitFor();
    }));
});
