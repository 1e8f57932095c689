import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isRecord } from '../kernel/value.ts';
import type { App } from './app.ts';
import { StartError } from './start-error.ts';

// Sources here are .ts in a checkout and .js once built; the bundled apps lie beside in the same form.
const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
const BUNDLED = new URL('../../apps/', import.meta.url);

/**
 * Loads an app by the name of a bundled one (`crm`), by the absolute path of its module or folder, or as an
 * installed package.
 * @throws StartError when there is no such app or it is not one
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

/** The definitions in an app's folder, as JSON, in the order of file names. Throws StartError naming a file that is not JSON. */
export function readDefinitions(app: App): unknown[] {
  if (!app.doctypes) return [];
  const folder = fileURLToPath(app.doctypes);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => {
      try {
        return JSON.parse(readFileSync(join(folder, file), 'utf8'));
      } catch (error) {
        throw new StartError(
          `${join(folder, file)} is not JSON: ${error instanceof Error ? error.message : error}`,
        );
      }
    });
}

function locate(name: string, cwd: string): string {
  const bundled = new URL(`${name}/app${EXTENSION}`, BUNDLED);
  if (/^[\w-]+$/.test(name) && existsSync(bundled)) return bundled.href;
  if (/^\.{0,2}[/\\]|^[A-Za-z]:[/\\]/.test(name)) {
    const module = [name, join(name, 'app.ts'), join(name, 'app.js')].find(
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

// An app imports `chancery` by name wherever it lies; it must get this very instance, not a second copy.
function provideChancery(): void {
  if (provided) return;
  provided = true;
  const url = new URL(`../index${EXTENSION}`, import.meta.url).href;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'chancery' ? { url, shortCircuit: true } : next(specifier, context),
  });
}

function isApp(value: unknown): value is App {
  return isRecord(value) && typeof value['name'] === 'string' && /^[\w-]+$/.test(value['name']);
}
