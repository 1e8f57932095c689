/** What hangs on a document, beside and below its form. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { becomes } from './support/becomes.ts';
import { control, save } from './support/form-page.ts';
import { describeStory } from './support/story.ts';
import { HOSTILE } from './support/story-doctypes.ts';

describeStory('activity and attachments of a document', (story) => {
  let made = 0;
  const buyer = async (fields: object = {}): Promise<string> => {
    made += 1;
    const { name } = await story.site.make('Buyer', {
      buyer_name: `Buyer ${made}`,
      company: 'Before',
      ...fields,
    });
    return name;
  };
  const filesOf = (name: string) =>
    story.site.ask(
      'GET',
      `/api/resource/File?fields=["file_name","is_private"]&filters=${JSON.stringify([['attached_to_name', '=', name]])}`,
    );

  test('attached files are private, and are made public and deleted', async () => {
    const name = await buyer();
    await story.on({}, async ({ page, open, axe }) => {
      await open(`/app/d/Buyer/${encodeURIComponent(name)}`);
      const rail = page.getByRole('complementary', { name: 'About this document' });
      const hostile = '<img src=x onerror=window.ran=1>.txt';
      await rail.locator('input[type="file"]').setInputFiles([
        { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('some notes') },
        { name: hostile, mimeType: 'text/plain', buffer: Buffer.from('x') },
      ]);
      await rail.getByRole('link', { name: 'notes.txt' }).waitFor();
      await rail.getByRole('link', { name: /onerror/ }).waitFor();
      await axe();
      await rail.getByRole('button', { name: 'notes.txt is private. Make it public' }).click();
      await rail.getByText('Public: anyone with the link can read it').waitFor();
      await axe();
      await rail.getByRole('button', { name: 'notes.txt is public. Make it private' }).click();
      await rail.getByText('Public: anyone with the link can read it').waitFor({ state: 'detached' });
      await rail.getByRole('button', { name: /Remove .*onerror/ }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await rail.getByRole('link', { name: /onerror/ }).waitFor({ state: 'detached' });
    });
    assert.deepEqual(await filesOf(name), [{ file_name: 'notes.txt', is_private: 1 }]);
  });

  test('a comment is written by keyboard and shows the typed text', async () => {
    const name = await buyer();
    await story.on({}, async ({ page, open }) => {
      await open(`/app/d/Buyer/${encodeURIComponent(name)}`);
      const box = page.getByRole('textbox', { name: 'Comment' });
      const said = (line: string) =>
        page.getByRole('region', { name: 'Activity' }).getByRole('listitem').filter({ hasText: line });
      const hostile = HOSTILE[0] ?? '';
      for (const line of ['Nice people', hostile]) {
        await box.fill(line);
        // The second press comes too early to be another comment.
        await box.press('Control+Enter');
        await box.press('Control+Enter');
        await said(line).waitFor();
        await becomes(() => box.inputValue(), '');
      }
      await said(hostile).getByRole('button', { name: 'Delete comment' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await said(hostile).waitFor({ state: 'detached' });
      await becomes(() => said('Nice people').count(), 1);
    });
  });

  test('a double click before the next render sends one request', async () => {
    const name = await buyer();
    await story.on({}, async ({ page, open }) => {
      const sent: string[] = [];
      page.on('request', (request) => {
        if (request.url().includes('add_comment')) sent.push(request.url());
      });
      await open(`/app/d/Buyer/${encodeURIComponent(name)}`);
      await page.getByRole('textbox', { name: 'Comment' }).fill('Once');
      await page.getByRole('button', { name: 'Add comment' }).evaluate((button: HTMLButtonElement) => {
        button.click();
        button.click();
      });
      // Both presses have sent what they send before the first comment shows.
      await page.getByRole('listitem').getByText('Once', { exact: true }).waitFor();
      assert.equal(sent.length, 1);
    });
  });

  test('a version shows its changes, and restores values into the form', async () => {
    const name = await buyer({ city: 'Basel' });
    await story.site.ask('PUT', `/api/resource/Buyer/${encodeURIComponent(name)}`, {
      company: 'After',
      city: HOSTILE[0],
    });
    await story.on({}, async ({ page, open, axe, screenshot }) => {
      await open(`/app/d/Buyer/${encodeURIComponent(name)}`);
      await page.getByRole('tab', { name: 'Versions' }).click();
      await page.getByRole('button', { name: /Company, City/ }).click();
      const changes = page.getByRole('region', { name: 'Activity' }).locator('dl');
      await changes.filter({ hasText: /Company\s*Before: Before\s*After: After/ }).waitFor();
      await axe();
      await screenshot('activity-version');
      await page.getByRole('button', { name: 'Restore the values before this change' }).click();
      await becomes(() => control(page, 'company').inputValue(), 'Before');
      await save(page);
    });
    const doc = await story.site.ask('GET', `/api/resource/Buyer/${encodeURIComponent(name)}`);
    assert.deepEqual([doc.company, doc.city], ['Before', 'Basel']);
  });

  test('linked documents open, and readers cannot change anything', async () => {
    const name = await buyer();
    const { name: bill } = await story.site.make('Bill', {
      title: 'Linked',
      buyer: name,
      items: [{ item: 'Pen' }],
    });
    await story.on({ user: 'reader@example.com', theme: 'dark' }, async ({ page, open, axe }) => {
      await open(`/app/d/Buyer/${encodeURIComponent(name)}`);
      const rail = page.getByRole('complementary', { name: 'About this document' });
      await rail.getByRole('link', { name: bill }).waitFor();
      assert.equal(await rail.getByRole('button', { name: 'Attach files' }).count(), 0);
      await axe();
      await rail.getByRole('link', { name: bill }).click();
      await page.getByRole('heading', { level: 1, name: 'Linked' }).waitFor();
    });
  });
});
