import type { CheckResult, Examined } from './check.ts';

/** Which models would be asked, as far as that can be told without asking anybody. */
export function checkModels({ models: report }: Examined): CheckResult {
  const { offline, uses, faults, found, keyVariables } = report;
  const inUse = uses.filter(({ role, models }) => role !== undefined && models.length > 0);
  const details = [...inUse.map(({ role, models }) => `${role ?? ''}: ${models.join(', then ')}`), ...faults];
  if (offline) return { id: 'models', status: 'ok', summary: 'offline, no model is asked', details: [] };
  if (inUse.length === 0)
    return {
      id: 'models',
      status: 'warn',
      summary: 'none is chosen and no key is set',
      details: ['A local server is looked for when a model is first asked; `skilled models` looks now.'],
      hint: `Set ${keyVariables.join(', ')}, or choose a model: \`skilled config set --user models <provider>/<model>\``,
    };
  const where = [...new Set(found.map(({ label, variable }) => `${label} (${variable ?? ''})`))];
  const chosen = uses.some(({ from }) => from === 'found')
    ? `found: ${where[0] ?? ''}`
    : 'chosen in the settings';
  return {
    id: 'models',
    status: faults.length > 0 ? 'warn' : 'ok',
    summary: chosen,
    details,
    ...(faults.length > 0 ? { hint: '`skilled models --check` asks each of them.' } : {}),
  };
}
