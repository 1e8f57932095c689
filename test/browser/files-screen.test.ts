/** Files in the admin UI, as people use them in a browser. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { startProxy } from '../support/proxy.ts';
import { choose, chooseFolder, filesOf, inFolder, PNG, row, text, uploaded } from './support/files-page.ts';
import { describeStory } from './support/story.ts';

describeStory('uploaded files', (story) => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chancery-files-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));
  const { makeFolder, titlesIn } = filesOf(story);

  it('come from a file input, with the site’s or the chosen access, and show their size', async () => {
    await makeFolder('Chosen');
    await story.on({}, async (admin) => {
      const { page } = admin;
      await inFolder(admin, 'Home/Chosen');
      await page.getByText('This folder is empty').waitFor();
      await admin.axe();
      // Private, although the site's API makes uploads public that say nothing.
      const { site } = await story.site.ask('GET', '/api/method/chancery.ui.boot');
      assert.equal(site.private_uploads, 0);
      await page.getByRole('button', { name: 'New files are private' }).waitFor();
      await page.getByRole('button', { name: 'New files are private' }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Public: anyone with the link can read it' }).click();
      await page.getByRole('button', { name: 'New files are public' }).waitFor();
      await choose(page, [text('a.txt', 'hello')]);
      await uploaded(page, '1 file');
      await row(page, 'a.txt').getByText('5 bytes').waitFor();
      await row(page, 'a.txt').getByText('Public').waitFor();
      await page.getByRole('button', { name: 'New files are public' }).click();
      await page.getByRole('menuitemcheckbox', { name: /^Private/ }).click();
      await page.getByRole('button', { name: 'New files are private' }).waitFor();
      await choose(page, [text('b.csv', 'a,b\n1,2\n'), text('picture.png', PNG)]);
      await uploaded(page, '3 files');
      await row(page, 'picture.png').getByText('Private').waitFor();
      await admin.axe();
      await admin.screenshot('files-list');
      await page.getByRole('radiogroup', { name: 'How files are shown' }).getByText('Tiles').click();
      await page
        .getByRole('gridcell', { name: /picture\.png/ })
        .locator('img')
        .waitFor();
      await admin.axe();
      await admin.screenshot('files-tiles');
    });
    assert.deepEqual(await titlesIn('Home/Chosen'), ['a.txt', 'b.csv', 'picture.png']);
  });

  it('are paused and resumed, also after a reload when the same file is chosen again', async (t) => {
    await makeFolder('Large');
    const content = Buffer.alloc(24 * 1024 * 1024, 'abcdefgh');
    const path = join(folder, 'large.bin');
    await writeFile(path, content);
    const { hostname: host, port } = new URL(story.site.url);
    const wire = await startProxy({ host, port: Number(port) });
    t.after(() => wire.cut());
    await story.on({ origin: `http://${host}:${wire.port}` }, async (admin) => {
      const { page } = admin;
      await inFolder(admin, 'Home/Large');
      // The rest takes minutes.
      wire.limit(256 * 1024);
      await choose(page, [path]);
      const panel = page.getByRole('region', { name: 'Uploads' });
      await panel.getByText(/[1-9][\d.]* MB of 25.2 MB/).waitFor();
      await page.getByRole('button', { name: 'Pause large.bin' }).click();
      await panel.getByText(/Paused at/).waitFor();
      await admin.axe();
      await admin.screenshot('files-upload');
      await page.getByRole('button', { name: 'Resume large.bin' }).click();
      await panel.getByRole('button', { name: 'Pause large.bin' }).waitFor();

      await page.reload();
      const rest = page.getByRole('region', { name: 'Unfinished uploads' });
      await rest.getByText('large.bin').waitFor();
      const found = async () => {
        const all = await story.site.ask('GET', '/api/method/chancery.file.uploads');
        return all.filter((one: { file_name: string }) => one.file_name === 'large.bin');
      };
      const before = await found();
      wire.limit(null);
      await page.getByLabel('Choose large.bin again').setInputFiles(path);
      await uploaded(page, '1 file');
      const after = await found();
      assert.deepEqual(
        [before.length, after.length, after[0].upload, typeof after[0].file],
        [1, 1, before[0].upload, 'string'],
      );
    });
    const { file_url: url } = (
      await story.site.ask(
        'GET',
        '/api/resource/File?filters=[["file_name","=","large.bin"]]&fields=["file_url"]',
      )
    )[0];
    const reply = await fetch(story.site.url + url, {
      headers: { authorization: `token ${story.site.key}` },
    });
    assert.ok(Buffer.from(await reply.arrayBuffer()).equals(content));
  });

  it('come as folders, chosen or dropped, and keep the folder names', async () => {
    await makeFolder('Trees');
    const tree = join(folder, 'Plans');
    await mkdir(join(tree, 'May', 'Empty'), { recursive: true });
    await writeFile(join(tree, 'all.txt'), 'all');
    await writeFile(join(tree, 'May', 'may.txt'), 'may');
    await story.on({}, async (admin) => {
      const { page } = admin;
      await inFolder(admin, 'Home/Trees');
      await chooseFolder(page, tree);
      await uploaded(page, '2 files');
      // What the browser gives of a drop, without the folders that no script can make.
      const transfer = await page.evaluateHandle(() => {
        const data = new DataTransfer();
        data.items.add(new File(['dropped'], 'dropped.txt'));
        return data;
      });
      const target = page.getByRole('region', { name: 'Home/Trees' });
      await target.dispatchEvent('dragover', { dataTransfer: transfer });
      await page.getByText('Drop files and folders to upload them to Home/Trees').waitFor();
      await target.dispatchEvent('drop', { dataTransfer: transfer });
      await uploaded(page, '3 files');
      const into = row(page, 'Plans');
      await target.dispatchEvent('dragover', { dataTransfer: transfer });
      await page.getByText('Drop files and folders to upload them to Home/Trees').waitFor();
      await into.dispatchEvent('dragover', { dataTransfer: transfer });
      await page
        .getByText('Drop files and folders to upload them to Home/Trees')
        .waitFor({ state: 'detached' });
      await into.dispatchEvent('drop', { dataTransfer: transfer });
      await uploaded(page, '4 files');
    });
    assert.deepEqual(await titlesIn('Home/Trees'), ['Plans', 'dropped.txt']);
    assert.deepEqual(await titlesIn('Home/Trees/Plans'), ['May', 'all.txt', 'dropped.txt']);
    assert.deepEqual(await titlesIn('Home/Trees/Plans/May'), ['may.txt']);
  });

  it('show why one was refused, and retry it', async () => {
    await makeFolder('Refused');
    const allow = (extensions: string) =>
      story.site.ask('PUT', '/api/resource/System Settings/System Settings', {
        allowed_file_extensions: extensions,
      });
    await allow('TXT');
    try {
      await story.on({}, async (admin) => {
        const { page } = admin;
        admin.expect(/417/);
        await inFolder(admin, 'Home/Refused');
        await choose(page, [text('a.txt'), text('b.exe')]);
        const panel = page.getByRole('region', { name: 'Uploads' });
        await panel.getByText('1 file failed to upload').waitFor();
        await panel.getByText(/EXE is not allowed/).waitFor();
        await admin.axe();
        await allow('');
        await page.getByRole('button', { name: 'Try b.exe again' }).click();
        await uploaded(page, '2 files');
      });
    } finally {
      await allow('');
    }
    assert.deepEqual(await titlesIn('Home/Refused'), ['a.txt', 'b.exe']);
  });
});
