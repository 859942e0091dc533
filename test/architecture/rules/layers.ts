import type { Import } from '../imports.ts';
import { at } from '../rule.ts';
import type { Rule } from '../rule.ts';
import type { Source } from '../source.ts';

/**
 * The folders that each folder may import. A folder may always import itself, and the package's entry may
 * import everything.
 */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  core: [],
  files: ['core'],
  shell: ['core'],
  skills: ['core', 'files'],
  engines: ['core'],
  models: ['core'],
  sandboxes: ['core', 'files'],
  stores: ['core'],
  'mcp-client': ['core', 'files'],
  generation: ['core', 'files'],
  policy: ['core'],
  sessions: ['core'],
  views: ['core'],
  run: ['core', 'skills'],
  families: ['core', 'engines', 'files', 'shell', 'generation'],
  builtins: ['core', 'engines', 'files', 'shell', 'generation'],
  agent: ['core', 'files', 'skills', 'run', 'engines', 'sessions', 'views'],
  config: [
    ...['core', 'agent', 'files', 'skills', 'policy', 'sessions'],
    ...['families', 'builtins', 'models', 'stores', 'sandboxes', 'mcp-client'],
  ],
  doctor: ['core', 'skills', 'config', 'policy'],
  server: ['core', 'files', 'skills', 'agent', 'views'],
  evals: ['core', 'skills', 'agent', 'config', 'models', 'views'],
  acp: ['core', 'agent', 'run', 'views'],
  cli: ['core', 'agent', 'config', 'doctor', 'views', 'server', 'acp', 'engines', 'evals'],
  testing: ['core', 'skills', 'models', 'stores', 'sandboxes'],
};

// Folders whose members may not import each other. Only the folder's index lists them.
const isolated = ['families', 'builtins'];

// The entry of the package, and its exports under their old names.
const entries = ['index.ts', 'earlier-names.ts'];

/** Imports must follow the table of folders. */
export const layers: Rule = {
  name: 'layers',
  find(tree) {
    return tree
      .filter((source) => source.role === 'code' && !entries.includes(source.path))
      .flatMap((source) => {
        if (!Object.hasOwn(mayImport, source.folder)) {
          return [at(source, 1, `"${source.folder || source.path}" is not in the table of layers.`)];
        }
        return source.imports.flatMap((reference) => {
          const message = faultOf(source, reference);
          return message === undefined ? [] : [at(source, reference.line, message)];
        });
      });
  },
};

function faultOf(source: Source, { target }: Import): string | undefined {
  if (target === undefined) return undefined;
  if (target.startsWith('../')) return `${target} is outside src, so it is not in the package.`;

  const folder = target.includes('/') ? target.slice(0, target.indexOf('/')) : '';
  if (folder === '') return `${target} is the outermost layer; nothing inside may import it.`;
  if (folder !== source.folder) {
    const allowed = mayImport[source.folder] ?? [];
    if (allowed.includes(folder)) return undefined;
    return `${source.folder} may not import ${folder} (allowed: ${allowed.join(', ') || 'nothing'}).`;
  }
  if (!isolated.includes(folder)) return undefined;
  const [from, to] = [memberOf(source.path), memberOf(target)];
  if (from === to || from === 'index') return undefined;
  return `${folder}/${from} may not import ${folder}/${to}: members of ${folder} do not know each other.`;
}

// families/table/parse.ts → table, builtins/read.ts → read
function memberOf(file: string): string {
  return (file.split('/')[1] ?? '').replace(/\.ts$/, '');
}
