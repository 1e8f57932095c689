import type { ValuesOf } from '../../doctype/arguments.ts';
import type { Context, Method } from '../../document/contract.ts';
import { listDocuments } from '../../document/list/list.ts';
import { defineMethod } from '../../document/verbs/method.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { fewDocuments, type Marked, markable, openMarked, writeSide } from './side.ts';

const TAGGED = {
  tag: { type: 'Text', required: true },
  dt: { type: 'Data', required: true, description: 'A doctype' },
  dn: { type: 'Data', required: true, description: 'Name of a document' },
} as const;

/** Tags of a document: `_user_tags`, each preceded by a comma. They require the write right. */
export const tagMethods: Readonly<Record<string, Method>> = {
  'frappe.desk.doctype.tag.tag.add_tag': defineMethod({
    http: ['POST', 'PUT'],
    description: 'Add a tag to a document',
    // Accepted for Frappe's clients: tags have no color here.
    args: { ...TAGGED, color: { type: 'JSON' } },
    async run(ctx, args) {
      const tag = tagOf(args.tag);
      await changeTags(ctx, args, (tags) => (tags.includes(tag) ? tags : [...tags, tag]));
      return tag;
    },
  }),

  'frappe.desk.doctype.tag.tag.add_tags': defineMethod({
    http: ['POST', 'PUT'],
    description: 'Add tags to several documents: all or none',
    args: {
      tags: { type: 'Data', list: true, required: true },
      dt: TAGGED.dt,
      docs: { type: 'Data', list: true, required: true, description: 'Names of documents' },
      color: { type: 'JSON' },
    },
    async run(ctx, { tags, dt, docs }) {
      const added = [...new Set(tags.map(tagOf))];
      for (const dn of fewDocuments(docs)) {
        await changeTags(ctx, { dt, dn }, (stored) => [
          ...stored,
          ...added.filter((tag) => !stored.includes(tag)),
        ]);
      }
      return null;
    },
  }),

  'frappe.desk.doctype.tag.tag.get_tags': defineMethod({
    http: ['GET', 'POST'],
    description:
      'List tags of the last changed documents of a doctype that contain a text; only of readable documents',
    args: { doctype: { type: 'Data', required: true }, txt: { type: 'Text' } },
    run: (ctx, { doctype, txt }) => suggestTags(ctx, doctype, txt?.trim() ?? ''),
  }),

  'frappe.desk.doctype.tag.tag.remove_tag': defineMethod({
    http: ['POST', 'PUT'],
    description: 'Remove a tag from a document',
    args: TAGGED,
    async run(ctx, args) {
      const tag = args.tag.trim().toLowerCase();
      await changeTags(ctx, args, (tags) => tags.filter((one) => one.toLowerCase() !== tag));
      return null;
    },
  }),
};

function tagOf(given: string): string {
  const tag = given.trim().normalize('NFC');
  // Control characters would be stored unchanged, and neither engine stores lone surrogates.
  if (tag === '' || tag.includes(',') || /\p{Cc}/u.test(tag) || !tag.isWellFormed()) {
    throw new ServiceError('ValidationError', 'A tag must be a text without commas');
  }
  if ([...tag].length > LIMITS.tagLength) {
    throw new ServiceError('ValidationError', `A tag may have at most ${LIMITS.tagLength} characters`);
  }
  return tag;
}

async function changeTags(
  ctx: Context,
  { dt, dn }: Pick<ValuesOf<typeof TAGGED>, 'dt' | 'dn'>,
  change: (tags: readonly string[]) => readonly string[],
): Promise<void> {
  const marked = await openMarked(ctx, dt, dn, 'write');
  const stored = tagsIn(marked);
  const tags = change(stored);
  if (tags.length === stored.length) return;
  if (tags.length > LIMITS.tags) {
    throw new ServiceError('ValidationError', `A document may have at most ${LIMITS.tags} tags`);
  }
  await writeSide(ctx, marked, '_user_tags', tags.map((tag) => `,${tag}`).join(''));
}

async function suggestTags(ctx: Context, doctypeName: string, text: string): Promise<string[]> {
  const doctype = markable(ctx, doctypeName);
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  const rows = await listDocuments(ctx, doctype.name, {
    fields: ['_user_tags'],
    filters: [text === '' ? ['_user_tags', 'is', 'set'] : ['_user_tags', 'like', pattern]],
    order_by: 'modified desc',
    limit_page_length: LIMITS.tagSources,
  });
  const sought = text.toLowerCase();
  const found = new Set(rows.flatMap((row) => tagsOf(row['_user_tags'])));
  return [...found]
    .filter((tag) => tag.toLowerCase().includes(sought))
    .sort((a, b) => a.localeCompare(b, 'en'))
    .slice(0, LIMITS.tagSuggestions);
}

function tagsIn({ doc }: Marked): readonly string[] {
  return tagsOf(doc['_user_tags']);
}

function tagsOf(stored: unknown): readonly string[] {
  return String(stored ?? '')
    .split(',')
    .filter((tag) => tag !== '');
}
