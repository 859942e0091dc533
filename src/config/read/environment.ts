import { didYouMean, type Issue, type Json } from '../../core/index.ts';
import { modelNamesOf } from '../models/options.ts';
import { settingsDefinition, shapeAt } from '../schema/definition.ts';
import { withKey } from '../schema/key.ts';
import type { SettingsLayer } from './layers.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What environment variables set, lowest precedence first; an empty one counts as unset, a wrong one is a finding. */
export function environmentLayers(
  environment: Environment,
  report: (issue: Issue) => void,
): readonly SettingsLayer[] {
  const given = Object.entries(environment).filter(([name, value]) => /^SKILLED_\w/.test(name) && value);
  return given
    .sort(([a], [b]) => (a < b ? -1 : 1)) // the model for all stands before those of single tiers
    .flatMap(([variable, text = '']) => {
      const path = pathOf(variable);
      if (path === undefined) return misspelt(variable, report);
      const [key = ''] = path;
      const value = readText(key, text);
      // Only a file must not hold a password.
      const fitted =
        key === 'store' || key === 'database' ? value : shapeAt(path)?.fit(value, variable, complain);
      return fitted === undefined
        ? []
        : [{ name: 'environment', from: variable, values: withKey({}, path, fitted) } as const];
    });

  function complain(variable: string, expected: string): void {
    const message = `${variable} must be ${expected}. It is not used.`;
    report({ level: 'error', code: 'settings.invalid', message, hint: 'Correct or unset the variable.' });
  }
}

/** The setting that a variable speaks of. */
function pathOf(variable: string): readonly string[] | undefined {
  if (variable === 'SKILLED_BASE_URL') return ['providers', 'custom', 'baseUrl'];
  if (variable === 'SKILLED_API_KEY_ENV') return ['providers', 'custom', 'apiKeyEnv'];
  const tier = /^SKILLED_MODEL_(\w+)$/.exec(variable)?.[1];
  if (tier !== undefined) return ['models', tier.toLowerCase().replaceAll('_', '-')];
  return settingsDefinition.find((setting) => setting.variable === variable)?.key.split('.');
}

/** Other variables of ours are no settings; a limit that is misspelt would silently not apply. */
function misspelt(variable: string, report: (issue: Issue) => void): readonly SettingsLayer[] {
  if (!variable.startsWith('SKILLED_LIMITS_')) return [];
  const known = settingsDefinition.flatMap((setting) => setting.variable ?? []);
  const message = `${variable} names no limit. It is not used.`;
  const hint = didYouMean(variable, known) ?? 'Correct or unset the variable.';
  report({ level: 'error', code: 'settings.invalid', message, hint });
  return [];
}

/** Text as the value that it stands for; what it cannot stand for is left for the shape to refuse. */
function readText(key: string, text: string): Json {
  if (key === 'models') return modelNamesOf(text);
  if (key === 'roles') return listIn(text);
  if (key === 'offline') return switches[text.toLowerCase()] ?? text;
  const isNumber = (key === 'limits' || key === 'retentionDays') && /^\d*\.?\d+$/.test(text);
  return isNumber ? Number(text) : text;
}

function listIn(text: string): readonly string[] {
  const items = text.split(',').map((item) => item.trim());
  return items.filter((item) => item !== '');
}

const switches: Readonly<Record<string, boolean>> = {
  '1': true,
  true: true,
  yes: true,
  on: true,
  '0': false,
  false: false,
  no: false,
  off: false,
};
