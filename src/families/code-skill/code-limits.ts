import type { CodeCall } from '../../core/code.ts';
import type { Issue } from '../../core/issue.ts';
import { limitIn, type Values } from '../../core/descriptor/values.ts';
import { optional } from '../../core/collections.ts';
import type { CodeSkillDefinition } from './definition.ts';

const timeout = { key: 'timeout', unit: 'seconds', least: 1, most: 3600 };
const memory = { key: 'memory', unit: 'MiB', least: 64, most: 8192 };

/** The limits of calls that a descriptor sets. */
export function limitsIn(
  { given }: Values<'timeout' | 'memory'>,
  issues: Issue[],
): Pick<CodeSkillDefinition, 'timeout' | 'memory'> {
  return {
    ...optional('timeout', limitIn(given('timeout'), timeout, issues)),
    ...optional('memory', limitIn(given('memory'), memory, issues)),
  };
}

const usualTimeout = 60; // seconds
const usualMemory = 512; // MiB

/** The limits of one call, as they are counted. */
export function codeLimits(definition: CodeSkillDefinition): Pick<CodeCall, 'timeoutMs' | 'memoryBytes'> {
  return {
    timeoutMs: (definition.timeout ?? usualTimeout) * 1000,
    memoryBytes: (definition.memory ?? usualMemory) * 2 ** 20,
  };
}
