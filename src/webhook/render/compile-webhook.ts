import { type Expression, parseExpression } from '../../kernel/expression/expression.ts';
import { memo } from '../../kernel/memo.ts';
import { parseTemplate, type Template } from './template.ts';

/** The texts of a webhook that have a syntax of their own, as stored; empty when not used. */
export interface WebhookTexts {
  readonly condition: string;
  readonly json: string;
  /** The address, if it is a template. */
  readonly dynamicUrl: string;
}

/** The same texts, parsed. */
export interface CompiledWebhook {
  readonly condition: Expression | null;
  readonly json: Template | null;
  readonly url: Template | null;
}

/**
 * Parses the texts of a webhook, once per object.
 * @throws ServiceError ValidationError for a stored text that is no longer valid
 */
export const compileWebhook = memo((texts: WebhookTexts): CompiledWebhook => {
  return {
    condition: texts.condition === '' ? null : parseCondition(texts.condition),
    json: texts.json === '' ? null : parseTemplate(texts.json),
    url: texts.dynamicUrl === '' ? null : parseTemplate(texts.dynamicUrl),
  };
});

/**
 * Parses the condition of a webhook, which may refer to the document before the change.
 * @throws ServiceError ValidationError
 */
export function parseCondition(source: string): Expression {
  return parseExpression(source, { before: true, locals: new Set() });
}
