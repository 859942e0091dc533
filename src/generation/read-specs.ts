import { join } from 'node:path';
import { byCodeUnits } from '../core/text.ts';
import type { Issue } from '../core/issue.ts';
import { checkTargets } from './check-targets.ts';
import { findSpecs } from './find-specs.ts';
import { orderSpecs } from './order-specs.ts';
import { readSmallFile } from './read-small-file.ts';
import { readDependencies, targetFinder } from './spec-dependencies.ts';
import { targetOf } from './target-of.ts';

/** A text that says what one source file of a skill does. */
export interface Spec {
  /** From the folder of the skill, as `specs/lib/parse.ts.md`. */
  readonly path: string;
  /** The file that is made of it, from `src`, as `lib/parse.ts`. */
  readonly target: string;
  readonly text: string;
  /** The targets of the other specs that it builds on. */
  readonly dependencies: readonly string[];
}

/** The specs of a skill, each after all that it depends on, and what is wrong with them; an error keeps all of them from being used. */
export interface Specs {
  readonly specs: readonly Spec[];
  readonly issues: readonly Issue[];
}

/** Specs that lie in no file, by their paths from `specs`; each stands in for a file of the same path. */
export type SpecTexts = Readonly<Record<string, string>>;

const folder = 'specs';
const mostBytes = 1_000_000;

/** Reads the specs in the folder of a skill, and those given as texts; undefined where there are none. Never throws. */
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
  /** From `specs`. */
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
    const message = `${JSON.stringify(path)} is no name that a source file could be called after.`;
    return fail('spec.target', message, 'Use letters, digits, hyphens, underscores and dots.');
  }
  const given = Object.hasOwn(texts, inner) ? texts[inner] : undefined;
  if (given !== undefined) return [{ path, inner, target, text: given }];
  const file = readSmallFile(join(dir, path), mostBytes) ?? { fault: 'is gone' };
  if ('fault' in file)
    return fail('spec.unreadable', `${path} ${file.fault}.`, 'Put a text file in its place.');
  const text = decode(file.bytes);
  return text === undefined
    ? fail('spec.encoding', `${path} is no text in UTF-8.`, 'Save it as UTF-8.')
    : [{ path, inner, target, text }];
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined; // told by the caller, who knows the file
  }
}

function missingDependency(file: string, path: string, line: number): Issue {
  return {
    level: 'warning',
    code: 'spec.dependency',
    message: `"${path}" leads to no spec, so nothing is known of it.`,
    file,
    line,
    hint: 'Write a spec for it, or correct the path.',
  };
}

function circleIssue(dir: string, circle: readonly string[]): Issue {
  return {
    level: 'error',
    code: 'spec.circle',
    message: `The specs depend on each other in a circle: ${circle.join(' → ')}.`,
    file: join(dir, circle[0] ?? folder),
    hint: 'Take one of them out of the Dependencies of another.',
  };
}
