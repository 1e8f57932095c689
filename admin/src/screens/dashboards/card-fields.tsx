import { t } from '../../base/i18n.ts';
import { TextInput } from '../../widgets/inputs.tsx';
import { Select } from '../../widgets/select.tsx';
import { CARD_TYPES, type Card, type CardType, WIDTHS, type Width } from './dashboard-data.ts';
import type { StoredView } from './view-data.ts';

/** The fields of a card. A view that is no report can only be a list. */
export function CardFields({
  draft,
  views,
  onChange,
}: {
  readonly draft: Card;
  readonly views: readonly StoredView[];
  readonly onChange: (change: Partial<Card>) => void;
}) {
  const view = views.find(({ name }) => name === draft.view);
  const isReport = view?.type === 'Report';
  const choose = (name: string | null) => {
    const next = views.find((one) => one.name === name);
    onChange({ view: name ?? '', type: next?.type === 'Report' ? 'Chart' : 'List' });
  };
  return (
    <>
      <Select
        label={t('View')}
        description={t('Shared views of all doctypes; figures and charts need a report')}
        isRequired
        isSearchable
        value={draft.view || null}
        onChange={choose}
        choices={views.map(({ name, label, reference_doctype: doctype }) => ({
          value: name,
          label: `${t(doctype)} · ${label}`,
        }))}
      />
      <Select
        label={t('Show as')}
        value={draft.type}
        disabled={!isReport}
        onChange={(type) => type && onChange({ type: type as CardType })}
        choices={CARD_TYPES.map((value) => ({ value, label: typeWord(value) }))}
      />
      <Select
        label={t('Width')}
        value={draft.width}
        onChange={(width) => width && onChange({ width: width as Width })}
        choices={WIDTHS.map((value) => ({ value, label: widthWord(value) }))}
      />
      <TextInput
        label={t('Title')}
        description={t('Leave empty for the name of the view')}
        value={draft.label}
        onChange={(label) => onChange({ label })}
        maxLength={140}
        autoComplete="off"
      />
    </>
  );
}

function typeWord(type: CardType): string {
  switch (type) {
    case 'Chart':
      return t('Chart');
    case 'Number':
      return t('Number');
    case 'List':
      return t('List');
  }
}

function widthWord(width: Width): string {
  switch (width) {
    case 'Quarter':
      return t('A quarter');
    case 'Third':
      return t('A third');
    case 'Half':
      return t('Half');
    case 'Full':
      return t('Full width');
  }
}
