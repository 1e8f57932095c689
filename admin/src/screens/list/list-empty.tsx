import { t, tn } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import type { ListSearch } from '../../grid/list-search.ts';
import { Button } from '../../widgets/button.tsx';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { describeCondition } from './describe-condition.ts';
import { type FilterField, fieldOf } from './filter-fields.ts';

export interface ListEmptyProps {
  readonly doctype: string;
  readonly search: ListSearch;
  readonly fields: readonly FilterField[];
  readonly canCreate: boolean;
  readonly onClear: () => void;
}

/** Empty state of a list: there are no records, or the conditions exclude all. */
export function ListEmpty({ doctype, search, fields, canCreate, onClear }: ListEmptyProps) {
  const { filters, or, text } = search;
  const hidden = [
    ...(text === '' ? [] : [t('Contains “{text}”', { text })]),
    ...[...filters, ...or].map((one) => describeCondition(one, fieldOf(fields, one))),
  ];
  if (hidden.length === 0)
    return (
      <EmptyState
        icon="list"
        title={t('No {doctype} records yet', { doctype: t(doctype) })}
        action={
          canCreate ? (
            <PathLink to={paths.newRecord(doctype)}>
              {t('Create {doctype}', { doctype: t(doctype) })}
            </PathLink>
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
        <Button icon="close" onClick={onClear}>
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
