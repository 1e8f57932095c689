import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

/**
 * The admin UI as static files in `dist/admin`, served below `/app/` under a content policy that knows no
 * inline style or script.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: '/app/',
  plugins: [scriptBeforePaint('theme-first')],
  build: {
    outDir: '../dist/admin',
    emptyOutDir: true,
    target: 'es2023',
    // Nothing as data: the policy's `default-src 'none'` stays what it says.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // `test/admin-budget.test.ts` has the limits, of what is sent.
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Every visit begins with this. In one file: a browser asks once, and it compresses better.
            { name: 'first', tags: ['$initial'] },
            { name: 'first', test: /rolldown\/runtime/ },
            // A form: its controls, what it knows, and what stands around it.
            { name: 'controls', test: /admin\/src\/widgets\/fields\/register-controls\.ts$/ },
            { name: 'form', test: /admin\/src\/form\/record-form\.tsx$/ },
            { name: 'record', test: /admin\/src\/screens\/record\/(?:new-)?record-screen\.tsx$/ },
            // Parts that several screens have in common.
            { name: 'shared', test: /admin\/src\/|@mantine/, minShareCount: 4 },
          ],
        },
      },
      onLog(level, log, tell) {
        // Packages mark what runs in browsers; here all does.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') tell(level, log);
      },
    },
  },
  server: {
    // `npx vite admin` beside `npm run dev`: the page from here, what it asks from there.
    proxy: { '^/(api|files|private)/': process.env['CHANCERY_URL'] ?? 'http://127.0.0.1:8000' },
  },
});

/**
 * Puts a script of this folder into the head, where it runs before the page is painted; scripts of the page
 * itself are modules, which run later. Its name in the build changes with its content, as those of all assets.
 */
function scriptBeforePaint(name: string): Plugin {
  const source = readFileSync(join(import.meta.dirname, `${name}.js`), 'utf8').replaceAll(
    /^\s*(?:\/\/.*)?\n/gm,
    '',
  );
  const fileName = `assets/${name}-${createHash('sha256').update(source).digest('base64url').slice(0, 8)}.js`;
  return {
    name: 'script-before-paint',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName, source });
    },
    transformIndexHtml: (_html, { server }) => [
      {
        tag: 'script',
        attrs: { src: server ? `/app/${name}.js` : `/app/${fileName}` },
        injectTo: 'head-prepend',
      },
    ],
  };
}
