import { t } from '../../base/i18n.ts';
import type { IconName } from '../../base/icons.ts';
import { ownDoctypes } from '../../base/opened.ts';
import { paths } from '../../base/paths.ts';
import type { BootDoctype } from '../../data/boot.ts';
import { iconOfDoctype } from '../../widgets/doctype-icon.ts';
import { isBelow } from './is-below.ts';
import type { ScreenLink } from './screens-for.ts';

/** With more doctypes of its own, a site has a filter, and its modules are closed at first. */
const FEW = 20;
/** Doctypes in the group of the last opened ones, on such a site. */
const RECENT = 5;
/** The filter shows the first matches. */
const MATCHES = 50;

/** An entry of the sidebar. */
export interface SideLink {
  readonly path: string;
  readonly label: string;
  readonly icon: IconName;
  /** A path whose other parts have no links of their own. */
  readonly covers?: string;
}

/** A group of the sidebar. */
export interface SideGroup {
  readonly id: string;
  /** '' for the screens above all groups. */
  readonly heading: string;
  /** Whether it is open until the user closes it. */
  readonly isOpen: boolean;
  readonly links: readonly SideLink[];
}

export interface SideSources {
  readonly doctypes: readonly BootDoctype[];
  readonly screens: readonly ScreenLink[];
  /** Paths. */
  readonly favourites: readonly string[];
  /** Doctypes, newest first. */
  readonly opened: readonly string[];
}

/** Whether the sidebar has a filter. */
export function hasManyDoctypes(doctypes: readonly BootDoctype[]): boolean {
  return ownDoctypes(doctypes).length > FEW;
}

/** The path of the link to mark at a path of the UI: of several that are above it, the nearest. */
export function currentLink(
  { screens, doctypes }: Pick<SideSources, 'screens' | 'doctypes'>,
  here: string,
): string | undefined {
  const above = [...screens, ...doctypeLinks({ doctypes })].flatMap(({ path, covers }) =>
    isBelow(here, path)
      ? [{ path, by: path }]
      : covers !== undefined && isBelow(here, covers)
        ? [{ path, by: covers }]
        : [],
  );
  return above.toSorted((a, b) => b.by.length - a.by.length)[0]?.path;
}

/** The groups of the sidebar from top to bottom; empty ones are left out. */
export function sideGroups(sources: SideSources): readonly SideGroup[] {
  const { doctypes, screens } = sources;
  const isMany = hasManyDoctypes(doctypes);
  const screensOf = (group: ScreenLink['group']) => screens.filter((screen) => screen.group === group);
  const groups: readonly SideGroup[] = [
    { id: 'main', heading: '', isOpen: true, links: screensOf('main') },
    { id: 'favourites', heading: t('Favourites'), isOpen: true, links: favouriteLinks(sources) },
    { id: 'recent', heading: t('Recent'), isOpen: true, links: isMany ? recentLinks(sources) : [] },
    ...moduleGroups(sources, !isMany),
    { id: 'integrations', heading: t('Integrations'), isOpen: true, links: screensOf('integrations') },
    { id: 'system', heading: t('System'), isOpen: true, links: screensOf('system') },
  ];
  return groups.filter(({ links }) => links.length > 0);
}

/** Screens and doctypes whose names contain every word, those that begin with the text first. */
export function matchingLinks(sources: SideSources, typed: string): readonly SideLink[] {
  const text = typed.trim().toLowerCase();
  const words = text.split(/\s+/);
  const begins = (link: SideLink) => (link.label.toLowerCase().startsWith(text) ? 0 : 1);
  const every = new Map([...sources.screens, ...doctypeLinks(sources)].map((link) => [link.path, link]));
  return [...every.values()]
    .filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
    .toSorted((a, b) => begins(a) - begins(b) || a.label.localeCompare(b.label))
    .slice(0, MATCHES);
}

function favouriteLinks(sources: SideSources): readonly SideLink[] {
  const known = new Map([...doctypeLinks(sources), ...sources.screens].map((link) => [link.path, link]));
  return sources.favourites.flatMap((path) => known.get(path) ?? []);
}

function recentLinks({ doctypes, opened }: SideSources): readonly SideLink[] {
  const byName = new Map(doctypes.map((one) => [one.name, one]));
  return opened
    .flatMap((name) => byName.get(name) ?? [])
    .filter((one) => one.rights.has('read'))
    .slice(0, RECENT)
    .map((one) => linkOf(one));
}

function moduleGroups({ doctypes }: SideSources, isOpen: boolean): readonly SideGroup[] {
  const modules = Map.groupBy(ownDoctypes(doctypes), ({ module }) => module);
  return [...modules]
    .map(([module, members]) => ({
      id: `module ${module}`,
      heading: module === '' ? t('Records') : t(module),
      isOpen,
      links: members.map((one) => linkOf(one)).toSorted((a, b) => a.label.localeCompare(b.label)),
    }))
    .toSorted((a, b) => a.heading.localeCompare(b.heading));
}

function doctypeLinks({ doctypes }: Pick<SideSources, 'doctypes'>): readonly SideLink[] {
  return doctypes.filter((one) => !one.istable && one.rights.has('read')).map((one) => linkOf(one));
}

function linkOf(doctype: BootDoctype): SideLink {
  const { name, issingle } = doctype;
  return {
    path: issingle ? paths.record(name, name) : paths.list(name),
    label: t(name),
    icon: iconOfDoctype(doctype),
  };
}
