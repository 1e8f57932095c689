import { defineConfig } from 'vite';

/**
 * The admin UI as static files in `dist/admin`, served below `/app/` under a content policy that knows no
 * inline style or script.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: '/app/',
  build: {
    outDir: '../dist/admin',
    emptyOutDir: true,
    manifest: true,
    target: 'es2023',
    // Nothing as data: the policy's `default-src 'none'` stays what it says.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // One file compresses better than many small ones that every screen loads.
        codeSplitting: {
          groups: [{ name: 'shared', test: /admin\/src\/(?:base|data|meta|grid)\//, minShareCount: 4 }],
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
