import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Page } from 'playwright-core';
import { IS_FIREFOX } from '../../support/browser.ts';
import type { AdminPage } from './admin-page.ts';
import type { Story } from './story.ts';

/** A picture of one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==',
  'base64',
);

/** A file to choose. */
export const text = (name: string, content: string | Buffer = name) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(content),
});

/** Chooses files as the dialog of the system would. */
export async function choose(
  page: Page,
  files: readonly ReturnType<typeof text>[] | readonly string[],
): Promise<void> {
  await page.getByLabel('Files to upload', { exact: true }).setInputFiles(files as string[]);
}

/** Chooses a folder as the dialog of the system would. WebDriver BiDi has no such choice: the input gets its files. */
export async function chooseFolder(page: Page, path: string): Promise<void> {
  const input = page.getByLabel('Folder to upload');
  if (!IS_FIREFOX) return input.setInputFiles(path);
  const found = readdirSync(path, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const files = found.map(({ name, parentPath }) => ({
    name,
    path: relative(dirname(path), join(parentPath, name)),
    content: readFileSync(join(parentPath, name), 'utf8'),
  }));
  await input.evaluate((element, given) => {
    const data = new DataTransfer();
    for (const { name, path, content } of given) {
      const file = new File([content], name);
      Object.defineProperty(file, 'webkitRelativePath', { value: path });
      data.items.add(file);
    }
    Object.defineProperty(element, 'files', { value: data.files, configurable: true });
    element.dispatchEvent(new Event('change', { bubbles: true }));
  }, files);
}

/** The line of a file or folder. */
export const row = (page: Page, name: string) =>
  page.getByRole('row', { name: new RegExp(`(^|\\s)${escaped(name)}`) });

function escaped(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Waits until so many files are there. */
export async function uploaded(page: Page, count: string): Promise<void> {
  await page.getByRole('region', { name: 'Uploads' }).getByText(`${count} uploaded`).waitFor();
}

/** Opens a folder. */
export async function inFolder({ open }: AdminPage, folder: string): Promise<void> {
  await open(`/app/files?folder=${encodeURIComponent(folder)}`);
}

/** Makes and reads files by the API. */
export function filesOf(story: Story) {
  const makeFolder = (title: string, folder = 'Home') =>
    story.site.ask('POST', '/api/method/frappe.core.api.file.create_new_folder', {
      file_name: title,
      folder,
    });
  const makeFile = (file_name: string, folder: string, content = file_name, more: object = {}) =>
    story.site.make('File', { file_name, folder, content, is_private: 1, ...more });
  const titlesIn = async (folder: string): Promise<string[]> => {
    const filters = encodeURIComponent(JSON.stringify([['folder', '=', folder]]));
    const fields = encodeURIComponent('["file_name"]');
    const rows = await story.site.ask(
      'GET',
      `/api/resource/File?filters=${filters}&fields=${fields}&order_by=file_name`,
    );
    return rows.map((one: { file_name: string }) => one.file_name);
  };
  return { makeFolder, makeFile, titlesIn };
}
