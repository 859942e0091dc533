import { lstatSync, readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { byCodeUnits, reasonOf, type Issue } from '../core/index.ts';
import { systemCode } from '../files/index.ts';
import { readSmallFile } from './file-access.ts';
import { orderSpecs, readDependencies, targetFinder } from './spec-dependencies.ts';
import { checkTargets, targetOf } from './targets.ts';

/** A spec, which describes one source file of a skill. */
export interface Spec {
  /** The spec's path in the skill folder, such as `specs/lib/parse.ts.md`. */
  readonly path: string;
  /** The path in `src` of the file to generate, such as `lib/parse.ts`. */
  readonly target: string;
  readonly text: string;
  /** The targets of the specs on which this spec depends. */
  readonly dependencies: readonly string[];
}

/**
 * A skill's specs, each after its dependencies, and the issues with them. If any issue is an error, no spec
 * can be used.
 */
export interface Specs {
  readonly specs: readonly Spec[];
  readonly issues: readonly Issue[];
}

/**
 * The texts of specs that are not stored in files, keyed by their path in `specs`. Each text replaces the
 * file with the same path.
 */
export type SpecTexts = Readonly<Record<string, string>>;

const folder = 'specs';
const maxBytes = 1_000_000;

/** Reads the specs in a skill folder and in `texts`. Returns undefined if there are none. Never throws. */
export function readSpecs(dir: string, texts: SpecTexts = {}): Specs | undefined {
  const found = findSpecs(join(dir, folder));
  const paths = [...new Set([...(found?.paths ?? []), ...Object.keys(texts)])].sort(byCodeUnits);
  const issues = [...(found?.issues ?? [])];
  if (paths.length === 0 && issues.length === 0) return undefined;
  const read = paths.flatMap((inner) => readSpec(dir, inner, texts, issues));
  issues.push(...checkTargets(dir, read));
  const find = targetFinder(read);
  const specs = read.map(({ inner, ...spec }): Spec => {
    const { targets, missing } = readDependencies({ ...spec, inner }, find);
    for (const { path, line } of missing) issues.push(missingDependency(join(dir, spec.path), path, line));
    return { ...spec, dependencies: targets };
  });
  const { ordered, circle } = orderSpecs(specs);
  if (circle !== undefined) issues.push(circleIssue(dir, circle));
  return { specs: ordered, issues };
}

interface ReadSpec extends Omit<Spec, 'dependencies'> {
  /** The path of the spec in `specs`. */
  readonly inner: string;
}

function readSpec(dir: string, inner: string, texts: SpecTexts, issues: Issue[]): readonly ReadSpec[] {
  const path = `${folder}/${inner}`;
  const fail = (code: `spec.${string}`, message: string, hint: string): readonly [] => {
    issues.push({ level: 'error', code, message, file: join(dir, path), hint });
    return [];
  };
  const target = targetOf(inner);
  if (target === undefined) {
    const message = `${JSON.stringify(path)} cannot be used as the name of a source file.`;
    return fail('spec.target', message, 'Use letters, digits, hyphens, underscores and dots.');
  }
  const given = Object.hasOwn(texts, inner) ? texts[inner] : undefined;
  if (given !== undefined) return [{ path, inner, target, text: given }];
  const file = readSmallFile(join(dir, path), maxBytes) ?? { fault: 'is gone' };
  if ('fault' in file)
    return fail('spec.unreadable', `${path} ${file.fault}.`, 'Replace it with a text file.');
  const text = decode(file.bytes);
  return text === undefined
    ? fail('spec.encoding', `${path} is not valid UTF-8.`, 'Save it as UTF-8.')
    : [{ path, inner, target, text }];
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined; // The caller reports the unreadable file.
  }
}

function missingDependency(file: string, path: string, line: number): Issue {
  return {
    level: 'warning',
    code: 'spec.dependency',
    message: `"${path}" does not match any spec, so it is ignored.`,
    file,
    line,
    hint: 'Write a spec for it, or correct the path.',
  };
}

function circleIssue(dir: string, circle: readonly string[]): Issue {
  return {
    level: 'error',
    code: 'spec.circle',
    message: `The specs depend on each other in a cycle: ${circle.join(' → ')}.`,
    file: join(dir, circle[0] ?? folder),
    hint: 'Remove one of these specs from the Dependencies of another.',
  };
}

const maxSpecs = 500;
const maxEntries = 10_000;

/**
 * Returns the paths of all specs below a folder. They are sorted and relative to the folder. Returns
 * undefined if the folder does not exist. Never throws.
 */
function findSpecs(
  root: string,
): { readonly paths: readonly string[]; readonly issues: readonly Issue[] } | undefined {
  const kind = kindOf(root);
  if (kind === 'none') return undefined;
  if (kind === 'link') return { paths: [], issues: [linkIssue(root)] };
  const paths: string[] = [];
  const issues: Issue[] = [];
  const folders = [''];
  let entries = 0;
  for (const folder of folders) {
    for (const entry of list(join(root, folder), issues)) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      entries++;
      if (entry.isSymbolicLink()) issues.push(linkIssue(join(root, path)));
      else if (entry.isDirectory()) folders.push(path);
      else if (isSpec(entry.name)) paths.push(path);
    }
    if (paths.length > maxSpecs || entries > maxEntries) return { paths: [], issues: [tooMany(root)] };
  }
  return { paths: paths.sort(byCodeUnits), issues };
}

function isSpec(name: string): boolean {
  return /\.mds?$/i.test(name);
}

function kindOf(root: string): 'folder' | 'link' | 'none' {
  try {
    const stats = lstatSync(root);
    if (stats.isSymbolicLink()) return 'link';
    return stats.isDirectory() ? 'folder' : 'none';
  } catch {
    return 'none'; // Reading the skill folder reports the error.
  }
}

function list(folder: string, issues: Issue[]): readonly Dirent[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter(({ name }) => !name.startsWith('.'));
  } catch (thrown) {
    const reason = systemCode(thrown) ?? reasonOf(thrown);
    const message = `The specs folder cannot be read: ${reason}.`;
    issues.push({ level: 'error', code: 'spec.unreadable', message, file: folder });
    return [];
  }
}

function linkIssue(file: string): Issue {
  return {
    level: 'error',
    code: 'spec.link',
    message: 'Links to specs are not followed.',
    file,
    hint: 'Replace the link with the file itself.',
  };
}

function tooMany(file: string): Issue {
  return {
    level: 'error',
    code: 'spec.too-many',
    message: `There are more than ${maxSpecs} specs, or more than ${maxEntries.toLocaleString('en')} entries in their folders.`,
    file,
    hint: 'Split the skill, or move other files elsewhere.',
  };
}
