import { readlinkSync } from 'node:fs';
import { dirname, isAbsolute, parse, sep } from 'node:path';
import { childOf } from '../files/paths.ts';
import { lookAt } from './look-at.ts';

/** A name in a folder that decides where a path leads. */
export interface Step {
  /** Absolute, links resolved. */
  readonly dir: string;
  readonly name: string;
}

/** More links on one way than any system follows. */
const mostLinks = 40;

/** The links on the way of an absolute path, then its end, or the first part of it that is missing. Never throws. */
export function trailOf(path: string): readonly Step[] {
  const steps: Step[] = [];
  let at = parse(path).root;
  let rest = partsOf(path.slice(at.length));
  for (let [name] = rest; name !== undefined && steps.length < mostLinks; [name] = rest) {
    rest = rest.slice(1);
    if (name === '..') {
      at = dirname(at);
      continue;
    }
    const here = childOf(at, name);
    const stats = lookAt(here);
    if (rest.length === 0 || stats?.isDirectory() !== true) steps.push({ dir: at, name });
    if (stats?.isSymbolicLink() === true) {
      const target = readLink(here);
      rest = [...partsOf(target), ...rest];
      if (isAbsolute(target)) at = parse(target).root;
    } else if (stats?.isDirectory() === true) at = here;
    else break;
  }
  return steps;
}

function partsOf(path: string): readonly string[] {
  return path.split(sep).filter((part) => part !== '' && part !== '.');
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // gone meanwhile, which its folder's watch reports
  }
}
