/**
 * What is published: JavaScript in `dist/` (or the folder named as the argument), with the types, the doctype
 * definitions and the admin UI beside it.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import manifest from '../package.json' with { type: 'json' };
import { ADMIN_UI, buildAdminUi } from './admin-ui.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const dist = resolve(root, process.argv[2] ?? 'dist');
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');

// The UI knows by itself whether it is still the one of its sources.
for (const name of existsSync(dist) ? readdirSync(dist) : [])
  if (!name.startsWith('admin')) rmSync(join(dist, name), { recursive: true, force: true });
const compiled = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', dist], {
  cwd: root,
  stdio: 'inherit',
});
if (compiled.status !== 0) process.exit(compiled.status ?? 1);
await bundle();
for (const file of globSync('{src,apps}/**/*.json', { cwd: root }))
  cpSync(join(root, file), join(dist, file));

const built = await buildAdminUi();
if (built !== null) console.log(built);
const place = join(dist, 'admin');
if (place !== ADMIN_UI) cpSync(ADMIN_UI, place, { recursive: true });

// A start loads a few dozen files instead of six hundred. What something loads by its path keeps its place: the
// command, the exports of the package, the worker and the apps. Packages stay outside, so that npm can replace them.
async function bundle(): Promise<void> {
  const exported = Object.values(manifest.exports).flatMap((one) =>
    typeof one === 'string' ? [] : one.source,
  );
  const paths = [
    'src/main.ts',
    'src/db/sqlite/scan-worker.ts',
    'src/db/sqlite/pin-worker.ts',
    ...exported,
    ...globSync('apps/*/app.ts', { cwd: root }),
  ];
  const bundling = await rolldown({
    cwd: root,
    platform: 'node',
    input: Object.fromEntries(paths.map((path) => [path.replace(/^\.\/|\.ts$/g, ''), path])),
    resolve: { alias: { chancery: join(root, 'src/index.ts') } },
    external: (id) => !/^[./]/.test(id) && id !== 'chancery',
  });
  await bundling.write({
    dir: dist,
    entryFileNames: '[name].js',
    // src/kernel/code-place.ts counts the folders.
    chunkFileNames: 'src/chunks/[name].js',
    keepNames: true,
  });
}
