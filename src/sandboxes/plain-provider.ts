import { tmpdir } from 'node:os';
import type { Grant, SandboxProvider } from '../core/index.ts';
import { realPath } from '../files/index.ts';
import { makeTemporaryFolder, openSandbox } from './open-sandbox.ts';
import { startGroup } from './process/process-group.ts';

/**
 * Runs processes without containment, for machines that have no sandbox. Processes receive only the granted
 * environment and all end together, but they can access anything their user can. `read` and `write` are
 * limited to the granted folders. Since nothing can be mounted, commands and variables use the path of a
 * folder's copy instead.
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

/** Returns a function that replaces each folder's path with the path of its copy, if it has one. */
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
