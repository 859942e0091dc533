import { posix } from 'node:path';
import { byCodeUnits, normaliseKey, outline } from '../core/index.ts';
import { isCode, withoutExtension } from './targets.ts';

/** What a spec says that it builds on. */
interface NamedDependencies {
  /** Targets, each once, in the order in which they are named. */
  readonly targets: readonly string[];
  /** Paths that lead to no spec. */
  readonly missing: readonly { readonly path: string; readonly line: number }[];
}

/** Finds the target that a word means in a spec, by its path from `specs`; undefined where it means none. */
type FindTarget = (word: string, from: string) => string | undefined;

/** A way to find targets by whatever authors write for them: with or without `src`, extension and `.md`, from the spec or from `specs`. */
export function targetFinder(
  specs: readonly { readonly inner: string; readonly target: string }[],
): FindTarget {
  const known = new Map<string, string>();
  const learn = (key: string, target: string): void => {
    if (!known.has(key)) known.set(key, target);
  };
  for (const { inner, target } of specs) known.set(target, target).set(inner, target);
  for (const { inner, target } of specs) learn(inner.replace(/\.mds?$/i, ''), target);
  const byKind = specs.toSorted((one, other) => Number(isCode(other.target)) - Number(isCode(one.target)));
  for (const { target } of byKind) learn(withoutExtension(target), target);
  return (word, from) => {
    const beside = posix.normalize(posix.join(posix.dirname(from), word));
    const below = posix.normalize(word);
    const tried = /^\.\.?\//.test(word) ? [beside, below] : [below, beside];
    return tried
      .flatMap((path) => [path, path.replace(/^(?:specs|src)\//, '')])
      .map((path) => known.get(path))
      .find((target) => target !== undefined);
  };
}

/** Reads the section `Dependencies` of a spec; one that names itself says nothing. */
export function readDependencies(
  { text, inner, target }: { readonly text: string; readonly inner: string; readonly target: string },
  find: FindTarget,
): NamedDependencies {
  const targets = new Set<string>();
  const missing: { path: string; line: number }[] = [];
  for (const { content, line } of dependencyLines(text)) {
    const words = wordsOf(content);
    const found = words.map((word) => find(word, inner)).find((one) => one !== undefined);
    if (found !== undefined) targets.add(found);
    else if (words[0] !== undefined && isPath(words[0])) missing.push({ path: words[0], line });
  }
  targets.delete(target);
  return { targets: [...targets], missing };
}

const titles = ['dependencies', 'depends-on'];

function dependencyLines(text: string): readonly { readonly content: string; readonly line: number }[] {
  if (!/depend/i.test(text)) return []; // most texts need no tree
  return outline(text)
    .headings.filter(({ title }) => titles.includes(normaliseKey(title)))
    .flatMap((heading) =>
      heading.text.split('\n').map((content, index) => ({ content, line: heading.textLine + index })),
    );
}

const longestLine = 500; // beyond it a line is prose

/** What may name a spec in a line: its first word, or else the first link or code in it. */
function wordsOf(line: string): readonly string[] {
  const content = line
    .slice(0, longestLine)
    .trim()
    .replace(/^(?:[-*+]|\d+[.)])\s+/, '')
    .replace(/^\*\*(.+?)\*\*/, '$1');
  const link = /\[[^\]]*\]\(<?([^)\s>]+)>?[^)]*\)/.exec(content)?.[1]?.replace(/#.*$/, '');
  const code = /`([^`\s]+)`/.exec(content)?.[1];
  const first = /^[[`]/.test(content) ? '' : /^\S+/.exec(content)?.[0].replace(/[,;:]+$/, '');
  const words = [first, ...(content.startsWith('[') ? [link, code] : [code, link])];
  return words.filter((word): word is string => word !== undefined && word !== '');
}

/** Whether a word is meant as a path to a file of the skill; packages and addresses are not. */
function isPath(word: string): boolean {
  if (/^@|:/.test(word)) return false;
  return word.includes('/') || isCode(word) || /\.mds?$/i.test(word);
}

/** What has an order: something made of others. */
interface Ordered {
  readonly path: string;
  readonly target: string;
  readonly dependencies: readonly string[];
}

/** Each one after all that it depends on, otherwise by path; a circle is given as the paths on it, its first one again at the end. */
export function orderSpecs<Item extends Ordered>(
  items: readonly Item[],
): { readonly ordered: readonly Item[]; readonly circle?: readonly string[] } {
  const left = items.toSorted((one, other) => byCodeUnits(one.path, other.path));
  const ordered: Item[] = [];
  const done = new Set<string>();
  while (left.length > 0) {
    const index = left.findIndex(({ dependencies }) => dependencies.every((target) => done.has(target)));
    if (index < 0) return { ordered: [...ordered, ...left], circle: circleIn(left) };
    const [next] = left.splice(index, 1);
    if (next === undefined) break;
    ordered.push(next);
    done.add(next.target);
  }
  return { ordered };
}

/** Follows dependencies among those of which each waits for another, until one comes again. */
function circleIn(left: readonly Ordered[]): readonly string[] {
  const byTarget = new Map(left.map((item) => [item.target, item]));
  const trail: Ordered[] = [];
  let at = left[0];
  while (at !== undefined && !trail.includes(at)) {
    trail.push(at);
    at = at.dependencies.map((target) => byTarget.get(target)).find((item) => item !== undefined);
  }
  const circle = at === undefined ? trail : trail.slice(trail.indexOf(at));
  const paths = circle.map(({ path }) => path);
  return [...paths, ...paths.slice(0, 1)];
}
