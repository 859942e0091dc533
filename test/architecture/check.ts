import type { Diagnostic, Rule } from './rule.ts';
import { noAny } from './rules/any.ts';
import { clocks } from './rules/clocks.ts';
import { comments } from './rules/comments.ts';
import { noConsole } from './rules/console.ts';
import { cycles } from './rules/cycles.ts';
import { defaultExports } from './rules/default-exports.ts';
import { dust } from './rules/dust.ts';
import { environment } from './rules/environment.ts';
import { familyWords } from './rules/family-words.ts';
import { fileNames } from './rules/file-names.ts';
import { fileSize } from './rules/file-size.ts';
import { folderSize } from './rules/folder-size.ts';
import { layers } from './rules/layers.ts';
import { lazyImports } from './rules/lazy-imports.ts';
import { nodeModules } from './rules/node-modules.ts';
import { packages } from './rules/packages.ts';
import { publicExports } from './rules/public-exports.ts';
import { typeNames } from './rules/type-names.ts';
import type { Source } from './source.ts';

/** A violation of a rule, with its position. */
export interface Violation extends Diagnostic {
  readonly rule: string;
}

/** All rules of the architecture, in the order in which violations are listed. */
export const rules: readonly Rule[] = [
  layers,
  cycles,
  familyWords,
  nodeModules,
  packages,
  environment,
  noConsole,
  defaultExports,
  publicExports,
  noAny,
  fileNames,
  fileSize,
  folderSize,
  dust,
  typeNames,
  lazyImports,
  comments,
  clocks,
];

/** Checks a source tree. Returns an empty list if all rules are kept. */
export function checkArchitecture(tree: readonly Source[]): Violation[] {
  return rules.flatMap((rule) => rule.find(tree).map((diagnostic) => ({ rule: rule.name, ...diagnostic })));
}

/** Formats violations, one per line, with a position that an editor can open. */
export function printViolations(violations: readonly Violation[]): string {
  return violations
    .map(({ rule, file, line, message }) => `src/${file}:${line} [${rule}] ${message}`)
    .join('\n');
}
