import { isBuiltin } from 'node:module';
import { at, type Rule } from '../rule.ts';
import type { Source } from '../source.ts';

const worthIt = 300;
const commands = 'cli/commands/';
const entryPoint = 'cli/main.ts'; // it checks the version of Node before it loads anything

/** `import()` must save loading a command, a package, or at least 300 lines that are not loaded yet. */
export const lazyImports: Rule = {
  name: 'lazy-imports',
  find(tree) {
    const code = new Map(tree.filter(({ role }) => role === 'code').map((source) => [source.path, source]));
    return [...code.values()]
      .filter(({ path }) => path !== entryPoint)
      .flatMap((source) =>
        source.imports.flatMap(({ kind, target, line }) => {
          if (kind !== 'lazy' || target === undefined || target.startsWith(commands)) return [];
          const saved = linesSaved(source.path, target, code);
          if (saved >= worthIt) return [];
          return [at(source, line, `import() of ${target} saves ${saved} lines; import it statically.`)];
        }),
      );
  },
};

// Infinite if the import also saves a package, which is always larger.
function linesSaved(from: string, target: string, code: ReadonlyMap<string, Source>): number {
  const loaded = new Set(loadedWith(from, code));
  const saved = loadedWith(target, code).filter((source) => !loaded.has(source));
  if (saved.some(({ imports }) => imports.some(isPackage))) return Infinity;
  return saved.reduce((sum, { lines }) => sum + lines, 0);
}

// Whether an import loads a package, at once or on first use. A file with such an import counts as large.
function isPackage({ specifier, kind, target }: Source['imports'][number]): boolean {
  return target === undefined && kind !== 'type' && !isBuiltin(specifier);
}

function loadedWith(file: string, code: ReadonlyMap<string, Source>): Source[] {
  const loaded = new Set<Source>();
  const enter = (name: string): void => {
    const source = code.get(name);
    if (source === undefined || loaded.has(source)) return;
    loaded.add(source);
    for (const { kind, target } of source.imports)
      if (kind === 'value' && target !== undefined) enter(target);
  };
  enter(file);
  return [...loaded];
}
