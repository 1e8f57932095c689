import { t, tn } from '../../base/i18n.ts';
import { Alert } from '../../widgets/feedback.tsx';
import { Muted, Stack } from '../../widgets/layout.tsx';
import type { Plan, TablePlan } from './design-data.ts';
import css from './designer.module.css';
import { useDesign } from './designer-context.ts';
import { textOf } from './draft.ts';
import { shipperOf } from './locks.ts';
import { stepWords, tableWords, timeWords } from './plan-words.ts';

/** What a save does to tables, which documents it writes, and how long it takes. */
export function PlanEffects({ plan }: { readonly plan: Plan }) {
  const { design } = useDesign();
  const seconds = plan.tables.reduce((sum, table) => sum + table.seconds, 0);
  const rows = plan.tables.reduce((sum, table) => sum + table.rows, 0);
  return (
    <Stack gap={3}>
      {plan.tables.map((table) => (
        <TableEffect key={table.doctype} table={table} />
      ))}
      <Muted isSmall>
        {t('{rows} · takes {time}', {
          rows: tn(rows, '{count} row in the tables', '{count} rows in the tables'),
          time: timeWords(seconds),
        })}
      </Muted>
      <details className={css['documents']}>
        <summary>
          {tn(plan.documents.length, '{count} document is written', '{count} documents are written')}
        </summary>
        {design?.app && (
          <p>
            {t(
              '{doctype} is part of {app}. Its file stays as it is; your changes are stored beside it and survive updates.',
              {
                doctype: t(design.name),
                app: shipperOf(design),
              },
            )}
          </p>
        )}
        <ul>
          {plan.documents.map((step) => (
            <li key={stepWords(step)}>{stepWords(step)}</li>
          ))}
        </ul>
      </details>
    </Stack>
  );
}

function TableEffect({ table }: { readonly table: TablePlan }) {
  const { draft } = useDesign();
  const words = tableWords(table);
  const labelOf = (fieldname: string) =>
    textOf(draft.fields.find(({ values }) => values['fieldname'] === fieldname)?.values ?? {}, 'label') ||
    fieldname;
  return (
    <>
      {words.length > 0 && (
        <section className={css['effect']}>
          <h2>{t('Database table of {doctype}', { doctype: t(table.doctype) })}</h2>
          <ul>
            {words.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </section>
      )}
      {table.incomplete.map(({ fieldname, documents }) => (
        <Alert key={fieldname} tone="warning">
          {tn(
            documents,
            '{field} becomes required: {count} record has no value and needs one at its next save.',
            '{field} becomes required: {count} records have no value and need one at their next save.',
            { field: labelOf(fieldname) },
          )}
        </Alert>
      ))}
    </>
  );
}
