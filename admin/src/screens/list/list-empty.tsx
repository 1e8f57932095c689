import { t, tn } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { nounOf, pluralOf } from '../../meta/nouns.ts';
import { Button } from '../../widgets/button.tsx';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { Row } from '../../widgets/layout.tsx';
import { describeCondition } from './describe-condition.ts';
import { fieldOf } from './filter-fields.ts';
import type { RecordListState } from './use-record-list.ts';

/** Empty state of a list: there are no records, or the conditions exclude all. */
export function ListEmpty({ list }: { readonly list: RecordListState }) {
  const { doctype, canCreate, canImport, filterable: fields, state } = list;
  const { search, change } = state;
  const { filters, or, text } = search;
  const hidden = [
    ...(text === '' ? [] : [t('Contains “{text}”', { text })]),
    ...[...filters, ...or].map((one) => describeCondition(one, fieldOf(fields, one))),
  ];
  if (hidden.length === 0)
    return (
      <EmptyState
        icon="list"
        title={t('No {records} yet', { records: pluralOf(doctype) })}
        action={
          canCreate || canImport ? (
            <Row gap={4}>
              {canCreate && (
                <PathLink to={paths.newRecord(doctype)}>
                  {t('Create {doctype}', { doctype: nounOf(doctype) })}
                </PathLink>
              )}
              {canImport && <PathLink to={paths.importInto(doctype)}>{t('Import a file')}</PathLink>}
            </Row>
          ) : undefined
        }
      >
        {t('Records you can read appear here.')}
      </EmptyState>
    );
  return (
    <EmptyState
      icon="filter"
      title={t('No matching records')}
      action={
        <Button icon="close" onClick={() => change({ filters: [], or: [], text: '' })}>
          {t('Remove all filters')}
        </Button>
      }
    >
      {tn(
        hidden.length,
        'This filter hides the others: {filters}',
        'These filters hide the others: {filters}',
        {
          filters: hidden.join(' · '),
        },
      )}
    </EmptyState>
  );
}
