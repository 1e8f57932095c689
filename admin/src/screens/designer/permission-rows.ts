import { t } from '../../base/i18n.ts';
import type { RightName } from '../../data/boot.ts';
import { applies, labelOfRight, rightsFor } from '../../meta/rights.ts';
import { useDesign } from './designer-context.ts';
import { type Raw, textOf, withValue } from './draft.ts';
import { useRoles } from './use-doctypes.ts';
import { useProperty } from './use-property.ts';

/** A right of a permission row, or its limit to own records: the property and its label. */
export type Right = readonly [name: RightName | 'if_owner', label: string];

/** The levels of a permission row. */
export const LEVELS = Array.from({ length: 10 }, (_, level) => String(level));

/** A row of the permissions while it is designed. */
export interface PermissionRow {
  readonly role: string;
  readonly level: string;
  readonly roles: readonly string[];
  readonly has: (right: Right[0]) => boolean;
  readonly set: (property: string, value: unknown) => void;
  readonly drop: () => void;
}

export function usePermissionRow(row: Raw, at: number): PermissionRow {
  const store = useDesign();
  const roles = useRoles();
  const role = textOf(row, 'role');
  const level = textOf(row, 'permlevel') || '0';
  return {
    role,
    level,
    roles: [...new Set([...(role === '' ? [] : [role]), ...roles])],
    has: (right) => right === 'if_owner' || applies(Number(level), right, true),
    set: (property, value) =>
      store.change((draft) => ({
        ...draft,
        permissions: draft.permissions.with(at, withValue(draft.permissions[at] ?? {}, property, value)),
      })),
    drop: () => store.change((draft) => ({ ...draft, permissions: draft.permissions.toSpliced(at, 1) })),
  };
}

/** The rights that a role can have on the documents of the designed doctype. */
export function useRights(): readonly Right[] {
  const { isOn: isSubmittable } = useProperty('is_submittable');
  return [
    ...rightsFor(isSubmittable).map((right) => [right, labelOfRight(right)] as const),
    ['if_owner', t('Only own')],
  ];
}
