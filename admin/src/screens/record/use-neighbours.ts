import { useRef } from 'react';
import { announce } from '../../base/announce.ts';
import { t } from '../../base/i18n.ts';
import { useGo } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useShortcut } from '../../base/shortcuts.ts';
import { toast } from '../../base/toasts.ts';
import { useBoot } from '../../data/boot.ts';
import { loadMeta } from '../../meta/use-meta.ts';
import { tellFailure } from '../../widgets/error-panel.tsx';
import { neighbourOf } from './neighbour.ts';

/**
 * Alt with the arrow keys steps through the records of the last visited list, even while a record loads. In a
 * grid these keys move rows instead.
 */
export function useNeighbours(doctype: string, name: string): void {
  const go = useGo();
  // The target of earlier key presses while it loads. The next press continues from there.
  const goal = useRef<Promise<string | null | undefined> | null>(null);
  const step = async (to: 1 | -1) => {
    const found = neighbour(doctype, goal.current ?? name, to);
    goal.current = found;
    try {
      const next = await found;
      if (next) go(paths.record(doctype, next));
      else if (next === undefined) toast('info', t('This record is not in the list'));
      else announce(to === 1 ? t('Last record in the list') : t('First record in the list'));
    } catch (error) {
      tellFailure(error);
    } finally {
      if (goal.current === found) goal.current = null;
    }
  };
  const isOn = useBoot().doctypes.get(doctype)?.issingle !== true;
  useShortcut('form', 'alt+ArrowDown', t('Next record'), () => void step(1), { isOn });
  useShortcut('form', 'alt+ArrowUp', t('Previous record'), () => void step(-1), { isOn });
}

async function neighbour(
  doctype: string,
  from: string | Promise<string | null | undefined>,
  step: 1 | -1,
): Promise<string | null | undefined> {
  const [{ meta }, name] = await Promise.all([loadMeta(doctype), from]);
  return name && neighbourOf(doctype, name, step, `${meta.sort_field} ${meta.sort_order}`);
}
