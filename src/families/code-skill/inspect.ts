import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Issue } from '../../core/issue.ts';
import type { Made } from '../../core/family.ts';
import { optional } from '../../core/collections.ts';
import { inspectGeneration } from '../../generation/inspect-generation.ts';
import type { CodeSkillDefinition } from './definition.ts';
import { entryFault, noEntry } from './entry-fault.ts';
import { findEntry, type Entry } from './find-entry.ts';
import { recipeFor } from './recipe.ts';

/** How the code of a skill stands, made of specs or written by a person. Never throws. */
export function inspect(definition: CodeSkillDefinition, dir: string): Made | undefined {
  if (dir === '') return undefined;
  const made = inspectGeneration(dir, recipeFor(definition), definition.name);
  const entry = findEntry(dir);
  const issues = issuesOf(dir, entry);
  if (made === undefined) return ownCode(dir, entry, issues);
  const isRunnable = made.status !== 'current' || issues.length === 0;
  return isRunnable ? made : { ...made, status: 'missing', issues: [...made.issues, ...issues] };
}

function ownCode(dir: string, entry: Entry | undefined, issues: readonly Issue[]): Made {
  if (entry === undefined) return { status: 'missing', files: [], issues };
  const { path, fault } = entry;
  const digest = fault === undefined ? digestOf(join(dir, path)) : undefined; // a link may lead anywhere
  const files = [{ path, status: 'own', ...optional('digest', digest) }] as const;
  return { status: fault === undefined ? 'own' : 'missing', files, issues };
}

/** What keeps the code from being run. */
function issuesOf(dir: string, entry: Entry | undefined): readonly Issue[] {
  if (entry !== undefined && entry.fault === undefined) return [];
  const fault = entry?.fault === undefined ? noEntry(dir) : entryFault(dir, entry.path, entry.fault);
  return [{ level: 'error', code: 'code.missing', message: fault.message, ...optional('hint', fault.hint) }];
}

function digestOf(file: string): string | undefined {
  try {
    return `sha256:${hash('sha256', readFileSync(file))}`;
  } catch {
    return undefined; // it went away, or cannot be read: whoever runs it learns why
  }
}
