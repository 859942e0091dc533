import { defineFamily } from '../../core/family.ts';
import type { DynamicCodeDefinition } from './definition.ts';
import { execute } from './execute.ts';
import { parse } from './parse.ts';
import { template } from './template.ts';

/** Skills whose code is written by a model for each call. */
export const dynamicCode = defineFamily<DynamicCodeDefinition>({
  id: 'dynamic-code',
  aliases: ['dynamic-code-generation'],
  descriptor: { file: 'dcgskill.md' },
  defaultArgument: 'input',
  label: 'Dynamic Code',
  purpose: 'has code written for each call',
  firstWords: 'the sum of the first ten primes',
  runsCode: () => true,
  template,
  parse,
  execute,
});
