import { AgentError, didYouMean, type Configured, type Json, type JsonObject } from '../../core/index.ts';
import type { TableDefinition, TableSettings } from './descriptor/definition.ts';

/** Functions that read the settings, keyed by setting name. They return undefined for an invalid value. */
const readers: { readonly [Key in keyof TableSettings]-?: (value: Json) => TableSettings[Key] } = {
  database: (value) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined),
  confirm: (value) => (typeof value === 'boolean' ? value : undefined),
  minutes: (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 1_440 ? value : undefined,
};

const shapes: Readonly<Record<keyof TableSettings, string>> = {
  database: 'the path or address of a database',
  confirm: 'true or false',
  minutes: 'a whole number from 1 to 1,440',
};

/** Reads a table's settings: its database, and how changes are confirmed. Throws `usage.bad-settings`. */
export function configure(settings: JsonObject): Configured<TableDefinition> {
  const read = Object.entries(settings).map(([key, value]) => [key, readSetting(key, value)] as const);
  return { card: {}, definition: { settings: Object.fromEntries(read) } };
}

function readSetting(key: string, value: Json): TableSettings[keyof TableSettings] {
  if (!isKey(key)) {
    throw new AgentError('usage.bad-settings', `Settings cannot change "${key}" for a table.`, {
      hint: didYouMean(key, Object.keys(readers)) ?? `Change ${Object.keys(readers).join(', ')}.`,
    });
  }
  const read = readers[key](value);
  if (read !== undefined) return read;
  throw new AgentError('usage.bad-settings', `"${key}" for a table must be ${shapes[key]}.`, {
    hint: 'Correct the setting, or remove it.',
  });
}

function isKey(key: string): key is keyof TableSettings {
  return Object.hasOwn(readers, key);
}
