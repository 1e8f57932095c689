import { useState } from 'react';
import { favourites } from '../../base/favourites.ts';
import { t } from '../../base/i18n.ts';
import { PathLink, usePath } from '../../base/navigation.tsx';
import { lastOpened } from '../../base/opened.ts';
import { paths } from '../../base/paths.ts';
import { useStore } from '../../base/store.ts';
import { useBoot } from '../../data/boot.ts';
import { Brand } from '../../widgets/brand.tsx';
import { Icon } from '../../widgets/icon.tsx';
import { screensFor } from './screens-for.ts';
import css from './sidebar.module.css';
import { SideFilter } from './sidebar-filter.tsx';
import {
  currentLink,
  hasManyDoctypes,
  matchingLinks,
  type SideGroup,
  type SideSources,
  sideGroups,
} from './sidebar-groups.ts';
import { SideItem } from './sidebar-item.tsx';
import { useFolded } from './use-folded.ts';

/** The sidebar: screens, favourites, and the user's doctypes by module. */
export function Sidebar({ isInDrawer }: { readonly isInDrawer?: boolean }) {
  const sources = useSources();
  const here = currentLink(sources, usePath());
  const [typed, setTyped] = useState('');
  const isFiltered = typed.trim() !== '';
  return (
    <>
      {!isInDrawer && (
        <PathLink to={paths.home()} className={css['brand']}>
          <Brand />
          Chancery
        </PathLink>
      )}
      {hasManyDoctypes(sources.doctypes) && (
        <SideFilter typed={typed} onChange={setTyped} first={matchingLinks(sources, typed)[0]?.path} />
      )}
      {isFiltered ? (
        <Matches sources={sources} typed={typed} here={here} />
      ) : (
        sideGroups(sources).map((group) => <Group key={group.id} group={group} here={here} />)
      )}
    </>
  );
}

function useSources(): SideSources {
  const boot = useBoot();
  return {
    doctypes: [...boot.doctypes.values()],
    screens: screensFor(boot),
    favourites: useStore(favourites),
    opened: useStore(lastOpened),
  };
}

function Group({ group, here }: { readonly group: SideGroup; readonly here: string | undefined }) {
  const { id, heading, links } = group;
  const [isOpen, toggle] = useFolded(id, group.isOpen);
  return (
    <>
      {heading !== '' && (
        <h2 className={css['heading']}>
          <button type="button" aria-expanded={isOpen} onClick={toggle}>
            <Icon name={isOpen ? 'down' : 'end'} size={12} />
            {heading}
          </button>
        </h2>
      )}
      {isOpen && (
        <ul className={css['nav']}>
          {links.map((link) => (
            <SideItem key={link.path} link={link} isHere={link.path === here} />
          ))}
        </ul>
      )}
    </>
  );
}

interface MatchesProps {
  readonly sources: SideSources;
  readonly typed: string;
  /** The path of the link to mark. */
  readonly here: string | undefined;
}

function Matches({ sources, typed, here }: MatchesProps) {
  const links = matchingLinks(sources, typed);
  if (links.length === 0) return <p className={css['none']}>{t('Nothing found')}</p>;
  return (
    <ul className={css['nav']}>
      {links.map((link) => (
        <SideItem key={link.path} link={link} isHere={link.path === here} />
      ))}
    </ul>
  );
}
