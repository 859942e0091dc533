import type { RenderPlace } from '../../core/family.ts';

/** A command of a hook for the shell, and the variables that it was given names for. */
export interface HookCommand {
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
}

const variable = /\$(?:\{(?:SKILLED|CLAUDE|AGENTICK)_(\w+)\}|(?:SKILLED|CLAUDE|AGENTICK)_(\w+))/g;
const plain = /^[\w@%+=:,./-]+$/;

/**
 * The command of a hook with the folders and the session that it names. One that is written with plain characters is
 * put in, so that rules see what runs; any other becomes a variable of the process, which no quotes can be broken with.
 */
export function hookCommand(written: string, { session, skillDir, projectDir }: RenderPlace): HookCommand {
  const values = new Map([
    ['SESSION_ID', session],
    ['SKILL_DIR', skillDir ?? ''],
    ['PROJECT_DIR', projectDir ?? ''],
  ]);
  const environment: Record<string, string> = {};
  const command = written.replace(variable, (all, inBraces?: string, bare?: string) => {
    const name = inBraces ?? bare ?? '';
    const value = values.get(name);
    if (value === undefined || plain.test(value)) return value ?? all;
    environment[`SKILLED_HOOK_${name}`] = value;
    return `\${SKILLED_HOOK_${name}}`;
  });
  return { command, environment };
}
