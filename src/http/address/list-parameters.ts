import type { JsonSchema } from '../../doctype/json-schema-value.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { LIST_PARAMETERS, PAGING_PARAMETERS } from '../../query/list-query.ts';
import { ref } from './operation.ts';

// Viewers send an example as a value by default, and no example fits every doctype. So the example is in the
// description.
const json = (description: string, example: unknown): JsonSchema => ({
  description: `${description} For example \`${JSON.stringify(example)}\`.`,
  content: { 'application/json': { schema: {} } },
});
const whole = (description: string): JsonSchema => ({ description, schema: { type: 'integer', minimum: 0 } });
const text = (description: string): JsonSchema => ({ description, schema: { type: 'string' } });

/** Parameters with a description. */
const MEANINGS: Readonly<Record<string, JsonSchema>> = {
  fields: json('Fields of each row; `["*"]` for all. Default: `["name"]`.', ['name', 'modified']),
  filters: json(
    'Rows must meet all of these: `[[field, operator, value], …]`, `{"field": value}` or `{"field": [operator, value]}`.',
    [['modified', '>', '2026-01-01']],
  ),
  or_filters: json('Rows must meet one of these; the same shapes as `filters`.', [['name', 'like', 'A%']]),
  order_by: text('`field asc` or `field desc`, separated by commas; `name` is always the last term.'),
  limit_start: whole('Rows to skip.'),
  start: whole('Another name of `limit_start`.'),
  limit_page_length: {
    description: `The largest number of rows, up to ${LIMITS.maxPageLength}. 0 means all; only administrators may send it.`,
    schema: { type: 'integer', minimum: 0, default: 20 },
  },
  limit: whole('Another name of `limit_page_length`.'),
  group_by: text(
    'Fieldnames, separated by commas: one row for each combination of their values. `field:month` groups dates by period: day, week, month, quarter or year.',
  ),
  distinct: {
    description: 'Returns equal rows once. `distinct` before the first of `fields` does the same.',
    schema: { type: 'boolean', default: false },
  },
  expand: json('Link fields to replace by objects with fields of the linked document.', ['customer']),
  parent: text(
    'For a list of child rows: the doctype of their documents, which you must be allowed to read.',
  ),
  parent_doctype: text('Another name of `parent`.'),
  after: text('The cursor of the previous page.'),
  include: text('`cursor`, `count` or both, separated by a comma: keys that the reply has beside `data`.'),
  count: {
    description: '`exact` counts all rows, without a cap.',
    schema: { type: 'string', enum: ['exact'] },
  },
  as_dict: {
    description: '`false` returns arrays in the order of `fields` instead of objects.',
    schema: { type: 'boolean', default: true },
  },
};

/** Every parameter that lists understand, as components. */
export const LIST_PARAMETER_COMPONENTS: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  [...LIST_PARAMETERS, ...PAGING_PARAMETERS].map((name) => [
    `list.${name}`,
    { name, in: 'query', ...(MEANINGS[name] ?? text('See the guide to lists.')) },
  ]),
);

/** References to all of them. */
export const LIST_PARAMETER_REFS: readonly JsonSchema[] = Object.keys(LIST_PARAMETER_COMPONENTS).map((name) =>
  ref('parameters', name),
);
