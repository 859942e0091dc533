import { basename, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CodePlace } from '../core/code.ts';
import { below, isWithin } from '../files/paths.ts';
import { realPath } from '../files/real-path.ts';

/** How files of a skill are named to people: as they lie in its folder. */
export interface CodePaths {
  /** The module that is called. */
  readonly file: string;
  /** A text without the folders of this machine in which the skill lies. */
  shorten(text: string): string;
  /** The first place in the skill that a stack names, as `src/index.ts:3`. */
  firstIn(stack: string): string | undefined;
}

/** The names of files around a module: from the innermost granted folder that holds it. */
export function findCodePaths({ grant: { read, write } }: CodePlace, module: string): CodePaths {
  const around = [...read, ...write].filter((folder) => isWithin(module, folder));
  const folder = around.toSorted((one, other) => other.length - one.length)[0] ?? dirname(module);
  const folders = [...new Set([folder, realPath(folder)])];
  const starts = folders.flatMap((one) => [`${pathToFileURL(one).href}/`, `file://${one}/`, `${one}/`]);
  return {
    file: below(folder, module) || basename(module),
    shorten: (text) => starts.reduce((shorter, start) => shorter.replaceAll(start, ''), text),
    firstIn(stack) {
      for (const line of stack.split('\n')) {
        const start = starts.find((one) => line.includes(one));
        const place = start === undefined ? undefined : line.slice(line.indexOf(start) + start.length);
        const [, path, number] = /^([^:()]+):(\d+)/.exec(place ?? '') ?? [];
        if (path !== undefined && number !== undefined) return `${path}:${number}`;
      }
      return undefined;
    },
  };
}
