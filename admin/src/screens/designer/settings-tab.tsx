import { t } from '../../base/i18n.ts';
import { Card, Stack } from '../../widgets/layout.tsx';
import { Select } from '../../widgets/select.tsx';
import css from './designer.module.css';
import { useDesign, useProperties } from './designer-context.ts';
import { DoctypeCount, DoctypeFlag, DoctypeText } from './doctype-inputs.tsx';
import { isOn, type Raw, withValue } from './draft.ts';
import { lockWords } from './locks.ts';

type Kind = 'records' | 'istable' | 'issingle' | 'is_tree';

/** What kind of doctype it is, and what happens to its documents. */
export function SettingsTab() {
  const { design } = useDesign();
  const properties = useProperties();
  const kind = kindOf(properties);
  return (
    <div className={css['page']}>
      <Card label={t('Doctype')}>
        <Stack>
          <KindChoice kind={kind} />
          <DoctypeText
            name="module"
            label={t('Module')}
            hint={t('Groups doctypes in the sidebar.')}
            locked={design?.app ? lockWords(design) : ''}
          />
          <DoctypeText name="description" label={t('Description')} />
        </Stack>
      </Card>
      <Card label={t('Records')}>
        <Stack>
          {kind !== 'istable' && kind !== 'issingle' && (
            <DoctypeFlag
              name="is_submittable"
              label={t('Records can be submitted')}
              hint={t('A submitted record cannot change. It can be cancelled and amended.')}
            />
          )}
          <DoctypeFlag
            name="track_changes"
            label={t('Keep versions')}
            hint={t('Each change of a record can be seen and undone.')}
          />
          <DoctypeFlag name="track_views" label={t('Log who opens each record')} />
          <DoctypeFlag name="quick_entry" label={t('Short form for new records')} />
          <DoctypeFlag name="allow_import" label={t('Records can be imported')} />
          <DoctypeCount
            name="max_attachments"
            label={t('Maximum attachments')}
            hint={t('Leave empty for no limit.')}
          />
        </Stack>
      </Card>
    </div>
  );
}

function kindOf(properties: Raw): Kind {
  const flags = ['istable', 'issingle', 'is_tree'] as const;
  return flags.find((flag) => isOn(properties, flag)) ?? 'records';
}

function KindChoice({ kind }: { readonly kind: Kind }) {
  const store = useDesign();
  const isStored = store.design !== null;
  const choose = (next: string | null) =>
    store.change((draft) => {
      const none = ['istable', 'issingle', 'is_tree'].reduce(
        (properties, flag) => withValue(properties, flag, 0),
        draft.properties,
      );
      const properties = next === 'records' || next === null ? none : withValue(none, next, 1);
      return { ...draft, properties, permissions: next === 'istable' ? [] : draft.permissions };
    });
  return (
    <Select
      label={t('Kind')}
      description={isStored ? t('The kind of an existing doctype cannot change.') : undefined}
      disabled={isStored}
      isSearchable={false}
      value={kind}
      onChange={choose}
      choices={[
        { value: 'records', label: t('List: any number of records') },
        { value: 'istable', label: t('Child table: rows inside other records') },
        { value: 'issingle', label: t('Single: one record, such as settings') },
        { value: 'is_tree', label: t('Tree: records with a parent') },
      ]}
    />
  );
}
