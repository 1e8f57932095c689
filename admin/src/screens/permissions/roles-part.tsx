import { t } from '../../base/i18n.ts';
import { useLeaveGuard, useSearch, useSetSearch } from '../../base/navigation.tsx';
import { useTask } from '../../base/use-task.ts';
import { Button } from '../../widgets/button.tsx';
import { ConfirmDialog } from '../../widgets/confirm-dialog.tsx';
import { ErrorPanel, tellFailure } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Stack } from '../../widgets/layout.tsx';
import { SegmentedControl } from '../../widgets/segmented-control.tsx';
import { Select } from '../../widgets/select.tsx';
import { DoctypeMatrix } from './doctype-matrix.tsx';
import css from './permissions.module.css';
import { readPermissionsSearch } from './permissions-search.ts';
import { usersText } from './right-words.ts';
import { RoleMatrix } from './role-matrix.tsx';
import { SaveBar } from './save-bar.tsx';
import { type Matrix, usePermissions } from './use-permissions.ts';

/** The matrix of one doctype or of one role, and the unsaved changes of all of them. */
export function RolesPart() {
  const { matrix, error, retry } = usePermissions();
  if (error) return <ErrorPanel error={error} onRetry={retry} />;
  return <div aria-busy={!matrix}>{matrix ? <Loaded matrix={matrix} /> : <Skeleton height={420} />}</div>;
}

function Loaded({ matrix }: { readonly matrix: Matrix }) {
  const { doctype, role } = useSearch(readPermissionsSearch);
  const held = useLeaveGuard(matrix.changes.length > 0);
  const found = matrix.doctypes.find(({ name }) => name === doctype) ?? firstOf(matrix);
  return (
    <Stack>
      <Chooser matrix={matrix} doctype={found?.name ?? ''} role={role} />
      {role !== '' ? (
        <RoleMatrix key={role} matrix={matrix} role={role} />
      ) : (
        found && <DoctypeMatrix key={found.name} matrix={matrix} doctype={found} />
      )}
      <SaveBar matrix={matrix} />
      {held && (
        <ConfirmDialog
          isOpen
          onClose={held.stay}
          title={t('Leave without saving?')}
          action={t('Discard changes')}
          isDanger
          run={async () => held.leave()}
        >
          {t('Your changes to the permissions will be lost.')}
        </ConfirmDialog>
      )}
    </Stack>
  );
}

/** A doctype of the site's own comes before those of the server. */
function firstOf({ doctypes }: Matrix) {
  const own = doctypes.filter(({ module, isCustomizable }) => isCustomizable && module !== 'Core');
  return own[0] ?? doctypes[0];
}

interface ChooserProps {
  readonly matrix: Matrix;
  readonly doctype: string;
  readonly role: string;
}

function Chooser({ matrix, doctype, role }: ChooserProps) {
  const setSearch = useSetSearch();
  const undo = useTask();
  // A role without rights would begin with an empty screen.
  const used = new Set([...matrix.stored.values()].map((row) => row.role));
  const firstRole = matrix.roles.find(({ name }) => used.has(name)) ?? matrix.roles[0];
  return (
    <div className={css['bar']}>
      <SegmentedControl<'doctype' | 'role'>
        label={t('Show permissions of')}
        value={role === '' ? 'doctype' : 'role'}
        onChange={(next) =>
          setSearch(next === 'role' ? { role: firstRole?.name, doctype: undefined } : { role: undefined })
        }
        choices={[
          { value: 'doctype', label: t('One doctype') },
          { value: 'role', label: t('One role') },
        ]}
      />
      <div className={css['pick']}>
        {role === '' ? (
          <Select
            aria-label={t('Doctype')}
            isSearchable
            value={doctype}
            onChange={(next) => setSearch({ doctype: next ?? undefined })}
            choices={matrix.doctypes.map(({ name }) => ({ value: name, label: t(name) }))}
          />
        ) : (
          <Select
            aria-label={t('Role')}
            isSearchable
            value={role}
            onChange={(next) => setSearch({ role: next ?? undefined })}
            choices={matrix.roles.map(({ name, users }) => ({
              value: name,
              label: `${t(name)} · ${usersText(users)}`,
            }))}
          />
        )}
      </div>
      {matrix.lastSave && (
        <Button icon="history" isBusy={undo.isBusy} onClick={() => undo.run(matrix.undo, tellFailure)}>
          {t('Undo last save')}
        </Button>
      )}
    </div>
  );
}
