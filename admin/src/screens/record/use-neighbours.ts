import { announce } from '../../base/announce.ts';
import { t } from '../../base/i18n.ts';
import { useGo } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useShortcut } from '../../base/shortcuts.ts';
import { toast } from '../../base/toasts.ts';
import type { RecordModel } from '../../form/record.ts';
import { tellFailure } from '../../widgets/error-panel.tsx';
import { neighbourOf } from './neighbour.ts';

/**
 * Alt with the arrows goes through the records of the list that was looked at last. In a grid they move rows,
 * and do not come here.
 */
export function useNeighbours({ bundle: { meta }, doctype, name }: RecordModel): void {
  const go = useGo();
  const step = async (to: 1 | -1) => {
    if (name === null) return;
    try {
      const next = await neighbourOf(doctype, name, to, `${meta.sort_field} ${meta.sort_order}`);
      if (next) go(paths.record(doctype, next));
      else if (next === undefined) toast('info', t('This record is not in the list'));
      else announce(to === 1 ? t('Last record in the list') : t('First record in the list'));
    } catch (error) {
      tellFailure(error);
    }
  };
  const isOn = name !== null && !meta.issingle;
  useShortcut('form', 'alt+ArrowDown', t('Next record'), () => void step(1), { isOn });
  useShortcut('form', 'alt+ArrowUp', t('Previous record'), () => void step(-1), { isOn });
}
