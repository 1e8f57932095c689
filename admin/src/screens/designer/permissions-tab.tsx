import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useNarrow } from '../../grid/use-narrow.ts';
import { Button } from '../../widgets/button.tsx';
import { Alert } from '../../widgets/feedback.tsx';
import { Muted, Row, Stack } from '../../widgets/layout.tsx';
import css from './designer.module.css';
import { useDesign, useDesigned } from './designer-context.ts';
import { shipperOf } from './locks.ts';
import { PermissionCard } from './permission-card.tsx';
import { PermissionMatrix } from './permission-matrix.tsx';
import { useProperty } from './use-property.ts';

/** The roles that may do something with the documents. */
export function PermissionsTab() {
  const store = useDesign();
  const isNarrow = useNarrow();
  const { isOn: isTable } = useProperty('istable');
  const rows = useDesigned(({ draft }) => draft.permissions);
  if (isTable) {
    return (
      <div className={css['wide']}>
        <Alert>{t('Rows of a child table have the permissions of the record that holds them.')}</Alert>
      </div>
    );
  }
  const add = () =>
    store.change((draft) => ({ ...draft, permissions: [...draft.permissions, { role: '', read: 1 }] }));
  const { design } = store;
  return (
    <div className={css['matrixPage']}>
      <Stack gap={3}>
        <ShippedPermissions />
        {rows.length === 0 && <Muted>{t('Without a row, only Administrator can use the records.')}</Muted>}
        {isNarrow
          ? // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity
            rows.map((row, at) => <PermissionCard key={at} row={row} at={at} />)
          : rows.length > 0 && <PermissionMatrix rows={rows} />}
        <Row isApart>
          <Button icon="plus" onClick={add}>
            {t('Add role')}
          </Button>
          {design && (
            <PathLink to={paths.permissions({ doctype: design.name })}>
              {t('Permissions of {doctype}', { doctype: t(design.name) })}
            </PathLink>
          )}
        </Row>
      </Stack>
    </div>
  );
}

function ShippedPermissions() {
  const { design } = useDesign();
  if (!design?.app) return null;
  const app = shipperOf(design);
  return (
    <Alert>
      {design.has_custom_permissions
        ? t('This site has permissions of its own for this doctype, in place of those of {app}.', { app })
        : t('These are the permissions of {app}. A change gives this site permissions of its own.', { app })}
    </Alert>
  );
}
