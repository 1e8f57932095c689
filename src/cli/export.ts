import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { COMMAND_LINE } from '../access/audit.ts';
import { readContext } from '../document/context.ts';
import { exportList } from '../document/list/export.ts';
import { FORMATS, type Format, formatNamed } from '../exchange/line.ts';
import { size } from '../kernel/quantity.ts';
import { type Command, type Invocation, UsageError } from './command.ts';
import { exportSite, SITE_USAGE } from './export-site.ts';
import { showProgress } from './show-progress.ts';
import { userNamed } from './user-named.ts';
import { withOpenSite } from './with-site.ts';

export const exportCommand: Command = {
  help: 'write a whole site to a folder, or the documents of a list to a file or to standard output',
  usage: [
    SITE_USAGE,
    '--doctype <doctype> [--filters <json>] [--order-by <term>] [--fields <a,b>] [--format <csv|xlsx|json|ndjson>] [--labels] [--user <email>] [<file>]',
  ],
  run: (invocation) => (invocation.words[0] === 'site' ? exportSite(invocation) : exportToFile(invocation)),
};

async function exportToFile({ config, flags, words, print }: Invocation): Promise<number> {
  const [file] = words;
  const text = (name: string) => (typeof flags[name] === 'string' ? flags[name] : undefined);
  const request = {
    format: formatOf(text('format'), file),
    fields: (text('fields') ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
    hasLabels: flags['labels'] === true,
    filters: text('filters'),
    or_filters: undefined,
    order_by: text('order-by'),
  };
  return withOpenSite(config, async (site) => {
    const ctx = readContext(site, await userNamed(site, text('user')), COMMAND_LINE);
    const pieces = await exportList(ctx, String(flags['doctype']), request);
    if (file === undefined) {
      await pipeline(Readable.from(pieces, { objectMode: false }), process.stdout, { end: false });
      return 0;
    }
    const bytes = await writeFile(file, pieces);
    print(`${file} has ${size(bytes)}.`);
    return 0;
  });
}

function formatOf(flag: string | undefined, file: string | undefined): Format {
  const format = flag ?? (file && formatNamed(file)) ?? 'csv';
  const known = FORMATS.find((one) => one === format);
  if (known) return known;
  throw new UsageError(`--format must be one of ${FORMATS.join(', ')}`);
}

/** A file is complete, or not there under its name. */
async function writeFile(file: string, pieces: AsyncIterable<Uint8Array>): Promise<number> {
  const partial = `${file}.part`;
  const { show, end } = showProgress();
  let bytes = 0;
  async function* counted() {
    for await (const piece of pieces) {
      bytes += piece.length;
      show(size(bytes));
      yield piece;
    }
  }
  try {
    await pipeline(counted, createWriteStream(partial));
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  } finally {
    end();
  }
  return bytes;
}
