// Builds dist, the content of the published package:
// - The library, the testing library and the CLI share chunks.
// - Every file that runs as a worker or inside a sandbox is self-contained: a sandbox mounts nothing else.
// - Packages that are loaded synchronously on first use are separate files in dist/vendor.
// - Each library entry has one declaration file.
// Packages that users need not install are bundled; their licences are in dist/THIRD_PARTY_NOTICES. With
// --source-maps, source maps are written next to the code. They are for coverage and are not published.
import { chmodSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { builtinModules } from './build/builtin-modules.js';
import { bundleWorkers, sharedOptions } from './build/bundle-workers.js';
import { groupChunks } from './build/chunk-groups.js';
import { rollUpTypes } from './build/roll-up-types.js';
import { writeNotices } from './build/third-party-notices.js';

const root = path.join(import.meta.dirname, '..');
const dist = path.join(root, 'dist');

const libraries = {
  library: 'src/index.ts',
  'testing-library': 'src/testing/index.ts',
  'server-library': 'src/server/index.ts',
};

// Loaded by loadModule() in src/core/package-files.ts, when the first skill of the family is found.
const lazyFamilies = globSync('families/*/family.ts', { cwd: path.join(root, 'src') });

// Loaded by loadPackage() in src/core/package-files.ts.
const vendored = [
  'gpt-tokenizer/encoding/o200k_base',
  'js-yaml',
  'jsonc-parser',
  'markdown-it',
  'unbash',
  'zod',
];

// The package's main entry is a UMD file, whose imports esbuild does not find.
const alias = { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' };

// Zod's messages in fifty languages would take half of its load time.
const onlyEnglish = {
  name: 'only-english',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/locales\/index\.c?js$/ }, () => ({ path: 'locales', namespace: 'only-english' }));
    onLoad({ filter: /^/, namespace: 'only-english' }, () => ({ contents: 'module.exports = {};' }));
  },
};

const options = { ...sharedOptions(root), sourcemap: process.argv.includes('--source-maps') };

rmSync(dist, { recursive: true, force: true });
try {
  const results = await Promise.all([
    bundleShared(),
    bundleWorkers(options),
    ...vendored.map(bundleVendored),
  ]);
  writeGuards();
  writeNotices(root, path.join(dist, 'THIRD_PARTY_NOTICES'), results);
  if (!process.argv.includes('--no-types'))
    rollUpTypes(root, {
      'src/index.ts': 'dist/index.d.ts',
      'src/testing/index.ts': 'dist/testing.d.ts',
      'src/server/index.ts': 'dist/server.d.ts',
    });
} catch (error) {
  console.error(`skilled: The build failed. ${error.message}`);
  process.exitCode = 1;
}

async function bundleShared() {
  const entryPoints = [
    ...Object.entries(libraries).map(([out, source]) => ({ in: source, out })),
    { in: 'src/cli/main.ts', out: 'cli/main' },
    { in: 'src/core/node-version.ts', out: 'node-version' },
    ...lazyFamilies.map((file) => ({ in: `src/${file}`, out: file.replace(/\.ts$/, '') })),
  ];
  const plugins = [await groupChunks({ ...options, entryPoints }), builtinModules];
  return build({ ...options, entryPoints, plugins, splitting: true, chunkNames: 'chunks/[name]-[hash]' });
}

function bundleVendored(name) {
  return build({
    ...options,
    outdir: undefined,
    banner: {},
    stdin: { contents: `module.exports = require('${name}');`, resolveDir: root },
    external: options.external.filter((other) => other !== name),
    plugins: [onlyEnglish],
    alias,
    outfile: `dist/vendor/${name.replaceAll('/', '-')}.cjs`,
    format: 'cjs',
    minify: true,
  });
}

// Writes the entries that users import. Each entry checks the Node version before it loads any library code.
function writeGuards() {
  for (const [name, library] of [
    ['index', 'library'],
    ['testing', 'testing-library'],
    ['server', 'server-library'],
  ])
    writeFileSync(
      path.join(dist, `${name}.js`),
      `import './node-version.js';\nexport * from './${library}.js';\n`,
    );
  const main = path.join(dist, 'cli', 'main.js');
  writeFileSync(main, `#!/usr/bin/env node\n${readFileSync(main, 'utf8')}`);
  chmodSync(main, 0o755);
}
