import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { moduleUrl } from '../../../kernel/code-place.ts';
import { isRecord } from '../../../kernel/value.ts';
import type { App } from '../../app.ts';
import { StartError } from '../../start-error.ts';

/**
 * Loads an app: a bundled one by name (`crm`), a module or folder by path (`.`, `./app.js`, absolute), or an
 * installed package.
 * @throws StartError when there is no such app, or it is not an app
 */
export async function loadApp(name: string, cwd: string): Promise<App> {
  provideChancery();
  const module = await import(locate(name, cwd)).catch((error: unknown) => {
    throw new StartError(
      `The app ${name} failed to load: ${error instanceof Error ? error.message : error}`,
      {
        cause: error,
      },
    );
  });
  const app: unknown = module.default;
  if (!isApp(app))
    throw new StartError(`The app ${name} must have defineApp({ name, … }) as its default export.`);
  return app;
}

/** A JSON file of an app. */
export interface JsonFile {
  /** Its file name, without folders. */
  readonly name: string;
  readonly content: unknown;
}

/**
 * The definitions in an app's folder, ordered by file name. @throws StartError naming a file that is not JSON
 */
export function readDefinitions(app: App): unknown[] {
  return app.doctypes ? readJson(app, app.doctypes).map(({ content }) => content) : [];
}

/** An app's fixture files, ordered by name. @throws StartError naming a file that is not JSON */
export function readFixtures(app: App): JsonFile[] {
  return app.fixtures ? readJson(app, app.fixtures) : [];
}

function readJson(app: App, place: URL): JsonFile[] {
  const path = fileURLToPath(place);
  return filesOf(app, path).map((file) => {
    try {
      return { name: basename(file), content: JSON.parse(readFileSync(file, 'utf8')) };
    } catch (error) {
      throw new StartError(`${file} is not JSON: ${error instanceof Error ? error.message : error}`);
    }
  });
}

function filesOf(app: App, path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new StartError(`The app ${app.name} names ${path}, which does not exist.`);
  if (!found.isDirectory()) return [path];
  return readdirSync(path)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => join(path, file));
}

function locate(name: string, cwd: string): string {
  if (/^[\w-]+$/.test(name)) {
    const bundled = moduleUrl(`apps/${name}/app`);
    if (existsSync(bundled)) return bundled.href;
  }
  if (/^\.{1,2}$|^\.{0,2}[/\\]|^[A-Za-z]:[/\\]/.test(name)) {
    const place = resolve(cwd, name);
    const module = [place, join(place, 'app.ts'), join(place, 'app.js')].find(
      (path) => /\.[cm]?[jt]s$/.test(path) && existsSync(path),
    );
    if (!module)
      throw new StartError(`There is no app at ${name}: name its app.ts or app.js, or their folder.`);
    return pathToFileURL(module).href;
  }
  try {
    return pathToFileURL(createRequire(join(cwd, 'app.js')).resolve(name)).href;
  } catch {
    throw new StartError(`There is no app ${name}: neither a bundled one nor an installed package.`);
  }
}

let provided = false;

// An app imports `chancery` by name from any folder. It must get this instance, not a second copy.
function provideChancery(): void {
  if (provided) return;
  provided = true;
  const urls = new Map([
    ['chancery', moduleUrl('src/index').href],
    ['chancery/testing', moduleUrl('src/testing').href],
  ]);
  registerHooks({
    resolve: (specifier, context, next) => {
      const url = urls.get(specifier);
      return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
    },
  });
}

function isApp(value: unknown): value is App {
  return isRecord(value) && typeof value['name'] === 'string' && /^[\w-]+$/.test(value['name']);
}
