import { t } from '../../base/i18n.ts';

/** A way to name documents. */
export type NamingWay = 'random' | 'field' | 'series' | 'pattern' | 'number' | 'prompt' | 'uuid' | 'other';

/** The way that an `autoname` means. */
export function wayOf(autoname: string): NamingWay {
  const lower = autoname.toLowerCase();
  if (lower === '' || lower === 'hash' || lower === 'random') return 'random';
  if (lower.startsWith('field:')) return 'field';
  if (lower.startsWith('naming_series:')) return 'series';
  if (lower === 'autoincrement') return 'number';
  if (lower === 'uuid') return 'uuid';
  if (lower.startsWith('prompt')) return 'prompt';
  return lower.startsWith('format:') ? 'pattern' : 'other';
}

/** The `autoname` that a way begins with. */
export function autonameOf(way: NamingWay, doctype: string, field: string): string {
  const prefix =
    doctype
      .replaceAll(/[^A-Za-z]/g, '')
      .slice(0, 4)
      .toUpperCase() || 'DOC';
  const ways: Readonly<Record<NamingWay, string>> = {
    random: 'hash',
    field: `field:${field}`,
    series: 'naming_series:',
    pattern: `format:${prefix}-{#####}`,
    number: 'autoincrement',
    prompt: 'prompt',
    uuid: 'uuid',
    other: `${prefix}-.#####`,
  };
  return ways[way];
}

/** Names that a pattern gives, for a person: today's parts, the number 1, and fields by name. */
export function exampleOf(autoname: string, today: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const parts: Readonly<Record<string, string>> = {
    YYYY: String(today.getFullYear()),
    YY: String(today.getFullYear()).slice(2),
    MM: two(today.getMonth() + 1),
    DD: two(today.getDate()),
  };
  const hashes = (text: string) => text.replaceAll(/#+/g, (found) => '1'.padStart(found.length, '0'));
  if (autoname.startsWith('format:')) {
    return autoname.slice('format:'.length).replaceAll(/\{([^{}]*)\}/g, (_all, part: string) => {
      if (/^#+$/.test(part)) return hashes(part);
      return parts[part] ?? `‹${part}›`;
    });
  }
  return autoname
    .split('.')
    .map((part) => parts[part] ?? hashes(part))
    .join('');
}

/** The ways in words. */
export function namingWords(): readonly {
  readonly value: NamingWay;
  readonly label: string;
  readonly hint: string;
}[] {
  return [
    {
      value: 'random',
      label: t('Random characters'),
      hint: t('Ten characters, such as 4f1c9a02be. Nobody types or sees a number.'),
    },
    {
      value: 'series',
      label: t('A series that the user chooses'),
      hint: t('The field Series offers prefixes, such as TICK-.YYYY.-.#####'),
    },
    {
      value: 'pattern',
      label: t('A pattern'),
      hint: t('Text with {YYYY}, {MM}, {#####} for a number, and {fieldname}'),
    },
    { value: 'number', label: t('Whole numbers'), hint: t('1, 2, 3 and so on') },
    {
      value: 'field',
      label: t('The value of a field'),
      hint: t('Such as the email address of a contact. It must be unique.'),
    },
    {
      value: 'prompt',
      label: t('The user types it'),
      hint: t('The form of a new record asks for the name.'),
    },
    {
      value: 'uuid',
      label: t('UUID'),
      hint: t('Unique everywhere, for records that other systems make too'),
    },
  ];
}
