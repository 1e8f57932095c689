import { formatDatetime, formatRelative } from '../base/format.ts';
import { t } from '../base/i18n.ts';
import { PathLink } from '../base/navigation.tsx';
import { paths } from '../base/paths.ts';
import { useTicking } from '../base/use-ticking.ts';
import { type CellProps, fieldEntry, registerFields } from '../meta/field-registry.ts';
import { docstatusWord, formatValue } from '../meta/field-values.ts';
import { hueOf, toneOf } from '../meta/hues.ts';
import { may } from '../meta/permissions.ts';
import css from './list-cells.module.css';

/** Value of a list cell. Plain elements, because hundreds are mounted while scrolling. */
export function ListCell(props: CellProps) {
  const { field, value } = props;
  if (field.fieldname === 'docstatus') return <StateCell docstatus={Number(value)} />;
  if (value === null || value === undefined || value === '') return null;
  const { Cell } = fieldEntry(field.fieldtype);
  return Cell ? <Cell {...props} /> : <TextCell {...props} />;
}

function TextCell({ field, value }: CellProps) {
  const text = formatValue(field, value);
  // A cell shows one line. Text beyond a few hundred characters is invisible and only costs layout time.
  const line = text.length > 300 ? `${text.slice(0, 300)}…` : text;
  return (
    <span className={css['text']} dir="auto" title={line}>
      {line}
    </span>
  );
}

function NumberCell({ field, value, row }: CellProps) {
  return <span className={css['number']}>{formatValue(field, value, (name) => row[name])}</span>;
}

function CheckCell({ value }: CellProps) {
  const isOn = Number(value) === 1;
  return (
    <span className={isOn ? css['on'] : css['off']} role="img" aria-label={isOn ? t('Yes') : t('No')}>
      {isOn ? '✓' : '–'}
    </span>
  );
}

function SelectCell({ field, value }: CellProps) {
  const text = formatValue(field, value);
  return (
    <span className={`${css['badge']} ${css[hueOf(String(value))]}`} title={text}>
      {text}
    </span>
  );
}

/** Badge of the state: draft, submitted or cancelled. */
export function StateCell({ docstatus }: { readonly docstatus: number }) {
  return <span className={`${css['badge']} ${css[toneOf(docstatus)]}`}>{docstatusWord(docstatus)}</span>;
}

function LinkCell({ field, value, row, titleOf }: CellProps) {
  const doctype = field.fieldtype === 'Link' ? field.options : String(row[field.options] ?? '');
  const name = String(value);
  const title = titleOf(doctype, name) ?? name;
  const hint = title === name ? name : `${title} (${name})`;
  if (doctype === '' || !may(doctype, 'read'))
    return (
      <span className={css['text']} dir="auto" title={hint}>
        {title}
      </span>
    );
  return (
    <PathLink className={css['link']} to={paths.record(doctype, name)} tabIndex={-1} dir="auto" title={hint}>
      {title}
    </PathLink>
  );
}

function DatetimeCell({ value }: CellProps) {
  useTicking();
  const text = String(value);
  return (
    <time className={css['text']} dateTime={text} title={formatDatetime(text, 'full')}>
      {formatRelative(text)}
    </time>
  );
}

function ColorCell({ value }: CellProps) {
  const color = String(value);
  return (
    <span className={css['color']}>
      {/^#[\da-f]{3,8}$/i.test(color) && (
        <span className={css['swatch']} style={{ backgroundColor: color }} />
      )}
      <span className={css['text']}>{color}</span>
    </span>
  );
}

const NUMBER = { Cell: NumberCell };
const LINK = { Cell: LinkCell };

registerFields({
  Check: { Cell: CheckCell },
  Color: { Cell: ColorCell },
  Currency: NUMBER,
  Datetime: { Cell: DatetimeCell },
  Duration: NUMBER,
  'Dynamic Link': LINK,
  Float: NUMBER,
  Int: NUMBER,
  Link: LINK,
  Percent: NUMBER,
  Rating: NUMBER,
  Select: { Cell: SelectCell },
});
