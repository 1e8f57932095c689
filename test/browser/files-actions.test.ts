/** Files that are there, in a browser: moved, renamed, deleted, looked at, given to others. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import { becomes } from './support/becomes.ts';
import { drag } from './support/drag.ts';
import { filesOf, inFolder, row } from './support/files-page.ts';
import { describeStory } from './support/story.ts';
import { HOSTILE } from './support/story-doctypes.ts';
import { USERS } from './support/story-site.ts';

describeStory('the files', (story) => {
  const { makeFolder, makeFile, titlesIn } = filesOf(story);

  it('are renamed, moved and deleted by keyboard', async () => {
    await makeFolder('Work');
    await makeFolder('Kept', 'Home/Work');
    for (const name of ['a.txt', 'b.txt', 'c.txt', 'd.txt']) await makeFile(name, 'Home/Work');
    await makeFile('inside.txt', 'Home/Work/Kept');
    await story.on({}, async (admin) => {
      const { page } = admin;
      admin.expect(/417/);
      const press = async (...keys: string[]) => {
        for (const key of keys) await page.keyboard.press(key);
      };
      await inFolder(admin, 'Home/Work');
      const dialog = page.getByRole('dialog');
      const toGrid = async () => {
        await dialog.waitFor({ state: 'detached' });
        await page.getByRole('grid').focus();
      };
      await row(page, 'd.txt').waitFor();
      await toGrid();
      await press('ArrowDown', 'F2');
      const name = dialog.getByLabel('Name');
      // It selects the stem when it takes the focus, which it does by a timer.
      await name.and(page.locator(':focus')).waitFor();
      await name.fill('renamed.txt');
      await press('Enter');
      await row(page, 'renamed.txt').waitFor();

      // The folder first, then the files: d and renamed are the last two.
      await toGrid();
      await press('End', 'Shift+ArrowUp');
      await page.getByText('2 selected').waitFor();
      await page.getByRole('button', { name: 'Move to…' }).press('Enter');
      const tree = dialog.getByRole('tree');
      await tree.getByRole('treeitem', { name: /Work/ }).waitFor();
      await tree.and(page.locator(':focus')).waitFor();
      await press('ArrowRight');
      await tree.getByRole('treeitem', { name: /Kept/ }).waitFor();
      await press('ArrowRight', 'Enter');
      await dialog.getByText('To: Home/Work/Kept').waitFor();
      await admin.axe();
      await dialog.getByRole('button', { name: 'Move', exact: true }).press('Enter');
      for (const name of ['d.txt', 'renamed.txt']) await row(page, name).waitFor({ state: 'detached' });

      await toGrid();
      await press('Control+a');
      await page.getByText('3 selected').waitFor();
      await press('Delete');
      await page
        .getByRole('dialog', { name: 'Delete 2 files and 1 folder?' })
        .getByRole('button', { name: 'Delete' })
        .and(page.locator(':focus'))
        .waitFor();
      await admin.axe();
      await press('Enter');
      await dialog.getByText('1 item failed').waitFor();
      await dialog.getByText(/^Kept:/).waitFor();
      await press('Escape');
      for (const name of ['a.txt', 'b.txt']) await row(page, name).waitFor({ state: 'detached' });
      await toGrid();
      await press('Home', 'Enter');
      await row(page, 'inside.txt').waitFor();
      await toGrid();
      await press('Backspace');
      await row(page, 'Kept').waitFor();
    });
    assert.deepEqual(await titlesIn('Home/Work'), ['Kept']);
    assert.deepEqual(await titlesIn('Home/Work/Kept'), ['d.txt', 'inside.txt', 'renamed.txt']);
  });

  it('react to keys pressed before they loaded', async () => {
    await makeFolder('Quick');
    for (const name of ['a.txt', 'b.txt']) await makeFile(name, 'Home/Quick');
    await story.on({}, async (admin) => {
      const { page } = admin;
      const { keyboard } = page;
      const dialog = page.getByRole('dialog');
      let isPressed = Promise.withResolvers<void>();
      await page.route('**/api/resource/File?*limit_page_length=100*', async (route) => {
        await isPressed.promise;
        await route.continue();
      });
      await inFolder(admin, 'Home/Quick');
      await page.getByRole('grid').focus();
      await keyboard.press('F2');
      isPressed.resolve();
      await becomes(() => dialog.getByLabel('Name').inputValue(), 'a.txt');
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });

      isPressed = Promise.withResolvers();
      await page.getByRole('grid').focus();
      await keyboard.press('Control+a');
      await keyboard.press('Delete');
      isPressed.resolve();
      await page.getByRole('dialog', { name: 'Delete 2 files?' }).waitFor();
    });
  });

  it('are private: other users cannot open one, but a temporary link does', async () => {
    await makeFolder('Secret');
    const file = await makeFile('secret.txt', 'Home/Secret', 'the secret');
    await makeFile('open.txt', 'Home/Secret', 'for all', { is_private: 0 });
    const link = await story.open();
    try {
      const { page } = link;
      await link.open(`/app/files?folder=Home%2FSecret&open=${file.name}`);
      await page.getByRole('region', { name: 'Text of secret.txt' }).getByText('the secret').waitFor();
      await link.axe();
      await link.screenshot('files-preview');
      await page.getByRole('button', { name: 'Share link…' }).click();
      await page.getByRole('button', { name: 'Create link' }).click();
      const address = await page.getByRole('dialog').locator('code', { hasText: 'link=' }).innerText();
      await link.axe();
      const stranger = await fetch(address);
      assert.equal(await stranger.text(), 'the secret');
      assert.equal((await fetch(story.site.url + file.file_url)).status, 403);
      await link.assertClean();
    } finally {
      await link.close();
    }
    await story.on({ user: USERS.clerk }, async (admin) => {
      const { page } = admin;
      admin.expect(/403|404/);
      await inFolder(admin, 'Home/Secret');
      await row(page, 'open.txt').waitFor();
      assert.equal(await row(page, 'secret.txt').count(), 0);
      const reply = await page.evaluate((url) => fetch(url).then((one) => one.status), file.file_url);
      assert.equal(reply, 403);
      await admin.open(`/app/files?open=${file.name}`);
      await page.getByRole('dialog').getByRole('alert').waitFor();
    });
  });

  it('are made public and private in bulk', async () => {
    await makeFolder('Access');
    for (const name of ['a.txt', 'b.txt']) await makeFile(name, 'Home/Access');
    await story.on({}, async (admin) => {
      const { page } = admin;
      await inFolder(admin, 'Home/Access');
      await row(page, 'b.txt').waitFor();
      await page.getByRole('grid').focus();
      await page.keyboard.press('Control+a');
      await page.getByRole('button', { name: 'Access' }).click();
      await page.getByRole('menuitem', { name: 'Make public…' }).click();
      await page
        .getByRole('dialog', { name: 'Make 2 files public?' })
        .getByRole('button', { name: 'Make public' })
        .click();
      await row(page, 'a.txt').getByText('Public').waitFor();
      await row(page, 'b.txt').getByText('Public').waitFor();
    });
  });

  it('execute nothing, whatever their content and name', async () => {
    await makeFolder('Hostile');
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="window.ran='svg'"><script>window.ran='svg script'</script></svg>`;
    const html = `<!doctype html><script>window.ran='html'</script><h1>Hello</h1>`;
    const files = [
      await makeFile('picture.svg', 'Home/Hostile', svg),
      await makeFile('page.html', 'Home/Hostile', html),
      // What says that it is a picture, and is none.
      await makeFile('false.png', 'Home/Hostile', html),
    ];
    for (const name of HOSTILE) await makeFile(name.replaceAll('/', '∕'), 'Home/Hostile', 'x');
    await story.on({}, async (admin) => {
      const { page } = admin;
      admin.expect(/417/);
      for (const view of ['list', 'grid']) {
        await admin.open(`/app/files?folder=Home%2FHostile&view=${view}`);
        await page.getByText('page.html').waitFor();
        await admin.axe();
      }
      for (const { name, file_name } of files) {
        await admin.open(`/app/files?folder=Home%2FHostile&open=${name}`);
        await page
          .getByRole('dialog')
          .getByText(/No preview|window\.ran/)
          .first()
          .waitFor();
        assert.equal(await page.locator('iframe, object, embed').count(), 0, file_name);
      }
      // Nor when it is opened by itself: it is a download.
      const download = page.waitForEvent('download');
      await page.goto(files[1].file_url).catch(() => null);
      assert.equal((await download).suggestedFilename(), 'page.html');
    });
  });

  it('are downloaded as one zip', async () => {
    await makeFolder('Zip');
    for (const name of ['a.txt', 'b.txt']) await makeFile(name, 'Home/Zip');
    await story.on({}, async (admin) => {
      const { page } = admin;
      await inFolder(admin, 'Home/Zip');
      await row(page, 'b.txt').waitFor();
      await page.getByRole('grid').focus();
      await page.keyboard.press('Control+a');
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download zip' }).click();
      const bytes = await readFile(await (await download).path());
      assert.match(bytes.toString('latin1'), /^PK.*a\.txt.*b\.txt/s);
    });
  });

  it('are dragged onto folders of the list and of the tree', async () => {
    await makeFolder('Drag');
    await makeFolder('Inner', 'Home/Drag');
    for (const name of ['a.txt', 'b.txt']) await makeFile(name, 'Home/Drag');
    await story.on({}, async (admin) => {
      const { page } = admin;
      await inFolder(admin, 'Home/Drag');
      await row(page, 'a.txt').waitFor();
      await drag(row(page, 'a.txt'), row(page, 'Inner'));
      await row(page, 'a.txt').waitFor({ state: 'detached' });
      await drag(row(page, 'b.txt'), page.getByRole('tree').getByRole('treeitem', { name: /^Home/ }));
      await row(page, 'b.txt').waitFor({ state: 'detached' });
    });
    assert.deepEqual(await titlesIn('Home/Drag/Inner'), ['a.txt']);
    assert.ok((await titlesIn('Home')).includes('b.txt'));
  });

  it('are found in the tree, and link to the documents they are attached to', async () => {
    await makeFolder('Walk');
    await makeFolder('Deep', 'Home/Walk');
    await story.site.make('Buyer', { buyer_name: 'Acme', company: 'Acme' });
    await makeFile('contract.txt', 'Home/Walk/Deep', 'x', {
      attached_to_doctype: 'Buyer',
      attached_to_name: 'Acme',
    });
    await story.on({}, async (admin) => {
      const { page } = admin;
      // The keys act although only the root's count has come.
      const isCount = (url: string) => url.includes('group_by=');
      const isRootCounted = page.waitForResponse((reply) => isCount(reply.url()));
      const isDeep = Promise.withResolvers<void>();
      await page.route('**/api/resource/File?*', async (route) => {
        const url = route.request().url();
        if (!isCount(url)) await isRootCounted;
        else if (url.includes('Walk')) await isDeep.promise;
        await route.continue();
      });
      await admin.open('/app/files');
      const tree = page.getByRole('tree', { name: 'Folders' });
      await tree.getByRole('treeitem', { name: /Walk/ }).waitFor();
      await tree.focus();
      for (const key of ['w', 'ArrowRight']) await page.keyboard.press(key);
      await tree.getByRole('treeitem', { name: /Deep/ }).waitFor();
      isDeep.resolve();
      for (const key of ['ArrowRight', 'Enter']) await page.keyboard.press(key);
      await row(page, 'contract.txt').waitFor();
      const deep = tree.getByRole('treeitem', { name: /Deep/ });
      await becomes(() => deep.getAttribute('aria-selected'), 'true');
      await becomes(() => deep.getAttribute('aria-level'), '3');
      await page.goBack();
      await row(page, 'contract.txt').waitFor({ state: 'detached' });
      await page.goForward();
      await row(page, 'contract.txt').getByRole('link', { name: 'Buyer: Acme' }).click();
      await page.waitForURL('**/app/d/Buyer/Acme');
    });
  });

  it('are ten thousand in a folder, and only the visible ones are mounted', async () => {
    await makeFolder('Many');
    const { name } = await makeFile('file 00000.txt', 'Home/Many');
    story.site.copies('File', name, 10_000, {
      name: `'many-' || i`,
      file_name: `'file ' || substr('0000' || i, -5) || '.txt'`,
    });
    await story.on({}, async (admin) => {
      const { page } = admin;
      // End goes to the last row even while the count is on its way, and the next key acts on it.
      const isCounted = Promise.withResolvers<void>();
      await page.route('**/api/resource/File?*include=count*', async (route) => {
        await isCounted.promise;
        await route.continue();
      });
      await inFolder(admin, 'Home/Many');
      await row(page, 'file 00003.txt').waitFor();
      await page.getByRole('grid').focus();
      await page.keyboard.press('End');
      await page.keyboard.press('F2');
      const dialog = page.getByRole('dialog');
      await becomes(() => dialog.getByLabel('Name').inputValue(), 'file 10000.txt');
      isCounted.resolve();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await row(page, 'file 10000.txt').waitFor();
      const nodes = await admin.domNodes();
      assert.ok(nodes < 1_500, `${nodes} nodes`);
      await page.getByRole('searchbox', { name: 'Search files' }).fill('04711');
      await row(page, 'file 04711.txt').waitFor();
      await admin.axe();
    });
    await story.on({}, async (admin) => {
      const { page } = admin;
      await inFolder(admin, 'Home/Many');
      await row(page, 'file 00003.txt').waitFor();
      // Delete acts on the whole range, although its end is on its way.
      const isPressed = Promise.withResolvers<void>();
      await page.route('**/api/resource/File?*limit_page_length=100*', async (route) => {
        await isPressed.promise;
        await route.continue();
      });
      await page.getByRole('grid').focus();
      for (let at = 0; at < 12; at += 1) await page.keyboard.press('Shift+PageDown');
      await page.keyboard.press('Delete');
      isPressed.resolve();
      await page.getByRole('dialog', { name: /^Delete \d{3} files\?$/ }).waitFor();
    });
  });

  it('fit on a phone, in the dark theme and from right to left', async () => {
    await makeFolder('Small');
    await makeFile('a.txt', 'Home/Small');
    await story.on({ theme: 'dark', width: 320 }, async (admin) => {
      await inFolder(admin, 'Home/Small');
      await row(admin.page, 'a.txt').waitFor();
      await admin.axe();
      await becomes(
        () => admin.page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
        false,
      );
      await admin.screenshot('files-list');
    });
    await story.on({ locale: 'ar' }, async (admin) => {
      await inFolder(admin, 'Home/Small');
      await row(admin.page, 'a.txt').waitFor();
      await becomes(() => admin.page.evaluate(() => document.documentElement.dir), 'rtl');
      await admin.axe();
      await admin.screenshot('files-arabic');
    });
  });
});
