import { t } from '../../base/i18n.ts';
import type { IconName } from '../../base/icons.ts';
import { byLanguage } from './by-language.ts';

/** A fieldtype in the palette. */
export interface FieldKind {
  readonly type: string;
  readonly icon: IconName;
  readonly label: string;
  /** What it is for, and other words by which it is found. */
  readonly hint: string;
}

export interface KindGroup {
  readonly label: string;
  readonly kinds: readonly FieldKind[];
}

/** The palette: fieldtypes in groups, the most used first. */
export const kindGroups = byLanguage((): readonly KindGroup[] => {
  return [
    { label: t('Text'), kinds: textKinds() },
    { label: t('Choices and links'), kinds: choiceKinds() },
    { label: t('Numbers'), kinds: numberKinds() },
    { label: t('Date and time'), kinds: timeKinds() },
    { label: t('Layout'), kinds: layoutKinds() },
    { label: t('Files and more'), kinds: otherKinds() },
  ];
});

function kind(type: string, icon: IconName, label: string, hint: string): FieldKind {
  return { type, icon, label, hint };
}

function layoutKinds(): readonly FieldKind[] {
  return [
    kind('Tab Break', 'tab', t('Tab'), t('Begins a new tab')),
    kind('Section Break', 'section', t('Section'), t('Begins a group of fields with a heading')),
    kind('Column Break', 'columns', t('Column'), t('Begins a column beside the last one')),
    kind('Heading', 'heading', t('Heading'), t('A heading between fields')),
    kind('HTML', 'code', t('HTML'), t('Fixed text in the form')),
  ];
}

function textKinds(): readonly FieldKind[] {
  return [
    kind('Data', 'text', t('Text line'), t('One line: a name, a title, an email, an address of a page')),
    kind('Small Text', 'lines', t('Text box'), t('A few lines of plain text')),
    kind('Text Editor', 'edit', t('Rich text'), t('Formatted text as HTML')),
    kind('Markdown Editor', 'heading', t('Markdown'), t('Formatted text as Markdown')),
  ];
}

function numberKinds(): readonly FieldKind[] {
  return [
    kind('Int', 'hash', t('Whole number'), t('Integer')),
    kind('Float', 'hash', t('Decimal number'), t('Float')),
    kind('Currency', 'coins', t('Amount'), t('Money in a currency')),
    kind('Percent', 'percent', t('Percent'), t('A share of a hundred')),
    kind('Rating', 'star', t('Rating'), t('Stars')),
    kind('Duration', 'clock', t('Duration'), t('Days, hours, minutes')),
  ];
}

function choiceKinds(): readonly FieldKind[] {
  return [
    kind('Select', 'list', t('Dropdown'), t('One of a list of options')),
    kind('Check', 'task', t('Check box'), t('Yes or no')),
    kind('Link', 'link', t('Link'), t('A record of another doctype, as a reference or relation')),
    kind('Table', 'table', t('Table'), t('Rows of a child doctype: items, lines')),
    kind('Table MultiSelect', 'tag', t('Several links'), t('Records of another doctype, as tokens')),
    kind('Dynamic Link', 'link', t('Dynamic link'), t('A record of a doctype that another field names')),
    kind('Autocomplete', 'search', t('Autocomplete'), t('Text with suggestions')),
  ];
}

function timeKinds(): readonly FieldKind[] {
  return [
    kind('Date', 'calendar', t('Date'), t('A day')),
    kind('Datetime', 'calendar', t('Date and time'), t('A moment')),
    kind('Time', 'clock', t('Time'), t('A time of day')),
  ];
}

function otherKinds(): readonly FieldKind[] {
  return [
    kind('Attach', 'attach', t('File'), t('An attached file')),
    kind('Attach Image', 'image', t('Image'), t('An attached picture')),
    kind('Password', 'lock', t('Password'), t('An encrypted secret')),
    kind('Phone', 'phone', t('Phone'), t('A phone number')),
    kind('Long Text', 'lines', t('Long text'), t('Plain text of any length')),
    kind('Text', 'lines', t('Text'), t('Plain text of several lines')),
    kind('Code', 'code', t('Code'), t('Text in a fixed width')),
    kind('JSON', 'code', t('JSON'), t('Structured data')),
    kind('HTML Editor', 'code', t('HTML source'), t('HTML as source')),
    kind('Color', 'sun', t('Color'), t('A color')),
    kind('Geolocation', 'pin', t('Location'), t('A place on the map as GeoJSON')),
    kind('Barcode', 'columns', t('Barcode'), t('A barcode')),
    kind('Signature', 'edit', t('Signature'), t('A drawn signature')),
    kind('Icon', 'star', t('Icon'), t('The name of an icon')),
    kind('Image', 'image', t('Shown image'), t('Shows the image of another field')),
    kind('Read Only', 'eye', t('Read only'), t('A text that forms only show')),
    kind('Button', 'play', t('Button'), t('For client scripts of Frappe')),
    kind('Fold', 'down', t('Fold'), t('Obsolete')),
  ];
}

/** The kind of a fieldtype; for one that the palette lacks, its plain name. */
export function kindOf(type: string): FieldKind {
  const found = kindGroups()
    .flatMap(({ kinds }) => kinds)
    .find((one) => one.type === type);
  return found ?? kind(type, 'info', type, '');
}
