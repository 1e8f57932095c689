import { t } from '../../base/i18n.ts';
import type { ViewType } from '../../grid/list-search.ts';
import type { Field } from '../../meta/meta.ts';
import type { IconName } from '../../widgets/icon.tsx';
import { laneFields } from './board/board-settings.ts';
import { dateFields } from './calendar/calendar-settings.ts';
import { imageFields } from './gallery/gallery-settings.ts';

/** A type of view as the switcher offers it. */
export interface ViewChoice {
  readonly type: ViewType;
  readonly label: string;
  readonly icon: IconName;
  /** A sequence that switches to it. */
  readonly keys: string;
}

/** The types of view that fit the fields of a doctype. */
export function viewChoices(fields: readonly Field[]): readonly ViewChoice[] {
  const all: readonly (ViewChoice & { readonly fits: boolean })[] = [
    { type: 'table', label: t('Table'), icon: 'list', keys: 'v t', fits: true },
    { type: 'report', label: t('Report'), icon: 'chart', keys: 'v r', fits: true },
    { type: 'board', label: t('Board'), icon: 'board', keys: 'v b', fits: laneFields(fields).length > 0 },
    {
      type: 'calendar',
      label: t('Calendar'),
      icon: 'calendar',
      keys: 'v c',
      fits: dateFields(fields).length > 0,
    },
    {
      type: 'gallery',
      label: t('Gallery'),
      icon: 'image',
      keys: 'v g',
      fits: imageFields(fields).length > 0,
    },
  ];
  return all.filter((one) => one.fits);
}
