import { formatList, formatNumber } from '../../../base/format.ts';
import { t } from '../../../base/i18n.ts';
import { initialsOf } from '../../../base/initials.ts';
import { useStore } from '../../../base/store.ts';
import { hasMarks } from '../../../data/marks.ts';
import type { RecordModel } from '../../../form/record.ts';
import { Tooltip } from '../../../widgets/tooltip.tsx';
import css from './together.module.css';
import { useViewers } from './use-viewers.ts';

/** Initials shown; further viewers are a number. */
const MOST = 3;

/** The other users who view the document now. */
export function ViewersPart({ model }: { readonly model: RecordModel }) {
  const { stored } = useStore(model.state);
  const { meta } = model.bundle;
  return stored && hasMarks(meta) ? <ViewersOf doctype={meta.name} name={stored.name} /> : null;
}

function ViewersOf({ doctype, name }: { readonly doctype: string; readonly name: string }) {
  const { viewers, count } = useViewers(doctype, name);
  if (viewers.length === 0) return null;
  const shown = viewers.slice(0, MOST);
  const names = viewers.map(({ fullname }) => fullname);
  const unnamed = count - names.length;
  const who = formatList(unnamed > 0 ? [...names, t('{count} more', { count: unnamed })] : names);
  const label = t('Also viewing: {names}', { names: who });
  return (
    <Tooltip label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the hint shows on focus */}
      <span className={css['viewers']} role="img" aria-label={label} tabIndex={0}>
        {shown.map((viewer) => (
          <span key={viewer.name} className={css['viewer']}>
            {initialsOf(viewer.fullname)}
          </span>
        ))}
        {count > shown.length && (
          <span className={css['viewer']}>{`+${formatNumber(count - shown.length)}`}</span>
        )}
      </span>
    </Tooltip>
  );
}
