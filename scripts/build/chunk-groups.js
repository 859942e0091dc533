// Reduces the number of chunks. esbuild puts a module in a chunk with the modules that the same entry points
// reach, so one small difference between two commands makes another file, and every file costs a start half a
// millisecond. The modules of a group are made reachable from the same entry points: each entry that needs
// one of them imports them all.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

// The static imports of these modules form one chunk each. A module belongs to the first group that has it.
const groups = {
  // Discovery, the registry and the families: every command and the library need them.
  agent: ['src/cli/open-agent.ts'],
  // The parts of the command line that most commands share.
  'command-line': ['src/cli/command-line.ts', 'src/cli/command-kit.ts', 'src/cli/semantic-ranking.ts'],
  // The execution of a run, with its log in SQLite.
  run: [
    'src/run/runs.ts',
    'src/sessions/sessions.ts',
    'src/agent/runs/runtime.ts',
    'src/stores/sqlite/store.ts',
    'src/cli/runs/watch-run.ts',
  ],
  // The models of a run: no run of a tool needs more of what follows.
  models: ['src/config/models/open-models.ts'],
  // The model loop and plans, which most families run.
  loop: ['src/engines/loop/run-loop.ts', 'src/engines/sop/session/run-session.ts'],
  // The rest of what programs import.
  library: ['src/index.ts'],
};

/** Returns an esbuild plugin that groups the modules reachable from the entry points of `options`. */
export async function groupChunks(options) {
  const root = options.absWorkingDir;
  const { metafile } = await build({ ...options, splitting: true, write: false });
  const graph = readGraph(metafile);
  const groupOf = new Map();
  for (const [group, modules] of Object.entries(groups)) {
    for (const module of closureOf(modules, graph)) if (!groupOf.has(module)) groupOf.set(module, group);
  }
  const entries = [...graph.dynamic, ...options.entryPoints.map((entry) => entry.in)];
  const needed = new Map();
  for (const entry of entries) {
    const reached = new Set([...closureOf([entry], graph)].map((module) => groupOf.get(module)));
    needed.set(
      path.join(root, entry),
      [...reached].filter((group) => group !== undefined),
    );
  }
  const membersOf = (group) => [...groupOf].filter(([, other]) => other === group).map(([module]) => module);
  return {
    name: 'group-chunks',
    setup({ onResolve, onLoad }) {
      // Without the package's `sideEffects`, so that an import without names reaches its module.
      onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path: specifier, resolveDir }) => ({
        path: path.join(resolveDir, specifier),
      }));
      onResolve({ filter: /^group:/ }, ({ path: name }) => ({ path: name.slice(6), namespace: 'group' }));
      onLoad({ filter: /^/, namespace: 'group' }, ({ path: group }) => ({
        contents: membersOf(group)
          .map((module) => `import './${module}';`)
          .join('\n'),
        resolveDir: root,
      }));
      onLoad({ filter: /\.ts$/ }, ({ path: file }) => {
        const imported = needed.get(file);
        if (imported === undefined || imported.length === 0) return undefined;
        const imports = imported.map((group) => `import 'group:${group}';`).join('\n');
        return { contents: `${readFileSync(file, 'utf8')}\n${imports}\n`, loader: 'ts' };
      });
    },
  };
}

/** Returns the imports of every module of `src`, and the modules that are imported dynamically. */
function readGraph({ inputs }) {
  const imports = new Map();
  const dynamic = new Set();
  for (const [module, { imports: all }] of Object.entries(inputs)) {
    const own = all.filter(({ external, path: other }) => external !== true && other.startsWith('src/'));
    imports.set(
      module,
      own.filter(({ kind }) => kind === 'import-statement').map(({ path: other }) => other),
    );
    for (const { kind, path: other } of own) if (kind === 'dynamic-import') dynamic.add(other);
  }
  return { imports, dynamic };
}

function closureOf(modules, { imports }) {
  const reached = new Set(modules);
  for (const module of reached) for (const other of imports.get(module) ?? []) reached.add(other);
  return reached;
}
