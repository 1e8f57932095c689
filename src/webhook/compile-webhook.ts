import { type Expression, parseExpression } from '../kernel/expression/expression.ts';
import { parseTemplate, type Template } from './template.ts';

/** What of a webhook is written in a language of its own, as it is stored; empty texts for what is not used. */
export interface WebhookTexts {
  readonly condition: string;
  readonly json: string;
  /** The address, when it is a template. */
  readonly dynamicUrl: string;
}

/** The same, read. */
export interface CompiledWebhook {
  readonly condition: Expression | null;
  readonly json: Template | null;
  readonly url: Template | null;
}

const compiled = new WeakMap<WebhookTexts, CompiledWebhook>();

/**
 * Reads what a webhook says, once for each object that holds it.
 * @throws ServiceError ValidationError for what could not be stored any more, but was
 */
export function compileWebhook(texts: WebhookTexts): CompiledWebhook {
  let made = compiled.get(texts);
  if (!made) {
    made = {
      condition: texts.condition === '' ? null : parseCondition(texts.condition),
      json: texts.json === '' ? null : parseTemplate(texts.json),
      url: texts.dynamicUrl === '' ? null : parseTemplate(texts.dynamicUrl),
    };
    compiled.set(texts, made);
  }
  return made;
}

/**
 * The condition of a webhook: it may also ask what the document was before.
 * @throws ServiceError ValidationError
 */
export function parseCondition(source: string): Expression {
  return parseExpression(source, { before: true, locals: new Set() });
}
