// The build puts this module into a chunk of `dist/src/chunks`, two folders down as here.

/** The folder of `src` and `apps`: a checkout, or `dist` of a package. */
export const CODE = new URL('../../', import.meta.url);

/** True in a checkout, which runs its sources. */
export const RUNS_SOURCES = import.meta.url.endsWith('.ts');

/** The folder of Chancery's package.json. */
export const PACKAGE = RUNS_SOURCES ? CODE : new URL('../', CODE);

/** The URL of a module that is loaded by its path, such as `src/index`. */
export function moduleUrl(path: string): URL {
  return new URL(`${path}${RUNS_SOURCES ? '.ts' : '.js'}`, CODE);
}
