import { useState } from 'react';
import { t, tn } from '../../base/i18n.ts';
import { toast } from '../../base/toasts.ts';
import { ConfirmDialog } from '../../widgets/confirm-dialog.tsx';
import { Muted, Stack } from '../../widgets/layout.tsx';
import { Select } from '../../widgets/select.tsx';
import { type ApiKey, type NewSecret, revokeKey, rotateKey } from './key-data.ts';

/** Actions on a key. */
export interface KeyAction {
  readonly kind: 'rotate' | 'revoke';
  readonly key: ApiKey;
}

/** Hours for which the old secret stays valid. The server allows up to a week. */
const OVERLAPS = [0, 1, 24, 72, 168] as const;

/** Confirms the rotation or revocation of a key. */
export function KeyActionDialog({
  action: { kind, key },
  onClose,
  onRotated,
}: {
  readonly action: KeyAction;
  readonly onClose: () => void;
  readonly onRotated: (secret: NewSecret) => void;
}) {
  const [hours, setHours] = useState('24');
  const name = key.label || key.name;
  if (kind === 'revoke') {
    return (
      <ConfirmDialog
        isOpen
        onClose={onClose}
        title={t('Revoke {name}?', { name })}
        action={t('Revoke')}
        isDanger
        run={async () => {
          await revokeKey(key.name);
          toast('success', t('Key revoked'));
        }}
      >
        {t('Stops programs that use this key immediately. You cannot undo this.')}
      </ConfirmDialog>
    );
  }
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={t('New secret for {name}', { name })}
      action={t('Generate secret')}
      run={async () => onRotated(await rotateKey(key.name, Number(hours)))}
    >
      <Stack gap={3}>
        <span>
          {t('The new secret works immediately. Keep the old one valid until you have deployed the new one.')}
        </span>
        <Select
          label={t('Old secret expires')}
          value={hours}
          onChange={(next) => setHours(next ?? '24')}
          choices={OVERLAPS.map((count) => ({ value: String(count), label: overlapText(count) }))}
        />
        <Muted isSmall>{t('Older secrets stop working now.')}</Muted>
      </Stack>
    </ConfirmDialog>
  );
}

function overlapText(hours: number): string {
  if (hours === 0) return t('Immediately');
  if (hours < 48) return tn(hours, 'After {count} hour', 'After {count} hours');
  return tn(hours / 24, 'After {count} day', 'After {count} days');
}
