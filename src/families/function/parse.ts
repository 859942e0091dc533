import type { Parsed } from '../../core/family.ts';
import type { FunctionDefinition } from './definition.ts';

/** Says that no file holds a skill of this family. */
export function parse(): Parsed<FunctionDefinition> {
  return {
    name: '',
    card: { description: '' },
    definition: undefined,
    issues: [
      {
        level: 'error',
        code: 'function.no-files',
        message: 'Functions are made in code and are not read from files.',
        hint: 'Make it with defineSkill({ name, description, run }) and register it.',
      },
    ],
  };
}
