import { defineFamily, loadModule } from '../../core/index.ts';
import type { TableDefinition } from './descriptor/definition.ts';
import type { implementation } from './family.ts';
import type { PreparedTable } from './prose/generate-prose.ts';

/** Loads the code of the family. Projects without a table never need it. */
function load(): typeof implementation {
  const module = loadModule('families/table/family') as { readonly implementation: typeof implementation };
  return module.implementation;
}

/** The table family: records in a database that users read and change with plain-language requests. */
export const table = defineFamily<TableDefinition, PreparedTable>({
  id: 'table',
  aliases: ['dbtable'],
  descriptor: { file: 'tskill.md' },
  label: 'Table',
  parse: (bundle) => load().parse(bundle),
  configure: (settings) => load().configure(settings),
  execute: (definition, input, scope) => load().execute(definition, input, scope),
  authoring: {
    purpose: 'keeps records in a table',
    examplePrompt: 'list',
    template: (name) => load().template(name),
    templateFrom: (name, from) => load().templateFrom(name, from),
  },
  input: {
    defaultArgument: 'prompt',
    accept: (definition, input) => load().accept(definition, input),
  },
  permission: {
    runsCode: (definition) => load().hasProse(definition),
    describe: (definition) => load().describe(definition),
  },
  generation: {
    prepare: (definition, scope) => load().prepare(definition, scope),
    isEarly: (definition) => load().hasProse(definition),
    isDue: (definition, dir) => load().isDue(definition, dir),
    inspect: (definition, dir) => load().inspect(definition, dir),
    build: (definition, input, scope) => load().build(definition, input, scope),
  },
  prompts: {
    answers: (definition, question, text) => load().answers(definition, question, text),
    recognises: (definition, text) => load().recognises(definition, text),
  },
});
