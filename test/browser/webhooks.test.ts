import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { WebhookReceiver } from '../support/receiver.ts';
import { becomes } from './support/becomes.ts';
import { saveAndSee } from './support/form-page.ts';
import { describeStory } from './support/story.ts';

const API = '/api/resource/Webhook';

describeStory('webhooks in the admin UI', (story) => {
  let receiver: WebhookReceiver;
  before(async () => {
    receiver = await WebhookReceiver.start();
    await story.site.make('Buyer', { buyer_name: 'Ada', company: 'Analytical Engines', city: 'London' });
  });
  after(() => receiver?.close());
  beforeEach(async () => {
    receiver.mode = 'ok';
    receiver.received.length = 0;
    for (const { name } of await story.site.ask('GET', `${API}?limit_page_length=0`))
      await story.site.ask('DELETE', `${API}/${encodeURIComponent(name)}`);
  });

  const hook = (fields: object = {}) =>
    story.site.make('Webhook', {
      name: `hook-${Math.floor(Math.random() * 1e9)}`,
      webhook_doctype: 'Buyer',
      webhook_docevent: 'on_update',
      request_url: receiver.url,
      ...fields,
    });

  test('one is made, its secret shown once, tried, and its deliveries come in as documents are saved', () =>
    story.on({}, async ({ page, open, axe }) => {
      await open('/app/webhooks');
      await page.getByText('No webhooks yet').waitFor();
      await axe();
      await page.getByRole('button', { name: 'New webhook' }).first().click();
      await page.getByRole('heading', { name: 'New webhook' }).waitFor();
      await axe();
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('crm sync');
      const choose = async (label: string, option: RegExp | string) => {
        await page
          .getByRole('combobox', { name: label })
          .or(page.getByRole('textbox', { name: label }))
          .first()
          .click();
        await page.getByRole('option', { name: option }).first().click();
      };
      await choose('Doctype', 'Buyer');
      await choose('Event', /Saved/);
      await page.getByRole('textbox', { name: 'URL', exact: true }).fill(receiver.url);
      const preview = page.getByRole('complementary', { name: 'Preview' });
      await preview.getByText('"company": "Analytical Engines"').waitFor();
      await preview.getByText('Signed with an example secret').waitFor();
      // The condition is checked as it is typed.
      const condition = page.getByRole('textbox', { name: 'Condition' });
      await condition.fill('doc.cty == "London"');
      await preview.getByText(/there is no field cty/).waitFor();
      await condition.fill('doc.city == "Paris"');
      await page.getByText('False for Ada').waitFor();
      await condition.fill('doc.city == "London"');
      await page.getByText('True for Ada', { exact: true }).waitFor();
      // Fields under names of their own.
      await page.getByText('Some fields').click();
      await choose('Add a field', /company/);
      await page.getByRole('textbox', { name: 'Key of company' }).fill('firm');
      await preview.getByText('"firm": "Analytical Engines"').waitFor();
      await page.getByRole('button', { name: 'Add header' }).click();
      await page.getByRole('textbox', { name: 'Name of header 1' }).fill('Authorization');
      await page.getByRole('textbox', { name: 'Value of header 1' }).fill('Bearer of-mine');
      await axe();
      await page.keyboard.press('Control+s');
      const dialog = page.getByRole('dialog', { name: 'Webhook secret' });
      await dialog.getByText(/^whsec_/).waitFor();
      const secret = await dialog.getByText(/^whsec_/).textContent();
      await axe();
      await becomes(() => dialog.getByRole('button', { name: 'Done' }).isDisabled(), true);
      await dialog.getByRole('checkbox', { name: 'I have saved the secret' }).check();
      await dialog.getByRole('button', { name: 'Done' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('heading', { level: 1, name: 'crm sync' }).waitFor();
      assert.ok(!(await page.content()).includes(secret ?? 'whsec_'), 'the secret stays on the page');
      await becomes(
        () => page.getByRole('textbox', { name: 'Value of header 1' }).inputValue(),
        '**********',
      );

      await page.getByRole('button', { name: 'Send test' }).click();
      const tested = page.getByRole('complementary', { name: 'Preview' });
      await tested.getByText('Delivered', { exact: true }).waitFor();
      await tested.getByText('HTTP 200').waitFor();
      assert.equal(receiver.received[0]?.headers['authorization'], 'Bearer of-mine');
      assert.equal(receiver.received[0]?.body.toString(), '{"firm": "Analytical Engines"}');

      await page.getByRole('tab', { name: 'Deliveries' }).click();
      await page.getByText('Live', { exact: true }).waitFor();
      await story.site.ask('PUT', '/api/resource/Buyer/Ada', { email: 'ada@example.com' });
      await page.getByRole('row').filter({ hasText: 'Buyer Ada' }).nth(1).waitFor();
      await page.getByRole('row').filter({ hasText: 'Delivered' }).nth(1).waitFor();
      await axe();
    }));

  test('a failing receiver is shown live: retries, response, resending and recovery', () =>
    story.on({}, async ({ page, open, axe }) => {
      const { name, secret } = await hook({ max_retries: 3, webhook_data: [{ fieldname: 'city' }] });
      receiver.mode = 500;
      await open(`/app/webhooks/${name}?tab=deliveries`);
      await page.getByText('No deliveries yet').waitFor();
      await story.site.ask('PUT', '/api/resource/Buyer/Ada', { city: 'Paris' });
      const row = page.getByRole('row').filter({ hasText: 'Buyer Ada' });
      await row
        .filter({ hasText: 'Retrying' })
        .or(row.filter({ hasText: 'Given up' }))
        .first()
        .waitFor();
      await row.filter({ hasText: 'Given up' }).waitFor();
      await row.getByRole('button').click();
      const drawer = page.getByRole('dialog', { name: 'Delivery' });
      await drawer.getByText('Attempt 4').waitFor();
      await drawer.getByText('HTTP 500').first().waitFor();
      await drawer.getByText('{"city": "Paris"}').waitFor();
      await axe();

      // What the receiver got, with the secret that one has.
      const got = String(receiver.received[0]?.headers['x-service-webhook-signature']);
      await drawer.getByLabel('Secret', { exact: true }).fill(secret);
      await drawer.getByRole('textbox', { name: 'Received signature' }).fill(got);
      await drawer.getByText('Signature matches').waitFor();
      await drawer.getByRole('textbox', { name: 'Received signature' }).fill('sha256=00');
      await drawer.getByText('Signature does not match').waitFor();

      receiver.mode = 'ok';
      await drawer.getByRole('button', { name: 'Resend' }).click();
      await drawer.getByText('Delivered', { exact: true }).waitFor();
      await drawer.getByText('HTTP 200').waitFor();
      await page.keyboard.press('Escape');
      await drawer.waitFor({ state: 'detached' });

      receiver.mode = 500;
      await story.site.ask('PUT', `${API}/${name}`, { max_retries: 0 });
      await story.site.ask('PUT', '/api/resource/Buyer/Ada', { city: 'Rome' });
      await story.site.ask('PUT', '/api/resource/Buyer/Ada', { city: 'Oslo' });
      // The first one was delivered by its resend.
      await page.getByText('Recovered').waitFor();
      await page.getByText('Given up').nth(1).waitFor();
      receiver.mode = 'ok';
      receiver.received.length = 0;
      await page.getByRole('button', { name: 'Many deliveries' }).click();
      await page.getByRole('menuitem', { name: 'Recover failed deliveries…' }).click();
      const recover = page.getByRole('dialog', { name: 'Recover failed deliveries' });
      await recover.getByText('2 deliveries will be resent.').waitFor();
      await axe();
      await recover.getByRole('button', { name: 'Resend 2 deliveries' }).click();
      await recover.waitFor({ state: 'detached' });
      const cities = await receiver.until((all) => all.length === 2);
      assert.deepEqual(
        cities.map(({ body }) => JSON.parse(body.toString()).city),
        ['Rome', 'Oslo'],
      );
    }));

  test('the secret is rotated, and old and new secret overlap', () =>
    story.on({}, async ({ page, open, axe }) => {
      const { name } = await hook();
      await open(`/app/webhooks/${name}`);
      await page.getByRole('button', { name: 'Rotate secret…' }).click();
      await page.getByRole('button', { name: 'Generate secret' }).click();
      const dialog = page.getByRole('dialog', { name: 'Webhook secret' });
      await dialog.getByText(/The old secret stays valid until/).waitFor();
      await axe();
      await story.site.ask('PUT', '/api/resource/Buyer/Ada', { city: 'Bern' });
      await receiver.until((all) => all.length > 0);
      const signatures = String(receiver.received[0]?.headers['webhook-signature']).split(' ');
      assert.equal(signatures.length, 2);
    }));

  test('unsaved changes are not lost by accident, and a save sends only the changes', () =>
    story.on({}, async ({ page, open }) => {
      const { name } = await hook({ condition: 'doc.city == "London"' });
      await open(`/app/webhooks/${name}`);
      await page
        .getByRole('spinbutton', { name: 'Timeout (seconds)' })
        .or(page.getByLabel('Timeout (seconds)'))
        .first()
        .fill('20');
      await page.getByText('Not saved').waitFor();
      await page.getByRole('link', { name: 'Home' }).first().click();
      const question = page.getByRole('dialog', { name: 'Leave without saving?' });
      await question.getByRole('button', { name: 'Stay' }).click();
      await question.waitFor({ state: 'detached' });
      const { sent } = await saveAndSee(page);
      assert.deepEqual(sent, { timeout: 20 });
    }));

  test('the list shows each webhook’s figures, and enables and disables it', () =>
    story.on({}, async ({ page, open, axe, domNodes }) => {
      const { name } = await hook({ max_retries: 0 });
      receiver.mode = 500;
      await story.site.ask('PUT', '/api/resource/Buyer/Ada', { city: 'Kiel' });
      await receiver.until((all) => all.length > 0);
      await open('/app/webhooks');
      const row = page.getByRole('row').filter({ hasText: name });
      await row.getByText('HTTP 500 Internal Server Error').waitFor();
      await row.getByText('0%').waitFor();
      await row.getByRole('img', { name: '1 deliveries, 1 of them failed' }).waitFor();
      await axe();
      assert.ok((await domNodes()) < 2_500);
      // On a phone, nothing of a webhook stands where one must scroll to.
      await page.setViewportSize({ width: 390, height: 844 });
      const table = page.getByRole('region', { name: 'Webhooks' });
      await becomes(() => table.evaluate((one) => one.scrollWidth - one.clientWidth), 0);
      await page.setViewportSize({ width: 1280, height: 800 });
      await row.getByRole('switch').click({ force: true });
      await page.getByText(`${name} is disabled`).first().waitFor();
      assert.equal((await story.site.ask('GET', `${API}/${name}`)).enabled, 0);
      await row.getByRole('link', { name }).click();
      await page.getByRole('tab', { name: 'Stats' }).click();
      await page.getByRole('region', { name: 'Responses' }).getByText('500').waitFor();
      await page
        .getByRole('region', { name: 'Most frequent errors' })
        .getByText('HTTP 500 Internal Server Error')
        .waitFor();
      await axe();
    }));

  test('retries are the site’s, none or a number, and an invalid condition gives no verdict', () =>
    story.on({}, async ({ page, open, axe }) => {
      const { name } = await hook({ condition: 'doc.city' });
      await open(`/app/webhooks/${name}`);
      const preview = page.getByRole('complementary', { name: 'Preview' });
      await preview.getByText('Sends for this document').waitFor();
      await page.getByRole('textbox', { name: 'Condition' }).fill('doc.city ==');
      await preview.getByText(/^Invalid Condition/).waitFor();
      await preview.getByText('Sends for this document').waitFor({ state: 'detached' });
      await page.getByRole('textbox', { name: 'Condition' }).fill('');
      await preview.getByText('Sends for this document').waitFor();

      const retries = page.getByRole('combobox', { name: 'Retries' }).or(page.getByLabel('Retries')).first();
      await becomes(() => retries.inputValue(), 'Site default (13)');
      await retries.click();
      await page.getByRole('option', { name: 'Custom' }).click();
      await page.getByLabel('Number of retries').fill('4');
      await axe();
      await page.getByRole('button', { name: 'Save' }).click();
      // The words "Not saved" stand there before.
      await page.getByText('Saved', { exact: true }).first().waitFor();
      assert.equal((await story.site.ask('GET', `${API}/${name}`)).max_retries, 4);
    }));
});
