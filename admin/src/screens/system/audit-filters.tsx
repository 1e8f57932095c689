import { useEffect, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { Button } from '../../widgets/button.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Select } from '../../widgets/select.tsx';
import { auditFiltersOf, type Span } from './audit-data.ts';
import { eventChoices } from './audit-words.ts';
import css from './system.module.css';
import type { AuditView } from './use-audit.ts';

/** Typing pauses for so long before the filter applies; milliseconds. */
const TYPING = 300;

/** Filters of the log, kept in the address. `isSignIns` shows those of sign-in attempts. */
export function AuditFilterBar({
  view,
  isSignIns,
}: {
  readonly view: AuditView;
  readonly isSignIns?: boolean;
}) {
  const { filters, setFilters, isFiltered } = view;
  return (
    <search className={css['filters']} aria-label={t('Filters')}>
      <TextFilter
        label={t('User')}
        value={filters.user}
        onChange={(user) => setFilters({ ...filters, user })}
      />
      {isSignIns ? (
        <SignInFilters view={view} />
      ) : (
        <>
          <Select
            className={css['filter']}
            aria-label={t('Event')}
            placeholder={t('Any event')}
            value={filters.event || null}
            isClearable
            choices={eventChoices()}
            onChange={(event) => setFilters({ ...filters, event: event ?? '' })}
          />
          <TextFilter
            label={t('Doctype')}
            value={filters.doctype}
            onChange={(doctype) => setFilters({ ...filters, doctype })}
          />
        </>
      )}
      <Select
        className={css['filter']}
        aria-label={t('Time')}
        placeholder={t('Any time')}
        value={filters.span}
        isClearable
        choices={[
          { value: '1h', label: t('Last hour') },
          { value: '24h', label: t('Last 24 hours') },
          { value: '7d', label: t('Last 7 days') },
          { value: '30d', label: t('Last 30 days') },
        ]}
        onChange={(span) => setFilters({ ...filters, span: span as Span | null })}
      />
      {isFiltered && (
        <Button kind="quiet" icon="close" onClick={() => setFilters(auditFiltersOf({}))}>
          {t('Clear filters')}
        </Button>
      )}
    </search>
  );
}

function SignInFilters({ view: { filters, setFilters } }: { readonly view: AuditView }) {
  return (
    <>
      <TextFilter
        label={t('Address')}
        value={filters.address}
        onChange={(address) => setFilters({ ...filters, address })}
      />
      <Select
        className={css['filter']}
        aria-label={t('Result')}
        placeholder={t('Any result')}
        value={filters.outcome || null}
        isClearable
        choices={[
          { value: 'Success', label: t('Signed in') },
          { value: 'Failed', label: t('Refused') },
        ]}
        onChange={(outcome) =>
          setFilters({ ...filters, outcome: outcome === 'Success' || outcome === 'Failed' ? outcome : '' })
        }
      />
    </>
  );
}

interface TextFilterProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function TextFilter({ label, value, onChange }: TextFilterProps) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => onChange(typed.trim()), TYPING);
    return () => clearTimeout(timer);
  });
  return (
    <div className={css['filter']}>
      <TextInput type="search" aria-label={label} placeholder={label} value={typed} onChange={setTyped} />
    </div>
  );
}
