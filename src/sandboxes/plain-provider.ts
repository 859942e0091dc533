import { tmpdir } from 'node:os';
import type { Grant, SandboxProvider } from '../core/index.ts';
import { realPath } from '../files/index.ts';
import { makeTemporaryFolder, openSandbox } from './open-sandbox.ts';
import { startGroup } from './process/process-group.ts';

/**
 * Processes without containment, for machines that have none: they get exactly the granted environment and end as a
 * whole, but may touch what their user may. `read` and `write` keep to the granted folders. Nothing can be mounted, so
 * a folder with a copy is named by that in commands and variables.
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
        start: ({ program, arguments: words, ...more }, folder = tmpdir(), open) =>
          startGroup(
            { ...more, program: named(program), arguments: words.map(named) },
            environment,
            named(folder),
            open,
          ),
        close: async () => temporary?.remove(),
      });
    },
  };
}

/** Replaces every mention of a folder that has a copy by the copy. */
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
