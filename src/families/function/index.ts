import { defineFamily } from '../../core/family.ts';
import { adopt } from './adopt.ts';
import type { FunctionDefinition } from './definition.ts';
import { execute } from './execute.ts';
import { parse } from './parse.ts';

/** Skills written in TypeScript with `defineSkill({ run })`; the built-ins are of this kind. */
export const functionFamily = defineFamily<FunctionDefinition>({
  id: 'function',
  label: 'Function',
  parse,
  adopt,
  permission: ({ permission }) => permission,
  accept: (definition, input) => definition.accept(input),
  execute,
});
