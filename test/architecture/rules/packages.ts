import { isBuiltin } from 'node:module';
import type { Import } from '../imports.ts';
import { at } from '../rule.ts';
import type { Rule } from '../rule.ts';

// The packages that core may use. `lazy` ones are slow to load, so a file may import only their types.
const allowed: Readonly<Record<string, 'value' | 'lazy'>> = {
  'js-yaml': 'lazy',
  'jsonc-parser': 'lazy',
  'markdown-it': 'value',
  zod: 'lazy',
};

/** Core may use only these packages. */
export const packages: Rule = {
  name: 'packages',
  find(tree) {
    return tree
      .filter((source) => source.role === 'code' && source.folder === 'core')
      .flatMap((source) =>
        source.imports.flatMap((reference) => {
          const message = faultOf(reference);
          return message === undefined ? [] : [at(source, reference.line, message)];
        }),
      );
  },
};

function faultOf({ specifier, kind, target }: Import): string | undefined {
  if (target !== undefined || isBuiltin(specifier)) return undefined;
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  if (!Object.hasOwn(allowed, name)) return `core may not use the package ${name}.`;
  if (allowed[name] === 'lazy' && kind === 'value') {
    return `core may import only types of ${name}; load the rest on first use.`;
  }
  return undefined;
}
