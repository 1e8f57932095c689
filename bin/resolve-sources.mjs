import * as module from 'node:module';

const SOURCES = new URL('../src/', import.meta.url).href;

/**
 * Resolves imports between the files of `src` by their text. Node would look for each of six hundred files and for the
 * package.json above it: a tenth of the CPU time and of the memory of a start.
 */
export function resolveSources() {
  module.registerHooks({
    resolve: (specifier, context, next) =>
      specifier.startsWith('.') && specifier.endsWith('.ts') && context.parentURL?.startsWith(SOURCES)
        ? { url: new URL(specifier, context.parentURL).href, format: 'module-typescript', shortCircuit: true }
        : next(specifier, context),
  });
}
