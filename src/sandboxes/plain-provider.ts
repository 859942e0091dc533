import { tmpdir } from 'node:os';
import type { Grant, SandboxProvider } from '../core/index.ts';
import { realPath } from '../files/index.ts';
import { makeTemporaryFolder, openSandbox } from './open-sandbox.ts';
import { startGroup } from './process/process-group.ts';

/**
 * Creates a provider for machines without a sandbox. Its processes get only the granted environment
 * variables, and all processes of a command end together. However, they can access everything that the user
 * can access; only the methods `read` and `write` are limited to the granted folders. If a granted folder
 * has a copy, commands and variables get the path of the copy, because it cannot be mounted at the folder's
 * own path.
 */
export function createPlainSandboxes(): SandboxProvider {
  return {
    contains: async () => false,
    async open(grant) {
      const temporary = grant.sharesTemporary === true ? makeTemporaryFolder() : undefined;
      const named = namesCopies(grant);
      const variables = Object.entries(grant.environment).map(([name, value]) => [name, named(value)]);
      const environment = {
        ...(Object.fromEntries(variables) as Record<string, string>),
        ...(temporary === undefined ? {} : { TMPDIR: temporary.path }),
      };
      return openSandbox(grant, {
        start: ({ program, arguments: args, ...more }, folder = tmpdir(), open) =>
          startGroup(
            { ...more, program: named(program), arguments: args.map(named) },
            environment,
            named(folder),
            open,
          ),
        close: async () => temporary?.remove(),
      });
    },
  };
}

/** Returns a function that replaces the paths of folders in a text with the paths of their copies. */
function namesCopies({ from = {} }: Pick<Grant, 'from'>): (text: string) => string {
  const copies = Object.entries(from).flatMap(([path, copy]) =>
    [...new Set([path, realPath(path)])].map((one): [RegExp, string] => [
      new RegExp(
        `(?<![\\p{L}\\p{N}_./-])${one.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}(?![\\p{L}\\p{N}_.-])`,
        'gu',
      ),
      copy,
    ]),
  );
  return (text) => copies.reduce((named, [path, copy]) => named.replace(path, () => copy), text);
}
