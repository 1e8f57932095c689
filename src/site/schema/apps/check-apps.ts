import type { DoctypeRegistry } from '../../../doctype/doctype.ts';
import { CONTROLLER_MEMBERS } from '../../../document/controller.ts';
import { isMethod } from '../../../document/verbs/method.ts';
import { nearMiss } from '../../../kernel/near-miss.ts';
import { isRecord } from '../../../kernel/value.ts';
import type { App } from '../../app.ts';
import { StartError } from '../../start-error.ts';

const APP_KEYS: Readonly<Record<keyof App, true>> = {
  name: true,
  doctypes: true,
  controllers: true,
  methods: true,
  fixtures: true,
  patches: true,
};

/** Problems of an app, and its parts without effect: one sentence each. */
class Findings {
  readonly problems: string[] = [];
  readonly notes: string[] = [];

  /** An unknown key: a misspelling of a known one is a problem; any other has no effect. */
  unknown(key: string, known: Iterable<string>, where: string): void {
    const meant = nearMiss(key, known);
    if (meant === undefined) this.notes.push(`${where} ${key} is unknown and has no effect`);
    else this.problems.push(`${where} ${key} is unknown; did you mean ${meant}?`);
  }
}

/**
 * Checks the code of apps, once all doctypes of the site are known. Returns the parts without effect: one
 * sentence each.
 * @throws StartError naming every misspelling, and every member of a wrong type
 */
export function checkApps(apps: readonly App[], registry: DoctypeRegistry): string[] {
  const findings = apps.map((app) => {
    const found = new Findings();
    checkApp(app, registry, found);
    return { app, found };
  });
  const problems = findings.flatMap(({ app, found }) => found.problems.map((text) => `${app.name}: ${text}`));
  if (problems.length > 0) throw new StartError(`Apps have mistakes:\n  ${problems.join('\n  ')}`);
  return findings.flatMap(({ app, found }) => found.notes.map((text) => `App ${app.name}: ${text}`));
}

// Apps may be JavaScript, where no types are checked.
function checkApp(app: App, registry: DoctypeRegistry, found: Findings): void {
  for (const key of Object.keys(app)) {
    if (!Object.hasOwn(APP_KEYS, key)) found.unknown(key, Object.keys(APP_KEYS), 'the key');
  }
  for (const [name, method] of Object.entries(app.methods ?? {})) {
    if (!isMethod(method)) found.problems.push(`method ${name} must be made with defineMethod`);
  }
  const doctypeNames = registry.all().map((doctype) => doctype.name);
  for (const [doctypeName, controller] of Object.entries(app.controllers ?? {})) {
    if (doctypeName !== '*' && !registry.find(doctypeName)) {
      found.unknown(doctypeName, doctypeNames, 'the controller of');
    }
    if (isRecord(controller)) checkController(doctypeName, controller, registry, found);
    else found.problems.push(`the controller of ${doctypeName} must be an object of hooks`);
  }
}

function checkController(
  doctypeName: string,
  controller: Record<string, unknown>,
  registry: DoctypeRegistry,
  found: Findings,
): void {
  const members = new Map<string, string>(Object.entries(CONTROLLER_MEMBERS));
  for (const key of memberNames(controller)) {
    const value = controller[key];
    const title = `${key} of ${doctypeName}`;
    const kind = members.get(key);
    const isHelper = kind === undefined && !Object.hasOwn(controller, key) && !nearMiss(key, members.keys());
    if (isHelper) continue;
    if (kind === undefined) found.unknown(key, members.keys(), `in the controller of ${doctypeName}:`);
    else if (value === undefined) continue;
    else if (kind === 'function') {
      if (typeof value !== 'function') found.problems.push(`${title} must be a function`);
    } else if (!isRecord(value)) found.problems.push(`${title} must be an object`);
    else checkMembers(title, value, kind === 'methods', found);
  }
  const doctype = registry.find(doctypeName);
  const { virtualFields } = controller;
  if (!doctype || !isRecord(virtualFields)) return;
  const known = doctype.fields.filter((field) => field.is_virtual).map((field) => field.fieldname);
  for (const key of Object.keys(virtualFields)) {
    if (!known.includes(key)) found.unknown(key, known, `in virtualFields of ${doctypeName}:`);
  }
}

/** The names of an object's members, those of its classes included: a controller may be an instance. */
function memberNames(controller: object): Set<string> {
  const names = new Set(Object.keys(controller));
  let proto = Object.getPrototypeOf(controller);
  while (proto !== null && proto !== Object.prototype) {
    for (const name of Object.getOwnPropertyNames(proto)) if (name !== 'constructor') names.add(name);
    proto = Object.getPrototypeOf(proto);
  }
  return names;
}

function checkMembers(
  title: string,
  members: Record<string, unknown>,
  areMethods: boolean,
  found: Findings,
): void {
  for (const [name, member] of Object.entries(members)) {
    if (areMethods && !isMethod(member)) {
      found.problems.push(`${name} in ${title} must be made with defineDocumentMethod`);
    } else if (!areMethods && typeof member !== 'function') {
      found.problems.push(`${name} in ${title} must be a function`);
    }
  }
}
