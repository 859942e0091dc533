import {
  AgentError,
  didYouMean,
  type Configured,
  type Json,
  type JsonObject,
  type Permission,
} from '../../core/index.ts';
import type { TableDefinition, TableSettings } from './descriptor/definition.ts';
import { parse } from './descriptor/parse.ts';
import { accept, build, execute } from './execute.ts';
import { answers, recognises } from './prompts.ts';
import { inspect, isDue, prepare } from './prose/generate-prose.ts';
import { proseItems } from './prose/prose-items.ts';
import { template, templateFrom } from './template.ts';

/** The code of the table family. `index.ts` loads this module when it is first needed. */
export const implementation = {
  parse,
  configure,
  accept,
  execute,
  template,
  templateFrom,
  hasProse,
  describe,
  prepare,
  isDue,
  inspect,
  build,
  answers,
  recognises,
};

/** Whether a table has prose rules, which require generated code. */
function hasProse(definition: TableDefinition): boolean {
  return proseItems(definition).length > 0;
}

function describe(definition: TableDefinition): Permission {
  return hasProse(definition) ? { runsOwnCode: true } : {};
}

type Setting = readonly [expected: string, isValid: (value: Json) => boolean];

const known: Readonly<Record<keyof TableSettings, Setting>> = {
  database: [
    'the path or address of a database',
    (value) => typeof value === 'string' && value.trim() !== '',
  ],
  confirm: ['true or false', (value) => typeof value === 'boolean'],
  minutes: [
    'a whole number from 1 to 1,440',
    (value) => typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 1_440,
  ],
};

/** Reads a table's settings: its database, and how changes are confirmed. Throws `usage.bad-settings`. */
export function configure(settings: JsonObject): Configured<TableDefinition> {
  const byName = new Map<string, Setting>(Object.entries(known));
  const names = [...byName.keys()];
  const read = Object.entries(settings).map(([name, value]) => {
    const setting = byName.get(name);
    if (setting === undefined) {
      throw new AgentError('usage.bad-settings', `Settings cannot change "${name}" for a table.`, {
        hint: didYouMean(name, names) ?? `Change ${names.join(', ')}.`,
      });
    }
    const [expected, isValid] = setting;
    if (isValid(value)) return [name, typeof value === 'string' ? value.trim() : value] as const;
    throw new AgentError('usage.bad-settings', `"${name}" for a table must be ${expected}.`, {
      hint: 'Correct the setting, or remove it.',
    });
  });
  return { card: {}, definition: { settings: Object.fromEntries(read) } };
}
