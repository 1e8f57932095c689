import type { ValuesOf } from '../../doctype/arguments.ts';
import type { Context, Method } from '../../document/contract.ts';
import { defineMethod } from '../../document/verbs/method.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { type Marked, openMarked, writeSide } from './side.ts';

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
  { dt, dn }: ValuesOf<typeof TAGGED>,
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

function tagsIn({ doc }: Marked): readonly string[] {
  return String(doc['_user_tags'] ?? '')
    .split(',')
    .filter((tag) => tag !== '');
}
