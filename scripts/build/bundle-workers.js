// Bundles every file that runs as a worker or inside a sandbox by itself, because a sandbox mounts nothing else.
import { build } from 'esbuild';

const workers = [
  'builtins/mirror-code-generator/load-worker',
  'builtins/mirror-code-generator/syntax-worker',
  'builtins/mirror-code-generator/types-worker',
  'files/grep-worker',
  'models/minilm-worker',
  'sandboxes/code-worker/worker',
  'sandboxes/isolate/worker',
  'sandboxes/network/forwarder',
];

// Zod is part of public types; the others are optional, or found in the user's project.
const external = ['zod', 'fast-check', 'typescript', 'isolated-vm', 'pg-native', '@lat.md/*'];

/** The options of all bundles. */
export function sharedOptions(root) {
  return {
    absWorkingDir: root,
    outdir: 'dist',
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20', // syntax only: an older Node must be able to parse a file in order to print what it needs
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    external,
    // Bundled CommonJS packages call require() for modules of Node itself.
    banner: {
      js: "import { createRequire as createRequireForPackages } from 'node:module'; const require = createRequireForPackages(import.meta.url);",
    },
  };
}

/** Writes the workers into the folder that the options name. */
export function bundleWorkers(options) {
  return build({ ...options, entryPoints: workers.map((name) => `src/${name}.ts`), outbase: 'src' });
}
