import { t } from '../../base/i18n.ts';
import { shownKeys } from '../../base/keys.ts';
import { allowCharacterKeys, characterKeys, isMac, type Scope, shortcuts } from '../../base/shortcuts.ts';
import { useStore } from '../../base/store.ts';
import { Switch } from '../../widgets/checks.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { Keys } from '../../widgets/kbd.tsx';
import { Hidden, Stack } from '../../widgets/layout.tsx';
import css from './palette.module.css';

/** Lists the shortcuts that work now, global ones and the screen's own. */
export function ShortcutSheet({ onClose }: { readonly onClose: () => void }) {
  const all = useStore(shortcuts);
  const isOn = useStore(characterKeys);
  const headings: Readonly<Record<Scope, string>> = {
    dialog: t('Dialog'),
    list: t('List'),
    form: t('Form'),
    grid: t('Rows'),
    files: t('Files'),
    webhooks: t('Webhooks'),
    global: t('Everywhere'),
  };
  const scopes = Object.keys(headings) as Scope[];
  return (
    <Modal isOpen onClose={onClose} title={t('Keyboard shortcuts')} width={720}>
      <Stack>
        <div className={css['columns']}>
          {scopes.map((scope) => {
            // With equal keys, only the newer shortcut works.
            const here = new Map(
              all.filter((one) => one.scope === scope).map((one) => [one.keys, one.label]),
            );
            if (here.size === 0) return null;
            return (
              <section key={scope}>
                <h3>{headings[scope]}</h3>
                <dl>
                  {[...here].map(([keys, label]) => (
                    <div key={keys} className={css['line']}>
                      <dt>{label}</dt>
                      <dd>
                        <Keys keys={keys} />
                        <Hidden>{shownKeys(keys, isMac).join(' ')}</Hidden>
                      </dd>
                    </div>
                  ))}
                </dl>
              </section>
            );
          })}
        </div>
        <Switch
          label={t('Single-letter shortcuts')}
          description={t('Turn off if you trigger shortcuts by mistake, for example with voice control.')}
          isOn={isOn}
          onChange={allowCharacterKeys}
        />
      </Stack>
    </Modal>
  );
}
