import { posix } from 'node:path';
import { byCodeUnits, normaliseKey, outline } from '../core/index.ts';
import { isCode, withoutExtension } from './targets.ts';

/** The dependencies that a spec lists. */
interface NamedDependencies {
  /** The targets of the dependencies, in the order of the list and without duplicates. */
  readonly targets: readonly string[];
  /** The references that match no spec. */
  readonly missing: readonly { readonly path: string; readonly line: number }[];
}

/**
 * Returns the target to which a reference in a spec refers, or undefined if there is no such target. `from`
 * is the path in `specs` of the spec that contains the reference.
 */
type FindTarget = (reference: string, from: string) => string | undefined;

/**
 * Creates a function that resolves references. A reference can start with `src`, omit the file extension or
 * end in `.md`. It can be relative to the spec that contains it or to `specs`.
 */
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
  return (reference, from) => {
    const beside = posix.normalize(posix.join(posix.dirname(from), reference));
    const below = posix.normalize(reference);
    const tried = /^\.\.?\//.test(reference) ? [beside, below] : [below, beside];
    return tried
      .flatMap((path) => [path, path.replace(/^(?:specs|src)\//, '')])
      .map((path) => known.get(path))
      .find((target) => target !== undefined);
  };
}

/** Reads the `Dependencies` section of a spec. Ignores references to the spec itself. */
export function readDependencies(
  { text, inner, target }: { readonly text: string; readonly inner: string; readonly target: string },
  find: FindTarget,
): NamedDependencies {
  const targets = new Set<string>();
  const missing: { path: string; line: number }[] = [];
  for (const { content, line } of dependencyLines(text)) {
    const references = findReferences(content);
    const found = references.map((reference) => find(reference, inner)).find((one) => one !== undefined);
    if (found !== undefined) targets.add(found);
    else if (references[0] !== undefined && isPath(references[0]))
      missing.push({ path: references[0], line });
  }
  targets.delete(target);
  return { targets: [...targets], missing };
}

const titles = ['dependencies', 'depends-on'];

function dependencyLines(text: string): readonly { readonly content: string; readonly line: number }[] {
  if (!/depend/i.test(text)) return []; // Most specs list no dependencies, so they need not be parsed.
  return outline(text)
    .headings.filter(({ title }) => titles.includes(normaliseKey(title)))
    .flatMap((heading) =>
      heading.text.split('\n').map((content, index) => ({ content, line: heading.textLine + index })),
    );
}

const longestLine = 500; // The maximum number of characters to search per line. Longer lines are prose.

/** Returns the possible references in a line: its first word, or otherwise its first link or code span. */
function findReferences(line: string): readonly string[] {
  const content = line
    .slice(0, longestLine)
    .trim()
    .replace(/^(?:[-*+]|\d+[.)])\s+/, '')
    .replace(/^\*\*(.+?)\*\*/, '$1');
  const link = /\[[^\]]*\]\(<?([^)\s>]+)>?[^)]*\)/.exec(content)?.[1]?.replace(/#.*$/, '');
  const code = /`([^`\s]+)`/.exec(content)?.[1];
  const first = /^[[`]/.test(content) ? '' : /^\S+/.exec(content)?.[0].replace(/[,;:]+$/, '');
  const references = [first, ...(content.startsWith('[') ? [link, code] : [code, link])];
  return references.filter((reference): reference is string => reference !== undefined && reference !== '');
}

/** Whether a reference is a path in the skill rather than a package or a URL. */
function isPath(reference: string): boolean {
  if (/^@|:/.test(reference)) return false;
  return reference.includes('/') || isCode(reference) || /\.mds?$/i.test(reference);
}

/** An item with dependencies on other items. */
interface Ordered {
  readonly path: string;
  readonly target: string;
  readonly dependencies: readonly string[];
}

/**
 * Sorts items by path, but with each item after its dependencies. If there is a cycle, also returns the paths
 * in the cycle, with the first path repeated at the end.
 */
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

/** Returns the paths of a cycle. Every item in `left` must depend on another item in `left`. */
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
