import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { forceColours } from './support/media.ts';
import { describeStory } from './support/story.ts';

const FILE =
  'Buyer Name;Company;Mail;Since\nada;Ada & Co;ada@example.com;x\nbo;Bo Ltd;not an address;y\ncy;;cy@example.com;z\n';

describeStory('the import of a file', (story) => {
  const names = async () =>
    (await story.site.ask('GET', '/api/resource/Buyer?order_by=name asc')).map(
      ({ name }: { name: string }) => name,
    );

  test('from the drop to the undo', async () => {
    await story.on({}, async ({ page, open, axe, screenshot }) => {
      await open('/app/d/Buyer');
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Import…' }).click();
      const transfer = await page.evaluateHandle((text) => {
        const data = new DataTransfer();
        data.items.add(new File([text], 'buyers.csv'));
        return data;
      }, FILE);
      const zone = page.getByText('Or drop it here');
      await zone.dispatchEvent('dragover', { dataTransfer: transfer });
      await zone.dispatchEvent('drop', { dataTransfer: transfer });

      const fieldOf = (column: string) => page.getByRole('combobox', { name: `Field for ${column}` });
      await fieldOf('Buyer Name').waitFor();
      assert.equal(await fieldOf('Company').inputValue(), 'Company');
      assert.equal(await fieldOf('Since').inputValue(), 'Leave out');
      await fieldOf('Mail').click();
      await page.getByRole('option', { name: 'Email', exact: true }).click();
      const preview = page.getByRole('region', { name: 'First rows of the file' });
      await preview.getByRole('columnheader', { name: 'Email' }).waitFor();
      await axe();
      await screenshot('import-columns');

      await page.getByRole('button', { name: 'Check the file' }).click();
      const problems = page.getByRole('region', { name: 'Problems by row' });
      const bad = problems.getByRole('row', { name: /^3 / });
      await bad.waitFor();
      assert.match(await bad.innerText(), /Email\s.*not an address/s);
      assert.equal((await names()).length, 0);
      await axe();
      await screenshot('import-checked');

      await page.getByRole('button', { name: 'Import 2 buyers' }).click();
      await page.getByRole('region', { name: 'Progress' }).getByText('Done', { exact: true }).waitFor();
      assert.deepEqual(await names(), ['ada', 'cy']);
      const link = page.getByRole('link', { name: 'Download the rows with errors (CSV)' });
      const [report] = await Promise.all([page.waitForEvent('download'), link.click()]);
      const lines = (await readFile(await report.path(), 'utf8')).trim().split('\r\n');
      assert.equal(lines.length, 2);
      assert.match(lines[1] ?? '', /^bo,Bo Ltd,not an address,y,/);
      await page.getByRole('combobox', { name: 'Kind of problem' }).click();
      await page.getByRole('option', { name: 'Broken link' }).click();
      await page.getByText('No problem of this kind.').waitFor();
      const stored = page.getByRole('region', { name: 'Stored records' });
      assert.match(await stored.getByRole('row', { name: /^cy / }).innerText(), /Created\s+4/);
      await axe();
      await page.getByRole('link', { name: 'Show the imported buyers' }).click();
      await page.getByRole('row', { name: /Ada & Co/ }).waitFor();
      await page.getByText('(2)', { exact: true }).waitFor();

      await open('/app/d/Data%20Load');
      await page.getByRole('link', { name: 'buyers.csv' }).click();
      await page.getByRole('button', { name: 'Undo the import…' }).click();
      await page.getByRole('dialog').getByText('2 records that it created are deleted.').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Undo', exact: true }).click();
      await page.getByText('Undone', { exact: true }).first().waitFor();
      assert.deepEqual(await names(), []);
      await axe();
    });
  });

  test('Excel and JSON, with forced colours', async () => {
    await story.site.make('Buyer', { buyer_name: 'dee', company: 'Dee' });
    const files = await Promise.all(
      (['xlsx', 'json'] as const).map(async (format) => {
        const path = `/api/method/chancery.export?doctype=Buyer&fields=buyer_name,company&format=${format}`;
        const headers = { authorization: `token ${story.site.key}` };
        const reply = await fetch(story.site.url + path, { headers });
        return { name: `buyers.${format}`, buffer: Buffer.from(await reply.arrayBuffer()) };
      }),
    );
    await story.on({}, async ({ page, open }) => {
      await forceColours(page);
      for (const { name, buffer } of files) {
        await story.site.ask('DELETE', '/api/resource/Buyer/dee');
        await open('/app/import/Buyer');
        const mimeType = 'application/octet-stream';
        await page.getByLabel('File to import').setInputFiles({ name, mimeType, buffer });
        const preview = page.getByRole('region', { name: 'First rows of the file' });
        await preview.getByRole('row', { name: 'dee Dee' }).waitFor();
        const box = page.getByRole('checkbox', { name: 'Run no hooks of apps' });
        await box.check();
        const [mark, ground] = await box.evaluate((input) => {
          const icon = input.parentElement?.querySelector('svg') ?? input;
          return [getComputedStyle(icon).color, getComputedStyle(input).backgroundColor];
        });
        assert.notEqual(mark, ground);
        await page.getByRole('button', { name: 'Import without a check' }).click();
        await page.getByRole('region', { name: 'Progress' }).getByText('Done', { exact: true }).waitFor();
        assert.deepEqual(await names(), ['dee'], name);
      }
    });
  });
});
