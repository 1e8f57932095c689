import { type Draft, type DraftField, type Raw, textOf } from './draft.ts';

/** A property with another value than before. */
export interface PropertyChange {
  readonly property: string;
  readonly from: unknown;
  readonly to: unknown;
}

export interface FieldChange {
  readonly field: DraftField;
  readonly changes: readonly PropertyChange[];
}

/** What a draft changes, for a person. */
export interface Differences {
  readonly added: readonly DraftField[];
  readonly removed: readonly DraftField[];
  readonly changed: readonly FieldChange[];
  /** Fields stand in another order. */
  readonly isReordered: boolean;
  readonly properties: readonly PropertyChange[];
  readonly hasOtherPermissions: boolean;
}

/** Compares a draft with what is stored. */
export function differencesOf(base: Draft, draft: Draft): Differences {
  const before = byName(base.fields);
  const after = byName(draft.fields);
  const isKnown = (field: DraftField) => before.has(nameOf(field));
  const common = (fields: readonly DraftField[], of: ReadonlyMap<string, DraftField>) =>
    fields
      .map(nameOf)
      .filter((name) => of.has(name))
      .join('\n');
  return {
    added: draft.fields.filter((field) => !isKnown(field)),
    removed: base.fields.filter((field) => !after.has(nameOf(field))),
    changed: draft.fields.flatMap((field) => {
      const old = before.get(nameOf(field));
      const changes = old ? changesOf(old.values, field.values) : [];
      return changes.length > 0 ? [{ field, changes }] : [];
    }),
    isReordered: common(base.fields, after) !== common(draft.fields, before),
    properties: changesOf(base.properties, draft.properties),
    hasOtherPermissions: JSON.stringify(base.permissions) !== JSON.stringify(draft.permissions),
  };
}

function byName(fields: readonly DraftField[]): ReadonlyMap<string, DraftField> {
  return new Map(fields.map((field) => [nameOf(field), field]));
}

export function nameOf(field: DraftField): string {
  return textOf(field.values, 'fieldname');
}

/** The properties that differ between two objects; unset and absent are the same. */
export function changesOf(before: Raw, after: Raw): readonly PropertyChange[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((property) => {
    const [from, to] = [before[property] ?? null, after[property] ?? null];
    return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ property, from, to }];
  });
}

/**
 * The changes of `mine` since `base`, made again on `theirs`, which somebody else has stored meanwhile. Where both
 * changed a property, mine counts.
 */
export function rebased(base: Draft, mine: Draft, theirs: Draft): Draft {
  const { added, removed, changed, properties, isReordered, hasOtherPermissions } = differencesOf(base, mine);
  const gone = new Set(removed.map(nameOf));
  const edits = new Map(changed.map(({ field, changes }) => [nameOf(field), changes]));
  const kept = theirs.fields
    .filter((field) => !gone.has(nameOf(field)))
    .map((field) => ({ ...field, values: edited(field.values, edits.get(nameOf(field)) ?? []) }));
  const there = new Set(kept.map(nameOf));
  const fresh = added.filter((field) => !there.has(nameOf(field)));
  const order = mine.fields.map(nameOf);
  return {
    properties: edited(theirs.properties, properties),
    fields: placed(kept, fresh, order, isReordered),
    permissions: hasOtherPermissions ? mine.permissions : theirs.permissions,
    children: mine.children,
  };
}

function edited(values: Raw, changes: readonly PropertyChange[]): Raw {
  const merged = { ...values, ...Object.fromEntries(changes.map(({ property, to }) => [property, to])) };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}

// Each new field follows the field that it follows in my order; theirs stay unless I moved fields, too.
function placed(
  kept: readonly DraftField[],
  fresh: readonly DraftField[],
  order: readonly string[],
  isReordered: boolean,
): readonly DraftField[] {
  const fields = isReordered
    ? kept.toSorted((one, other) => placeIn(order, one) - placeIn(order, other))
    : [...kept];
  for (const field of fresh) {
    const before = order[order.indexOf(nameOf(field)) - 1];
    const at = fields.findIndex((one) => nameOf(one) === before);
    fields.splice(before === undefined ? 0 : at < 0 ? fields.length : at + 1, 0, field);
  }
  return fields;
}

function placeIn(order: readonly string[], field: DraftField): number {
  const at = order.indexOf(nameOf(field));
  return at < 0 ? order.length : at;
}
