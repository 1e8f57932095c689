import type { KnownArguments } from '../../doctype/arguments.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { Context } from '../contract.ts';
import { pickDocuments } from '../list/list.ts';

/**
 * Checks that every document named by a Link argument exists for the caller. A hidden one counts as missing.
 * @throws ServiceError LinkValidationError naming the arguments, PermissionError without any right on the
 * doctype
 */
export async function checkArgumentLinks(
  ctx: Context,
  known: KnownArguments,
  values: Readonly<Record<string, unknown>>,
): Promise<void> {
  const missing: string[] = [];
  for (const [name, { argument, field }] of known) {
    if (argument.type !== 'Link') continue;
    const names = new Set([values[name]].flat().filter((one) => typeof one === 'string'));
    if (names.size === 0) continue;
    const found = await seen(ctx, argument.options, [...names]);
    const absent = [...names].filter((one) => !found.has(one));
    missing.push(...absent.map((one) => `${field.label}: ${one}`));
  }
  if (missing.length === 0) return;
  const named = missing.slice(0, LIMITS.problemsNamed).join(', ');
  throw new ServiceError('LinkValidationError', `Could not find ${named}`);
}

async function seen(
  ctx: Context,
  doctypeName: string,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const doctype = ctx.doctypes.find(doctypeName);
  if (!doctype) throw new Error(`a method links to ${doctypeName}, which is not a doctype`);
  if (doctype.issingle) return new Set([doctype.name]);
  const rows = await pickDocuments(ctx, doctypeName, {
    filters: [['name', 'in', names]],
    limit_page_length: names.length,
  });
  return new Set(rows.map((row) => String(row['name'])));
}
