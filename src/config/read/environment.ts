import { didYouMean, type Issue, type Json } from '../../core/index.ts';
import { modelNamesOf } from '../models/options.ts';
import { settingsDefinition, shapeAt } from '../schema/definition.ts';
import { withKey } from '../schema/key.ts';
import { currentVariable } from '../schema/renamed.ts';
import type { SettingsLayer } from './layers.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads settings from environment variables, lowest precedence first. Treats empty variables as
 * unset and reports invalid ones as issues.
 */
export function environmentLayers(
  environment: Environment,
  report: (issue: Issue) => void,
): readonly SettingsLayer[] {
  const given = Object.entries(environment).filter(([name, value]) => /^SKILLED_\w/.test(name) && value);
  return (
    given
      // The model for all tiers must come before the models for single tiers.
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, text = '']) => {
        const variable = currentVariable(name) ?? name;
        if (variable !== name) {
          // If both names are set, the current name applies and no warning is needed.
          if (environment[variable]) return [];
          report(renamed(name, variable));
        }
        const path = pathOf(variable);
        if (path === undefined) return misspelt(variable, report);
        const [key = ''] = path;
        const value = readText(key, text);
        // Skips the checks for settings files, because a location in a variable may contain a
        // password.
        const fitted =
          key === 'store' || key === 'database' ? value : shapeAt(path)?.fit(value, name, complain);
        return fitted === undefined
          ? []
          : [{ name: 'environment', from: name, values: withKey({}, path, fitted) } as const];
      })
  );

  function complain(variable: string, expected: string): void {
    const message = `${variable} is ignored: it must be ${expected}.`;
    report({ level: 'error', code: 'settings.invalid', message, hint: 'Correct or unset the variable.' });
  }
}

function renamed(old: string, current: string): Issue {
  return {
    level: 'warning',
    code: 'settings.renamed',
    message: `${old} is now ${current}. The next release will ignore the old name.`,
    hint: `Set ${current} instead.`,
    details: { key: old, current },
  };
}

/** Returns the path of the setting for a variable, or undefined if the variable is not a setting. */
function pathOf(variable: string): readonly string[] | undefined {
  if (variable === 'SKILLED_BASE_URL') return ['providers', 'custom', 'baseUrl'];
  if (variable === 'SKILLED_API_KEY_ENV') return ['providers', 'custom', 'apiKeyEnv'];
  const tier = /^SKILLED_MODEL_(\w+)$/.exec(variable)?.[1];
  if (tier !== undefined) return ['models', tier.toLowerCase().replaceAll('_', '-')];
  return settingsDefinition.find((setting) => setting.variable === variable)?.key.split('.');
}

/** Reports misspelled variables for limits, because they would silently have no effect. */
function misspelt(variable: string, report: (issue: Issue) => void): readonly SettingsLayer[] {
  if (!variable.startsWith('SKILLED_LIMITS_')) return [];
  const known = settingsDefinition.flatMap((setting) => setting.variable ?? []);
  const message = `${variable} is not a known limit, so it is ignored.`;
  const hint = didYouMean(variable, known) ?? 'Correct or unset the variable.';
  report({ level: 'error', code: 'settings.invalid', message, hint });
  return [];
}

/**
 * Converts the text to the setting's type. Returns it unchanged if that fails, so that the schema rejects it.
 */
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
