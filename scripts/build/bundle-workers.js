// Bundles each file that runs as a worker or inside a sandbox into a separate file, because a sandbox mounts
// only that file.
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

// Zod is part of the public types. The other packages are optional or belong to the user's project.
const external = ['zod', 'fast-check', 'typescript', 'isolated-vm', 'pg-native', '@lat.md/*'];

/** Returns the options of all bundles. */
export function sharedOptions(root) {
  return {
    absWorkingDir: root,
    outdir: 'dist',
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20', // affects only syntax: an older Node must be able to parse the version check
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    external,
    // Bundled CommonJS packages call require() for Node's own modules. Node 20 must get as far as the check of
    // its version, and may not have this function.
    banner: {
      js: "const require = process.getBuiltinModule?.('node:module').createRequire(import.meta.url);",
    },
  };
}

/** Writes the workers to the folder in the options. */
export function bundleWorkers(options) {
  return build({ ...options, entryPoints: workers.map((name) => `src/${name}.ts`), outbase: 'src' });
}
