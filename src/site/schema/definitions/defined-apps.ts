import { createHash } from 'node:crypto';
import type { DoctypeRegistry } from '../../../doctype/doctype.ts';
import { parseDoctype } from '../../../doctype/parse-doctype.ts';
import { buildRegistry } from '../../../doctype/registry.ts';
import { isRecord } from '../../../kernel/value.ts';
import type { App } from '../../app.ts';
import type { SiteSettings } from '../../settings/settings-table.ts';
import { StartError } from '../../start-error.ts';
import { readDefinitions } from '../apps/load-app.ts';
import type { Definition } from './stored-definitions.ts';

/** Raise it when the same definitions lead to another plan, so that existing sites plan again. */
export const PLAN_VERSION = 8;

/** The doctypes that describe doctypes: these always come from their files, all others from the tables. */
export const META: readonly string[] = [
  'DocType',
  'DocField',
  'DocPerm',
  'Custom Field',
  'Property Setter',
  'Custom DocPerm',
];

/** An app with the definitions of its folder. */
export interface DefinedApp {
  readonly app: App;
  readonly definitions: readonly Definition[];
  /** Changes whenever a definition does. */
  readonly digest: string;
}

/** Reads an app's folder of definitions. @throws StartError */
export function defineDoctypes(app: App): DefinedApp {
  const definitions = readDefinitions(app).map((definition) => {
    if (isRecord(definition) && typeof definition['name'] === 'string') return definition;
    throw new StartError(`A doctype of the app ${app.name} has no name.`);
  });
  const digest = createHash('sha256')
    .update(JSON.stringify([PLAN_VERSION, definitions]))
    .digest('hex');
  return { app, definitions, digest };
}

/** The apps whose definitions differ from those that the site's tables follow. */
export function changedApps(apps: readonly DefinedApp[], settings: SiteSettings): DefinedApp[] {
  return apps.filter(({ app, digest }) => settings.get(`app:${app.name}`) !== digest);
}

/** A registry of the metadata doctypes, from the standard app's files. */
export function metaRegistry(standard: DefinedApp): DoctypeRegistry {
  const definitions = standard.definitions.filter((definition) => META.includes(String(definition['name'])));
  return buildRegistry(
    definitions.map((definition) => parseDoctype(definition, standard.app.name)),
    0,
  );
}

/** @throws StartError when two apps have the same name or define the same doctype */
export function requireDistinctApps(apps: readonly DefinedApp[]): void {
  const names = new Set<string>();
  const owners = new Map<string, string>();
  for (const { app, definitions } of apps) {
    if (names.has(app.name)) throw new StartError(`Two apps are named ${app.name}.`);
    names.add(app.name);
    for (const name of definitions.map((definition) => String(definition['name']))) {
      const other = owners.get(name);
      if (other) throw new StartError(`The apps ${other} and ${app.name} both define the doctype ${name}.`);
      owners.set(name, app.name);
    }
  }
}

/** The loaded app whose file defines a doctype; '' for a doctype made at run time. */
export type OwnerOf = (doctypeName: string) => string;

export function ownerOf(apps: readonly DefinedApp[]): OwnerOf {
  const owners = new Map(
    apps.flatMap(({ app, definitions }) => definitions.map(({ name }) => [String(name), app.name] as const)),
  );
  return (doctypeName) => owners.get(doctypeName) ?? '';
}
