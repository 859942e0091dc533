import { isBuiltin } from 'node:module';
import { at, type Rule } from '../rule.ts';

const pureFolders = ['core', 'run', 'engines', 'views'];
const pureModules = ['path', 'path/posix', 'crypto', 'module', 'buffer', 'async_hooks'];
const besides: Readonly<Record<string, string>> = { 'core/json/validate.ts': 'node:vm' }; // it can stop a check, and is used for nothing else

/** The inner layers may use only Node's pure modules, so that they do not access the machine. */
export const nodeModules: Rule = {
  name: 'node-modules',
  find(tree) {
    return tree
      .filter((source) => source.role === 'code' && pureFolders.includes(source.folder))
      .flatMap((source) =>
        source.imports
          .filter(({ specifier }) => isBuiltin(specifier))
          .filter(({ specifier }) => !pureModules.includes(specifier.replace(/^node:/, '')))
          .filter(({ specifier }) => besides[source.path] !== specifier)
          .map(({ specifier, line }) => at(source, line, `${source.folder} may not use ${specifier}.`)),
      );
  },
};
