import { t } from '../../base/i18n.ts';
import { Card, Muted, Stack } from '../../widgets/layout.tsx';
import type { PermittedDoctype } from './permission-data.ts';
import { keyOf } from './permission-rows.ts';
import css from './permissions.module.css';
import { sentenceOf } from './right-words.ts';
import { granted, type ShownRow } from './shown-rows.ts';
import type { Matrix } from './use-permissions.ts';

interface RulesInWordsProps {
  readonly matrix: Matrix;
  readonly rows: readonly ShownRow[];
  readonly doctype: PermittedDoctype;
}

/** The rows of a doctype as sentences, with unsaved changes. */
export function RulesInWords({ matrix, rows, doctype }: RulesInWordsProps) {
  return (
    <Card label={t('In words')}>
      <Stack gap={2}>
        <h2>{t('In words')}</h2>
        <ul className={css['rules']}>
          {granted(matrix, rows).map((row) => (
            <li key={keyOf(row)}>{sentenceOf(row, doctype)}</li>
          ))}
          {doctype.isNarrowed && (
            <li>{t('App code can hide some of these records, or refuse changes to them.')}</li>
          )}
        </ul>
        <Muted isSmall>
          {t(
            'User permissions restrict these rights, and shares open single records. Administrator can do everything.',
          )}
        </Muted>
      </Stack>
    </Card>
  );
}
