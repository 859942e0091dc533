import { defineFamily } from '../../core/family.ts';
import type { TableDefinition } from './descriptor/definition.ts';
import { execute } from './execute.ts';
import { parse } from './descriptor/parse.ts';
import { template } from './template.ts';

/** Records in a database, asked for and changed in plain words. */
export const table = defineFamily<TableDefinition>({
  id: 'table',
  aliases: ['dbtable'],
  descriptor: { file: 'tskill.md' },
  defaultArgument: 'prompt',
  label: 'Table',
  runs: false,
  runsCode: () => true,
  template,
  parse,
  execute,
});
