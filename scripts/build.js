// Builds dist: JavaScript by esbuild with shared chunks, type declarations by tsc.
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const root = path.join(import.meta.dirname, '..');
const dist = path.join(root, 'dist');

// Every file that is started or imported by its path; workers and child processes belong here as well.
const entries = [
  ...['src/index.ts', 'src/testing/index.ts', 'src/cli/main.ts'],
  ...['src/models/minilm.ts', 'src/models/minilm-worker.ts', 'src/files/grep-worker.ts'],
  ...['syntax-worker', 'types-worker', 'load-worker'].map(
    (name) => `src/builtins/mirror-code-generator/${name}.ts`,
  ),
  ...['src/sandboxes/isolate.ts', 'src/sandboxes/isolate-worker.ts', 'src/sandboxes/network-forwarder.ts'],
  'src/sandboxes/code-worker/worker.ts',
];

rmSync(dist, { recursive: true, force: true });
await bundle().catch(() => fail('The code was not bundled. Fix the errors above.'));
makeExecutable(path.join(dist, 'cli', 'main.js'));
declareTypes();

async function bundle() {
  await build({
    absWorkingDir: root,
    entryPoints: entries,
    outbase: 'src',
    outdir: 'dist',
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    packages: 'external',
    logLevel: 'warning',
  });
}

function makeExecutable(file) {
  const code = readFileSync(file, 'utf8');
  if (!code.startsWith('#!')) writeFileSync(file, `#!/usr/bin/env node\n${code}`);
  chmodSync(file, 0o755);
}

function declareTypes() {
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  try {
    execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
  } catch {
    fail('The type declarations were not written. Fix the errors above: npm run types');
  }
}

function fail(message) {
  console.error(`skilled: ${message}`);
  process.exit(1);
}
