import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { rightsFor } from '../../meta/rights.ts';
import { Button, IconButton } from '../../widgets/button.tsx';
import { Alert, Badge } from '../../widgets/feedback.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import { AddRole } from './add-role.tsx';
import { Legend } from './legend.tsx';
import { MatrixGrid } from './matrix-grid.tsx';
import type { PermittedDoctype } from './permission-data.ts';
import { isSame, rightsAt } from './permission-rows.ts';
import css from './permissions.module.css';
import { usersText } from './right-words.ts';
import { RulesInWords } from './rules-in-words.tsx';
import { rowsOfDoctype, type ShownRow } from './shown-rows.ts';
import type { Matrix } from './use-permissions.ts';

interface DoctypeMatrixProps {
  readonly matrix: Matrix;
  readonly doctype: PermittedDoctype;
}

/** Roles and rights of one doctype. */
export function DoctypeMatrix({ matrix, doctype }: DoctypeMatrixProps) {
  const rows = rowsOfDoctype(matrix, doctype.name);
  const columns = rightsFor(doctype.isSubmittable);
  const hasLevels = rows.some(({ permlevel }) => permlevel > 0);
  const groupText = (group: string) => (hasLevels ? levelText(doctype, Number(group)) : null);
  return (
    <Stack>
      <Head matrix={matrix} doctype={doctype} rows={rows} />
      <MatrixGrid
        label={t('Permissions of {doctype}', { doctype: t(doctype.name) })}
        matrix={matrix}
        rows={rows}
        columns={columns}
        subject={t('Role')}
        headOf={(row) => <RoleHead matrix={matrix} row={row} />}
        groupText={groupText}
      />
      <Legend />
      <RulesInWords matrix={matrix} rows={rows} doctype={doctype} />
    </Stack>
  );
}

function Head({ matrix, doctype, rows }: DoctypeMatrixProps & { readonly rows: readonly ShownRow[] }) {
  const [isAdding, setAdding] = useState(false);
  const differs = rows.some((row) => !isSame(matrix.rightsOf(row), rightsAt(matrix.shipped, row)));
  if (!doctype.isCustomizable)
    return <Alert>{t('The permissions of {doctype} are fixed.', { doctype: t(doctype.name) })}</Alert>;
  return (
    <Row gap={3}>
      <Button icon="plus" onClick={() => setAdding(true)}>
        {t('Add role')}
      </Button>
      {differs && (
        <Button icon="history" onClick={() => matrix.restore(doctype.name)}>
          {t('Restore defaults')}
        </Button>
      )}
      {differs ? (
        <Badge tone="warning">{t('Differs from the defaults')}</Badge>
      ) : (
        <Badge>{t('Follows the defaults')}</Badge>
      )}
      <PathLink to={paths.permissions({ tab: 'why', doctype: doctype.name })}>
        {t('Why can or can’t a user do something?')}
      </PathLink>
      {isAdding && <AddRole matrix={matrix} doctype={doctype} onClose={() => setAdding(false)} />}
    </Row>
  );
}

function RoleHead({ matrix, row }: { readonly matrix: Matrix; readonly row: ShownRow }) {
  const role = matrix.roles.find(({ name }) => name === row.role);
  const canRemove = matrix.rightsOf(row).size > 0;
  return (
    <span className={css['head']}>
      <span className={css['headText']}>
        <PathLink to={paths.permissions({ role: row.role })}>
          <bdi>{t(row.role)}</bdi>
        </PathLink>
        <small>{row.ifOwner ? t('only own records') : usersText(role?.users ?? null)}</small>
      </span>
      {canRemove && (
        <span className={css['remove']}>
          <IconButton
            icon="close"
            isSmall
            label={t('Remove all rights of {role}', { role: t(row.role) })}
            onClick={() => matrix.setRow({ ...row, rights: new Set() })}
          />
        </span>
      )}
    </span>
  );
}

function levelText({ levels }: PermittedDoctype, level: number): string {
  if (level === 0) return t('Records');
  const fields = levels.find(({ permlevel }) => permlevel === level)?.fields ?? [];
  const names = fields.map((one) => t(one)).join(', ');
  return names === ''
    ? t('Level {level}: no fields', { level })
    : t('Level {level}: {fields}', { level, fields: names });
}
