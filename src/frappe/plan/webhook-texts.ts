import { ServiceError } from '../../kernel/errors.ts';
import { parseCondition } from '../../webhook/render/compile-webhook.ts';
import { parseTemplate } from '../../webhook/render/template.ts';
import type { SourceSchema } from './read-schema.ts';

/** A webhook of a source with a text that this server does not understand, and why. */
export interface WebhookProblem {
  readonly webhook: string;
  readonly field: string;
  readonly problem: string;
}

const TEXTS = [
  ['condition', parseCondition],
  ['webhook_json', parseTemplate],
] as const;

/** Tries the conditions and templates of webhooks, which are Python and Jinja there, and small languages here. */
export function webhookProblems(schema: Pick<SourceSchema, 'rows'>): WebhookProblem[] {
  return schema.rows('Webhook').flatMap((row) =>
    TEXTS.flatMap(([field, parse]) => {
      const text = String(row[field] ?? '').trim();
      const problem = text === '' ? null : problemOf(() => parse(text));
      return problem === null ? [] : [{ webhook: String(row['name']), field, problem }];
    }),
  );
}

function problemOf(parse: () => unknown): string | null {
  try {
    parse();
    return null;
  } catch (error) {
    if (error instanceof ServiceError) return error.message;
    throw error;
  }
}
