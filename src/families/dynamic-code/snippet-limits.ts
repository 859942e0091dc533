import type { Issue } from '../../core/issue.ts';
import { limitIn, type Values } from '../../core/descriptor/values.ts';
import { optional } from '../../core/collections.ts';
import type { DynamicCodeDefinition } from './definition.ts';

const timeout = { key: 'timeout', unit: 'seconds', least: 1, most: 300 };
const memory = { key: 'memory', unit: 'MiB', least: 8, most: 512 };

/** The limits of snippets that a descriptor sets. */
export function limitsIn(
  { given }: Values<'timeout' | 'memory'>,
  issues: Issue[],
): Pick<DynamicCodeDefinition, 'timeout' | 'memory'> {
  return {
    ...optional('timeout', limitIn(given('timeout'), timeout, issues)),
    ...optional('memory', limitIn(given('memory'), memory, issues)),
  };
}

const usualTimeout = 10; // seconds
const usualMemory = 64; // MiB

/** The limits of the snippets of a skill, as they are counted. */
export function snippetLimits(definition: DynamicCodeDefinition): {
  readonly timeoutMs: number;
  readonly memoryBytes: number;
} {
  return {
    timeoutMs: (definition.timeout ?? usualTimeout) * 1000,
    memoryBytes: (definition.memory ?? usualMemory) * 2 ** 20,
  };
}
