import { settingsDefinition } from '../config/schema/definition.ts';
import type { SettingsLayer } from '../config/read/layers.ts';
import { optional } from '../core/collections.ts';
import type { RunLimits } from '../core/run-limits.ts';
import { amount } from './amount.ts';
import type { Invocation } from './command.ts';
import { wholeNumber } from './whole-number.ts';

/** The flags that bound a run. */
export const limitFlags = {
  timeout: { type: 'string' },
  'max-depth': { type: 'string' },
  'max-steps': { type: 'string' },
  'max-tokens': { type: 'string' },
  'max-cost': { type: 'string' },
} as const;

/** Their part of a command's help. */
export const limitFlagsHelp = `  --timeout <seconds>   how long it may work
  --max-depth <number>  how deep calls may nest
  --max-steps <number>  model steps of one call
  --max-tokens <number> tokens in and out, all models together
  --max-cost <dollars>  US dollars`;

/** The limits that flags name; one that is no number is `usage.bad-input`. */
export function limitsOf(own: Invocation['own']): Partial<RunLimits> {
  return {
    ...optional('runSeconds', wholeNumber(own, 'timeout', 1)),
    ...optional('depth', wholeNumber(own, 'max-depth', 1)),
    ...optional('steps', wholeNumber(own, 'max-steps')),
    ...optional('tokens', wholeNumber(own, 'max-tokens')),
    ...optional('money', amount(own, 'max-cost')),
  };
}

/** The same as layers of the settings. */
export function limitLayers(own: Invocation['own']): readonly SettingsLayer[] {
  return Object.entries(limitsOf(own)).map(([name, value]) => {
    const flag = settingsDefinition.find(({ key }) => key === `limits.${name}`)?.flag ?? '';
    return { name: 'flag', from: flag, values: { limits: { [name]: value } } };
  });
}
