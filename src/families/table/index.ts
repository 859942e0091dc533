import { defineFamily } from '../../core/index.ts';
import { accept } from './accept.ts';
import { answers } from './answers.ts';
import { build } from './build.ts';
import { configure } from './configure.ts';
import type { TableDefinition } from './descriptor/definition.ts';
import { parse } from './descriptor/parse.ts';
import { execute } from './execute.ts';
import { hasProse } from './has-prose.ts';
import { inspect } from './prose/inspect.ts';
import { isDue } from './prose/is-due.ts';
import { prepare } from './prose/prepare.ts';
import type { PreparedTable } from './prose/prepared-table.ts';
import { recognises } from './recognises.ts';
import { templateFrom } from './template-from.ts';
import { template } from './template.ts';

/** The table family: records in a database that users read and change with plain-language requests. */
export const table = defineFamily<TableDefinition, PreparedTable>({
  id: 'table',
  aliases: ['dbtable'],
  descriptor: { file: 'tskill.md' },
  label: 'Table',
  parse,
  configure,
  execute,
  authoring: { purpose: 'keeps records in a table', examplePrompt: 'list', template, templateFrom },
  input: { defaultArgument: 'prompt', accept },
  permission: {
    runsCode: hasProse,
    describe: (definition) => (hasProse(definition) ? { runsOwnCode: true } : {}),
  },
  generation: { prepare, isEarly: hasProse, isDue, inspect, build },
  prompts: { answers, recognises },
});
