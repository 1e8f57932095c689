import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BootDoctype, RightName } from '../../data/boot.ts';
import type { ScreenLink } from './screens-for.ts';
import { currentLink, matchingLinks, type SideSources, sideGroups } from './sidebar-groups.ts';

const doctype = (name: string, more: Partial<BootDoctype> = {}): BootDoctype => ({
  name,
  module: 'Sales',
  issingle: false,
  istable: false,
  is_submittable: false,
  is_tree: false,
  is_virtual: false,
  hasRandomNames: false,
  custom: false,
  title_field: '',
  icon: '',
  rights: new Set<RightName>(['select', 'read']),
  ...more,
});
const SCREENS: readonly ScreenLink[] = [
  { group: 'main', path: '/', label: 'Home', icon: 'home' },
  { group: 'system', path: '/users', label: 'Users', icon: 'users' },
];
const sources = (doctypes: readonly BootDoctype[], more: Partial<SideSources> = {}): SideSources => ({
  doctypes,
  screens: SCREENS,
  favourites: [],
  opened: [],
  ...more,
});
const shown = (of: SideSources) =>
  sideGroups(of).map(({ heading, links }) => [heading, ...links.map(({ label }) => label)].join(' '));
const many = Array.from({ length: 21 }, (_, at) => doctype(`Thing ${String.fromCharCode(65 + at)}`));

describe('the sidebar', () => {
  test('groups own doctypes by module, between the screens', () => {
    const doctypes = [
      doctype('Order'),
      doctype('Invoice'),
      doctype('Plan', { module: 'Projects' }),
      doctype('Loose', { module: '' }),
      doctype('Order Item', { istable: true }),
      doctype('Hidden', { rights: new Set<RightName>(['select']) }),
      doctype('Role', { module: 'Core' }),
      doctype('Own', { module: 'Core', custom: true }),
    ];
    assert.deepEqual(shown(sources(doctypes)), [
      ' Home',
      'Core Own',
      'Projects Plan',
      'Records Loose',
      'Sales Invoice Order',
      'System Users',
    ]);
  });

  test('has favourites above the records, in their order, without those that are gone', () => {
    const favourites = ['/users', '/d/Gone', '/d/Order'];
    assert.equal(shown(sources([doctype('Order')], { favourites }))[1], 'Favourites Users Order');
  });

  test('of a site with many doctypes has the last opened ones, and its modules are closed', () => {
    const opened = ['Thing C', 'Gone', 'Thing A'];
    const groups = sideGroups(sources(many, { opened }));
    assert.deepEqual(
      groups.map(({ id, isOpen }) => [id, isOpen]),
      [
        ['main', true],
        ['recent', true],
        ['module Sales', false],
        ['system', true],
      ],
    );
    assert.deepEqual(
      groups[1]?.links.map(({ label }) => label),
      ['Thing C', 'Thing A'],
    );
  });

  test('marks the nearest link above a path, or the one that covers it', () => {
    const screens: readonly ScreenLink[] = [
      ...SCREENS,
      { group: 'system', path: '/system/health', covers: '/system', label: 'Monitoring', icon: 'activity' },
      { group: 'system', path: '/system/audit', label: 'Audit log', icon: 'history' },
    ];
    const marked = (here: string) => currentLink(sources([doctype('Order')], { screens }), here);
    assert.deepEqual(['/system', '/system/jobs', '/system/health'].map(marked), [
      '/system/health',
      '/system/health',
      '/system/health',
    ]);
    assert.deepEqual(['/system/audit', '/d/Order/ORD-1', '/', '/profile'].map(marked), [
      '/system/audit',
      '/d/Order',
      '/',
      undefined,
    ]);
  });

  test('finds screens and doctypes by every word, best first', () => {
    const found = matchingLinks(sources([...many, doctype('Anything')]), 'thing');
    assert.deepEqual([found[0]?.label, found.at(-1)?.label], ['Thing A', 'Anything']);
    assert.deepEqual(
      matchingLinks(sources(many), 'b thi').map(({ path }) => path),
      ['/d/Thing%20B'],
    );
    assert.deepEqual(
      matchingLinks(sources(many), 'users').map(({ path }) => path),
      ['/users'],
    );
  });
});
